import { excerpt } from '../../core/text/quote.ts';
import type { RegistryEvent, ReportEvent } from '../../server/registry-options.ts';
import type { NoticeEvent } from '../../server/notice.ts';
import { logLine, type Level } from './log-line.ts';
import { REPAIR_OF_ROLLOUT } from '../../site/damaged-rollout.ts';
import type { World } from '../../base/world.ts';

const SCHEMA = 'modreg/registry-log@1';
/** Of another process. */
const LONGEST_LINE = 1000;

/** Writes the log of `registry serve` on stderr: a line of JSON for each event. */
export function registryLog(world: World): (level: Level, event: string, fields: object) => void {
  return (level, event, fields) =>
    write(logLine({ schema: SCHEMA, now: world.clock(), level }, { event, ...fields }), world);
}

function write(line: string, world: World): void {
  world.log('stderr', line, (count) => {
    const head = { schema: SCHEMA, now: world.clock(), level: 'warn' } as const;
    return logLine(head, { event: 'dropped', count });
  });
}

/** Writes a line of another process of the registry: one of its log as it is, other text in a line of the log. */
export function logLineOf(
  what: string,
  [level, line]: readonly [Level, string],
  world: World,
): void {
  if (line.startsWith(`{"schema":"${SCHEMA}",`)) write(line, world);
  else registryLog(world)(level, what, { text: excerpt(line, LONGEST_LINE) });
}

/** Logs an event of the server. */
export function logEvent(log: ReturnType<typeof registryLog>, event: RegistryEvent): void {
  if ('moduleId' in event && 'version' in event && 'tokenId' in event) return logChange(log, event);
  switch (event.kind) {
    case 'failed':
    case 'overload':
      return logTrouble(log, event);
    case 'refused':
      return logRefusal(log, event);
    case 'certificate-renewed':
    case 'certificate-kept':
    case 'certificate-warning':
      return logCertificate(log, event);
    case 'report-passed-over':
    case 'reports-wait':
    case 'reports-go-on':
    case 'logs':
      return logIntake(log, event);
    case 'rollout':
      return logRollout(log, event);
    case 'machine-retired':
    case 'machine-joined':
    case 'trust-stored':
    case 'uploaded':
      return logRegistryChange(log, event);
    case 'config-saved':
    case 'config-signed':
    case 'secret-set':
    case 'secret-removed':
    case 'command-given':
      return logServed(log, event);
  }
}

function logRefusal(
  log: ReturnType<typeof registryLog>,
  event: Extract<RegistryEvent, { kind: 'refused' }>,
): void {
  const { reason, method, status, tokenId: token, peer } = event;
  log('warn', 'refused', { reason, method, path: excerpt(event.path), status, token, peer });
}

/** What happened to a release. */
type ReleaseEvent = Extract<RegistryEvent, { readonly version: string; readonly tokenId: string }>;

function logChange(
  log: ReturnType<typeof registryLog>,
  { kind, moduleId: module_id, version, tokenId: token, peer }: ReleaseEvent,
): void {
  log('info', kind, { module_id, version, token, peer });
}

/** Logs what happens while the registry takes what machines send. */
function logIntake(
  log: ReturnType<typeof registryLog>,
  event: ReportEvent | Extract<RegistryEvent, { kind: 'logs' }>,
): void {
  if (event.kind === 'logs') logLogs(log, event);
  else logReports(log, event);
}

function logLogs(
  log: ReturnType<typeof registryLog>,
  { change, because }: Extract<RegistryEvent, { kind: 'logs' }>,
): void {
  if (because === undefined) return log('info', `logs-${change}`, {});
  log('error', `logs-${change}`, { because: excerpt(because, LONGEST_LINE) });
}

function logTrouble(
  log: ReturnType<typeof registryLog>,
  event: Extract<RegistryEvent, { readonly kind: 'failed' | 'overload' }>,
): void {
  if (event.kind === 'failed') {
    log('error', event.kind, { error: excerpt(String(event.error)) });
  } else {
    log('warn', event.kind, { limit: event.limit, count: event.count, peer: event.peer });
  }
}

function logCertificate(
  log: ReturnType<typeof registryLog>,
  { kind, text }: Extract<RegistryEvent, { readonly text: string }>,
): void {
  log(kind === 'certificate-renewed' ? 'info' : 'warn', kind, { text });
}

function logReports(log: ReturnType<typeof registryLog>, event: ReportEvent): void {
  if (event.kind === 'reports-go-on') return log('info', event.kind, {});
  const { kind, because, ...fields } = event;
  log('error', kind, { ...fields, because: excerpt(because, LONGEST_LINE) });
}

function logRollout(
  log: ReturnType<typeof registryLog>,
  { change, moduleId, version, because }: Extract<RegistryEvent, { kind: 'rollout' }>,
): void {
  if (change === 'damaged') {
    const found = excerpt(because ?? '', LONGEST_LINE);
    const fields = { module_id: moduleId, version, because: found, hint: REPAIR_OF_ROLLOUT };
    return log('error', 'rollout-damaged', fields);
  }
  const reason = because === undefined ? undefined : excerpt(because);
  const level = change === 'halted' ? 'warn' : 'info';
  log(level, `rollout-${change}`, { module_id: moduleId, version, because: reason });
}

/** Logs what happened to a notice. */
export function logNotice(
  log: ReturnType<typeof registryLog>,
  { kind, ...fields }: NoticeEvent,
): void {
  // That of the record is the kind.
  const { event: notice, ...others } = { event: undefined, ...fields };
  log(kind === 'notice-sent' ? 'info' : 'warn', kind, { notice, ...others });
}

/** What happened to the registry itself. */
function logRegistryChange(
  log: ReturnType<typeof registryLog>,
  event: Extract<
    RegistryEvent,
    { kind: 'machine-retired' | 'machine-joined' | 'trust-stored' | 'uploaded' }
  >,
): void {
  const { kind, tokenId: token, peer } = event;
  switch (kind) {
    case 'machine-retired':
    case 'machine-joined':
      return log('info', kind, { machine: excerpt(event.machine), token, peer });
    case 'trust-stored':
      return log('info', kind, { version: event.version, token, peer });
    case 'uploaded': {
      const { moduleId: module_id, digest, size } = event;
      log('info', kind, { module_id, digest, size, token, peer });
    }
  }
}

/** What was changed of what a machine is served. */
function logServed(
  log: ReturnType<typeof registryLog>,
  event: Extract<
    RegistryEvent,
    { kind: 'config-saved' | 'config-signed' | 'secret-set' | 'secret-removed' | 'command-given' }
  >,
): void {
  const { kind, tokenId: token, peer } = event;
  const machine = excerpt(event.machine);
  switch (kind) {
    case 'config-saved':
    case 'config-signed':
      return log('info', kind, { machine, revision: event.revision, token, peer });
    case 'secret-set':
    case 'secret-removed':
      return log('info', kind, { machine, name: event.name, token, peer });
    case 'command-given': {
      const { number, command } = event;
      log('info', kind, { machine, number, command, token, peer });
    }
  }
}
