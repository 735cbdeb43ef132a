import { excerpt } from '../../core/text/quote.ts';
import type { RegistryEvent } from '../../server/registry-options.ts';
import { logLine, type Level } from '../output/log-line.ts';
import type { World } from '../world.ts';

const SCHEMA = 'modreg/registry-log@1';

/** Writes the log of `registry serve` on stderr: a line of JSON for each event. */
export function registryLog(world: World): (level: Level, event: string, fields: object) => void {
  return (level, event, fields) => {
    const now = world.clock();
    const line = logLine({ schema: SCHEMA, now, level }, { event, ...fields });
    world.log('stderr', line, (count) =>
      logLine({ schema: SCHEMA, now, level: 'warn' }, { event: 'dropped', count }),
    );
  };
}

/** Logs an event of the server. */
export function logEvent(log: ReturnType<typeof registryLog>, event: RegistryEvent): void {
  switch (event.kind) {
    case 'failed':
      log('error', 'failed', { error: excerpt(String(event.error)) });
      return;
    case 'refused': {
      const { reason, method, status, tokenId: token, peer } = event;
      log('warn', 'refused', { reason, method, path: excerpt(event.path), status, token, peer });
      return;
    }
    case 'overload': {
      const { kind: _kind, ...fields } = event;
      log('warn', 'overload', fields);
      return;
    }
    case 'certificate-renewed':
    case 'certificate-kept':
    case 'certificate-warning': {
      const level = event.kind === 'certificate-renewed' ? 'info' : 'warn';
      log(level, event.kind, { text: event.text });
      return;
    }
    case 'rollout':
      return logRollout(log, event);
    case 'uploaded':
      logUpload(log, event);
      return;
    case 'published':
    case 'yanked':
    case 'unyanked':
    case 'rollout-started':
    case 'rollout-halted':
    case 'rollout-resumed':
    case 'rollout-raised':
    case 'rollout-retracted': {
      const { moduleId: module_id, version, tokenId: token, peer } = event;
      log('info', event.kind, { module_id, version, token, peer });
    }
  }
}

function logRollout(
  log: ReturnType<typeof registryLog>,
  { change, moduleId, version, because }: Extract<RegistryEvent, { kind: 'rollout' }>,
): void {
  const reason = because === undefined ? undefined : excerpt(because);
  const level = change === 'halted' ? 'warn' : 'info';
  log(level, `rollout-${change}`, { module_id: moduleId, version, because: reason });
}

function logUpload(
  log: ReturnType<typeof registryLog>,
  event: Extract<RegistryEvent, { kind: 'uploaded' }>,
): void {
  const { moduleId: module_id, digest, size, tokenId: token, peer } = event;
  log('info', event.kind, { module_id, digest, size, token, peer });
}
