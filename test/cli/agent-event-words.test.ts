import { expect, it } from 'vitest';
import { agentLine, reportedBy } from '../../src/cli/agent/agent-event-words.ts';
import { downloadStatus } from '../../src/cli/agent/download-bar.ts';
import type { AgentEvent } from '../../src/agent/index.ts';
import { DatabaseError } from '../../src/sqlite/database-error.ts';
import { claimed, commitOne, moduleNamed } from '../support/claimed.ts';

const OF = { name: 'lidar', version: '1.1.0' };
const STATE = { kind: 'module', ...OF, reason: undefined, waitMs: undefined } as const;

it.each<[Parameters<typeof agentLine>[0], string | undefined]>([
  [{ kind: 'started', ...OF, pid: 7 }, 'info 1.1.0 is started (process 7)'],
  [{ kind: 'stopped', ...OF, killedAfterMs: undefined }, 'info 1.1.0 is stopped'],
  [
    { kind: 'stopped', ...OF, killedAfterMs: 10_000 },
    'warn 1.1.0 did not end within 10 s after SIGTERM, and was killed (SIGKILL)',
  ],
  [
    { kind: 'setup-changed', name: 'lidar' },
    'info its settings have changed; they apply from its next start (modreg restart lidar)',
  ],
  [
    { kind: 'leaves', name: 'lidar', because: 'removed' },
    'info ends, because its entry is no longer in the machine config; its package and its data stay',
  ],
  [
    { kind: 'leaves', name: 'lidar', because: 'replaced' },
    'info ends, because its entry in the machine config is of another module now; its package and its data stay',
  ],
  [
    { kind: 'leaves', name: 'lidar', because: 'server-disabled' },
    'info ends, because platform-server is disabled in the machine config; its package and its data stay',
  ],
  [{ kind: 'waiting', name: 'base', for: ['lidar', 'arm'] }, 'info waits for lidar, arm'],
  [{ kind: 'prefetched', ...OF, ignored: [] }, 'info 1.1.0 is downloaded'],
  [
    { kind: 'prefetched', ...OF, ignored: ['licence'] },
    'info 1.1.0 is downloaded; its meta.json has fields that are ignored: licence',
  ],
  [
    { kind: 'prefetch-failed', ...OF, reason: 'it is gone (404)', retryMs: 120_000 },
    'warn 1.1.0 could not be downloaded before its moment: it is gone (404); it is tried again in 2 min, and when its moment comes',
  ],
  [
    { kind: 'orphans', count: 2, areLeft: false },
    'warn 2 processes that an earlier agent left were killed',
  ],
  [
    { kind: 'orphans', count: 2, areLeft: true },
    'warn waits for 2 processes that an earlier agent left and SIGKILL has not ended yet',
  ],
  [
    { kind: 'not-removed', error: new Error('EIO: read') },
    'warn old packages and downloads could not be removed: Error: EIO: read',
  ],
  [
    {
      kind: 'module-waits-for-file',
      name: 'lidar',
      error: new DatabaseError('unwritable', 'no space'),
    },
    'warn waits until its change can be written: no space',
  ],
  [
    {
      kind: 'restart-status',
      name: 'platform-server',
      reason: 'http://[::1]:8080/rs answered 302',
      isHeld: true,
    },
    'warn does not say whether it may be restarted: http://[::1]:8080/rs answered 302; nothing is replaced or restarted until it does',
  ],
  [
    {
      kind: 'restart-status',
      name: 'lidar',
      reason: 'http://[::1]:1/ answered 500',
      isHeld: false,
    },
    'warn does not say whether it may be restarted: http://[::1]:1/ answered 500; the policy takes that as allowed',
  ],
  [
    { kind: 'not-begun', name: 'lidar', version: 'https://u:p@x.example/a', reason: 'pinned' },
    'info https://x.example/a is not begun: pinned',
  ],
  [{ ...STATE, state: 'trying' }, undefined],
  [{ ...STATE, state: 'starting' }, undefined],
  [{ ...STATE, state: 'stopping' }, undefined],
  [{ ...STATE, state: 'idle' }, undefined],
  [{ ...STATE, state: 'running' }, 'info 1.1.0 runs'],
  [{ ...STATE, state: 'rolling-back' }, 'warn 1.1.0 is started again'],
  [
    { ...STATE, state: 'held' },
    'info is stopped while a module that it depends on is replaced or down',
  ],
  [
    { ...STATE, state: 'probation', waitMs: 30_000 },
    'info 1.1.0 is ready, and on probation for 30 s',
  ],
  [{ ...STATE, state: 'probation', waitMs: 0 }, undefined],
  [
    { ...STATE, state: 'backing-off', waitMs: 4000 },
    'info 1.1.0 is started again in 4 s, unless another version replaces it',
  ],
  [{ ...STATE, state: 'backing-off', waitMs: 0 }, undefined],
  [
    { ...STATE, state: 'stopping', reason: 'it ended with exit code 3' },
    'warn 1.1.0 failed: it ended with exit code 3',
  ],
  [
    { kind: 'installing', ...OF, step: { kind: 'downloaded', bytes: 5 } },
    'info 1.1.0 is downloaded, 5 bytes',
  ],
  [
    { kind: 'installing', ...OF, step: { kind: 'installed', ignored: [] } },
    'info 1.1.0 is installed',
  ],
  [
    { kind: 'installing', ...OF, step: { kind: 'installed', ignored: ['redy', 'models'] } },
    'info 1.1.0 is installed; its meta.json has fields that are ignored: redy, models',
  ],
  [{ kind: 'installing', ...OF, step: { kind: 'synced' } }, undefined],
])('the log line of %j', (event, expected) => {
  const line = agentLine(event);
  expect(line && `${line.level} ${line.text}`).toBe(expected);
});

