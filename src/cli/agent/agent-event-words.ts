import type { AgentEvent } from '../../agent/event.ts';
import { SERVER } from '../../agent/server.ts';
import type { PollerEvent } from '../../poller/index.ts';
import { firstFew } from '../../core/text/few.ts';
import { describeAddress } from '../../core/explanation/decision-words.ts';
import { excerpt } from '../../core/text/quote.ts';
import { describeDuration } from '../../core/text/duration.ts';
import type { Line } from '../poll/event-words.ts';
import { earlierDataWords, moveCommands } from '../../host/module-data.ts';
import { AGAIN_IN, eventName } from '../../logs/event-name.ts';
import type { Reported } from '../poll/poll-report.ts';
import { systemLine } from './system-words.ts';

type OwnEvent = Exclude<AgentEvent, PollerEvent>;

/** Whether an event is the agent's own, and not its poller's. */
export function isOwn(event: AgentEvent): event is OwnEvent {
  return OWN.has(event.kind);
}

const OWN: ReadonlySet<string> = new Set([
  'module',
  'started',
  'stopped',
  'leaves',
  'earlier-data',
  'setup-changed',
  'installing',
  'prefetched',
  'prefetch-failed',
  'waiting',
  'orphans',
  'not-removed',
  'module-waits-for-file',
  'not-begun',
  'restart-status',
  'system-file',
  'system-trouble',
  'network',
  'restart-required',
] satisfies OwnEvent['kind'][]);

/** What the line of an event reports: its name, such as `modreg.server.stopped`, and the version. */
export function reportedBy(event: OwnEvent): Reported {
  const of = !('name' in event) ? 'agent' : event.name === SERVER ? 'server' : 'module';
  const version = 'version' in event ? event.version : undefined;
  return { name: eventName(of, kindIn(event)), version };
}

/** `started`; for a state of a module that state, or `failed`. */
function kindIn(event: OwnEvent): string {
  if (event.kind === 'installing') return event.step.kind;
  if (event.kind !== 'module') return event.kind;
  return event.reason === undefined ? event.state : 'failed';
}

function setupLine(name: string): Line {
  return info(
    `its settings have changed; they apply from its next start (modreg restart ${excerpt(name)})`,
  );
}

function earlierDataLine(event: Extract<OwnEvent, { readonly kind: 'earlier-data' }>): Line {
  return warn(`${earlierDataWords(event)}: ${moveCommands(event)}, while no agent runs, moves it`);
}

/** The line of the log for an event of the agent; undefined if it is not worth one. */
export function agentLine(event: OwnEvent): Line | undefined {
  switch (event.kind) {
    case 'started':
      return info(`${event.version} is started (process ${event.pid})`);
    case 'stopped':
      return stoppedLine(event);
    case 'setup-changed':
      return setupLine(event.name);
    case 'leaves':
      return info(`ends, because ${CAUSES[event.because]}; its package and its data stay`);
    case 'earlier-data':
      return earlierDataLine(event);
    case 'installing':
      return installingLine(event);
    case 'prefetched':
    case 'prefetch-failed':
      return prefetchLine(event);
    case 'waiting':
      return info(`waits for ${event.for.join(', ')}`);
    case 'orphans':
      return orphansLine(event);
    case 'not-removed':
      return warn(notRemoved(event.error));
    case 'module-waits-for-file':
      return warn(`waits until its change can be written: ${event.error.message}`);
    case 'restart-required':
      return warn(restartRequired(event));
    case 'not-begun':
      return info(`${describeAddress(event.version)} is not begun: ${event.reason}`);
    case 'restart-status':
      return warn(unclearStatus(event));
    case 'module':
      return moduleLine(event);
    case 'system-file':
    case 'system-trouble':
    case 'network':
      return systemLine(event);
  }
}

function notRemoved(error: unknown): string {
  return `old packages and downloads could not be removed: ${excerpt(String(error))}`;
}

/** Why the agent must be restarted (D71). */
export function restartRequired({
  installed,
  running,
}: {
  readonly installed: string;
  readonly running: string;
}): string {
  return `agent ${installed} is installed, and ${running} runs: restart the agent (systemctl restart platform-agent)`;
}

function moduleLine({
  state,
  version,
  reason,
  waitMs = 0,
}: OwnEvent & { readonly kind: 'module' }): Line | undefined {
  if (reason !== undefined) return warn(`${version} failed: ${reason}`);
  switch (state) {
    case 'running':
      return info(`${version} runs`);
    case 'probation':
      return waitMs === 0
        ? undefined
        : info(`${version} is ready, and on probation for ${describeDuration(waitMs)}`);
    case 'rolling-back':
      return warn(`${version} is started again`);
    case 'held':
      return info('is stopped while a module that it depends on is replaced or down');
    case 'backing-off':
      return waitMs === 0
        ? undefined
        : info(
            `${version}${AGAIN_IN}${describeDuration(waitMs)}, unless another version replaces it`,
          );
    case 'idle':
    case 'starting':
    case 'trying':
    case 'stopping':
      return undefined;
  }
}

function stoppedLine({ version, killedAfterMs }: OwnEvent & { readonly kind: 'stopped' }): Line {
  if (killedAfterMs === undefined) return info(`${version} is stopped`);
  const time = describeDuration(killedAfterMs);
  return warn(`${version} did not end within ${time} after SIGTERM, and was killed (SIGKILL)`);
}

/** How many fields are named. */
const NAMED = 5;

const CAUSES: Readonly<Record<(OwnEvent & { readonly kind: 'leaves' })['because'], string>> = {
  removed: 'its entry is no longer in the machine config',
  replaced: 'its entry in the machine config is of another module now',
  'server-disabled': 'platform-server is disabled in the machine config',
};

function orphansLine({ count, areLeft }: OwnEvent & { readonly kind: 'orphans' }): Line {
  return areLeft
    ? warn(`waits for ${count} processes that an earlier agent left and SIGKILL has not ended yet`)
    : warn(`${count} processes that an earlier agent left were killed`);
}

function installingLine({
  version,
  step,
}: OwnEvent & { readonly kind: 'installing' }): Line | undefined {
  if (step.kind === 'downloaded') return info(`${version} is downloaded, ${step.bytes} bytes`);
  if (step.kind !== 'installed') return undefined;
  return info(`${version} is installed${ignoredNote(step.ignored)}`);
}

function prefetchLine(event: OwnEvent & { readonly kind: 'prefetched' | 'prefetch-failed' }): Line {
  const { kind, version } = event;
  if (kind === 'prefetched') return info(`${version} is downloaded${ignoredNote(event.ignored)}`);
  const again = describeDuration(event.retryMs);
  return warn(
    `${version} could not be downloaded before its moment: ${event.reason}; it is tried again in ${again}, and when its moment comes`,
  );
}

function unclearStatus({ reason, isHeld }: OwnEvent & { readonly kind: 'restart-status' }): string {
  const then = isHeld
    ? 'nothing is replaced or restarted until it does'
    : 'the policy takes that as allowed';
  return `does not say whether it may be restarted: ${reason}; ${then}`;
}

function ignoredNote(ignored: readonly string[]): string {
  const names = firstFew(ignored, NAMED).map((name) => excerpt(name));
  return names.length === 0
    ? ''
    : `; its meta.json has fields that are ignored: ${names.join(', ')}`;
}

function info(text: string): Line {
  return { level: 'info', text };
}

function warn(text: string): Line {
  return { level: 'warn', text };
}