function at(name: string, step: 'downloading' | 'downloaded'): AgentEvent {
  const place = { kind: 'installing', name, version: '1.1.0' } as const;
  if (step === 'downloaded') return { ...place, step: { kind: step, bytes: 5 } };
  return { ...place, step: { kind: step, bytes: 1_000_000, total: undefined } };
}

it('the bar of the download that began first is shown until it, or its action, has ended', () => {
  const shown: (string | undefined)[] = [];
  let now = 0;
  const on = downloadStatus(
    (text) => shown.push(text),
    () => (now += 250),
  );
  const { state } = claimed();
  const [lidar, arm] = [commitOne(state), commitOne(state, { target: moduleNamed('arm') })];
  on({ kind: 'delivered', action: lidar, times: 1 });
  on(at('lidar', 'downloading'));
  on({ kind: 'delivered', action: arm, times: 1 });
  on(at('arm', 'downloading'));
  on({ kind: 'state-available' });
  on(at('lidar', 'downloaded'));
  on(at('arm', 'downloading'));
  on({ kind: 'withdrawn', action: arm });
  on(at('lidar', 'downloading'));
  on({ kind: 'acknowledged', id: lidar.id, outcome: { kind: 'done' }, retryMs: undefined });
  expect(shown).toEqual([
    'lidar 1.1.0  1.0 MB',
    'lidar 1.1.0  1.0 MB  and 1 more',
    'arm 1.1.0  1.0 MB',
    'arm 1.1.0  1.0 MB',
    undefined,
    'lidar 1.1.0  1.0 MB',
    undefined,
  ]);
});

it.each<[Parameters<typeof reportedBy>[0], string]>([
  [{ kind: 'started', ...OF, pid: 7 }, 'modreg.module.started 1.1.0'],
  [{ kind: 'started', ...OF, name: 'platform-server', pid: 7 }, 'modreg.server.started 1.1.0'],
  [
    { kind: 'stopped', ...OF, name: 'platform-server', killedAfterMs: undefined },
    'modreg.server.stopped 1.1.0',
  ],
  [{ ...STATE, state: 'rolling-back' }, 'modreg.module.rolling_back 1.1.0'],
  [{ ...STATE, state: 'rolling-back', reason: 'it ended' }, 'modreg.module.failed 1.1.0'],
  [
    { kind: 'installing', ...OF, step: { kind: 'downloaded', bytes: 7 } },
    'modreg.module.downloaded 1.1.0',
  ],
  [{ kind: 'leaves', name: 'lidar', because: 'removed' }, 'modreg.module.leaves'],
  [
    { kind: 'restart-status', name: 'platform-server', reason: 'it answered 302', isHeld: true },
    'modreg.server.restart_status',
  ],
  [{ kind: 'prefetched', ...OF, ignored: [] }, 'modreg.module.prefetched 1.1.0'],
  [{ kind: 'orphans', count: 2, areLeft: false }, 'modreg.agent.orphans'],
])('%j is sent to a collector as %s', (event, expected) => {
  const { name, version } = reportedBy(event);
  expect([name, ...(version === undefined ? [] : [version])].join(' ')).toBe(expected);
});
