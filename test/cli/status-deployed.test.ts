import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { statusCommand } from '../../src/cli/machine/status-command.ts';
import { loggedDecisions } from '../../src/core/plan/logged-decisions.ts';
import { noteActivation } from '../../src/store/activations.ts';
import { openLog } from '../../src/logs/log-file.ts';
import { moduleId, type Published } from '../support/ask.ts';
import { claimed, moduleNamed } from '../support/claimed.ts';
import { entry, known, plan } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';

const NOW = Date.parse('2026-11-20T01:02:03Z');
const MINUTE = 60_000;
const LIDAR = moduleNamed('lidar', 'acme:lidar');

interface Afterwards {
  /** What is reported as deployed after the round. */
  readonly since: string | null;
  /** What the log of the agent has. */
  readonly failures?: readonly (readonly [version: string, minutesAgo: number])[];
  /** What else it has of 1.2.9, later. */
  readonly events?: readonly (readonly [event: string, minutesAgo: number])[];
  /** Whether an agent runs, as it does by default. */
  readonly isRunning?: boolean;
  /** What the agent runs. */
  readonly inUse?: string;
}

/** The lines of `modreg status` below the table, and what `--json` has, for a module with this constraint after a round. */
function shown(
  constraint: string,
  deployed: string,
  { since, failures = [], events = [], inUse = since ?? '', isRunning = true }: Afterwards,
): readonly [lines: readonly string[], yanked: unknown, failures: unknown] {
  const file = claimed();
  const published: Published[] = [
    { version: '1.2.9' },
    { version: '1.2.10', yanked: 'stops the motor\nwhen the bus is slow' },
    { version: '1.2.11', yanked: '' },
  ];
  const modules = [entry('acme:lidar', constraint, 'lidar')];
  const planned = plan({ modules }, { lidar: known(deployed, published) });
  file.state.report(LIDAR, since, NOW);
  const current = { version: inUse, root: '/p' };
  const activation = { phase: 'stable', current, previous: undefined, settled: undefined } as const;
  noteActivation(file, 'lidar', { moduleId: moduleId('acme:lidar'), activation });
  file.state.log(loggedDecisions(planned, new Map()), { at: NOW, trouble: undefined });
  const home = dirname(file.path);
  const log = openLog(`${home}/logs.db`, 'create');
  for (const [version, minutes] of failures) {
    const text = `lidar: ${version} failed: it ended ${minutes} min ago`;
    const record = { module: 'lidar', version, event: 'modreg.module.failed', text } as const;
    log.append([{ at: NOW - minutes * MINUTE, severity: 'warn', ...record }]);
  }
  for (const [event, minutes] of events) {
    const record = { module: 'lidar', version: '1.2.9', event: `modreg.${event}` } as const;
    const text = event === 'module.failed' ? 'lidar: 1.2.9 failed: it ended' : event;
    log.append([{ at: NOW - minutes * MINUTE, severity: 'info', ...record, text }]);
  }
  log.close();
  if (!isRunning) file.close();
  const environment = { PLATFORM_HOME: home };
  const world = { ...quietWorld('linux/x64'), environment, clock: () => NOW };
  const { answer } = statusCommand({}, world);
  const [json = ''] = statusCommand({ json: true }, world).answer;
  const { targets } = JSON.parse(json) as {
    readonly targets: readonly { readonly deployed_yanked: unknown; readonly failures: unknown }[];
  };
  return [answer.slice(4), targets[0]?.deployed_yanked, targets[0]?.failures];
}

it('[D7] says that a pinned version was yanked, which its decision does not', () => {
  expect(shown('1.2.10', '1.2.10', { since: '1.2.10' })).toEqual([
    [
      '',
      String.raw`lidar: 1.2.10 is yanked: stops the motor\u{a}when the bus is slow; it stays until another version is pinned`,
      '',
      'Replace it: modreg set lidar VERSION, or modreg rollback lidar',
    ],
    'stops the motor\nwhen the bus is slow',
    null,
  ]);
});

it('says that a version was yanked without a reason', () => {
  expect(shown('1.2.11', '1.2.11', { since: '1.2.11' })).toEqual([
    [
      '',
      'lidar: 1.2.11 is yanked; it stays until another version is pinned',
      '',
      'Replace it: modreg set lidar VERSION, or modreg rollback lidar',
    ],
    '',
    null,
  ]);
});

it.each([
  ['that was not yanked', '1.2.9', '1.2.9'],
  ['that is deployed since', '1.2.10', '1.2.9'],
])('says nothing of a version %s', (_, deployed, since) => {
  expect(shown('1.2.*', deployed, { since })).toEqual([[], null, null]);
});

const REMEDY = ['', 'Why: modreg agent logs lidar; go back: modreg rollback lidar'];

const failed = (...ago: number[]): [string, number][] => ago.map((one) => ['1.2.9', one]);

it('says how often the deployed version failed within ten minutes', () => {
  const since = '1.2.9';
  const lines =
    'lidar 1.2.9 failed 3 times in ten minutes, last: it ended 1 min ago; next start within a minute';
  const data = { count: 3, last_at: '2026-11-20T01:01:03Z', reason: 'it ended 1 min ago' };
  expect(shown('1.*', '1.2.9', { since, failures: failed(12, 8, 4, 1) })).toEqual([
    ['', lines, ...REMEDY],
    null,
    data,
  ]);
  expect(shown('1.*', '1.2.9', { since, failures: failed(12, 1) })).toEqual([[], null, null]);
  expect(shown('1.*', '1.2.9', { since, failures: [['1.2.8', 2], ...failed(1)] })).toEqual([
    [],
    null,
    null,
  ]);
});

it('says so of a version that runs again after it was reported as failed', () => {
  const [lines] = shown('1.*', '1.2.9', { since: null, failures: failed(8, 4, 1), inUse: '1.2.9' });
  expect(lines).toEqual([
    '',
    'lidar 1.2.9 failed 3 times in ten minutes, last: it ended 1 min ago; next start within a minute',
    '',
    // It does not count as deployed, so that `rollback` refuses (D468).
    'Why: modreg agent logs lidar',
  ]);
});

const LOOP: [string, number][] = [
  ['module.failed', 9],
  ['module.started', 8.9],
  ['module.failed', 8.8],
  ['module.started', 8.7],
  ['module.failed', 6],
];
const RUNS: [string, number][] = [
  ['module.started', 2.5],
  ['module.running', 2.4],
];
const OFTEN = '1.2.9 failed 3 times in ten minutes, last: it ended';
const TWICE = '1.2.9 failed 2 times in ten minutes, last: it ended';

it.each<[string, [string, number][], string | undefined]>([
  ['waits for its next start', LOOP, `${OFTEN}; next start within a minute`],
  [
    'is started and not ready',
    [...LOOP, ['module.started', 4]],
    `${OFTEN}; next start within a minute`,
  ],
  // Its longest run since the first failure took 2.7 min.
  [
    'has not run for longer than between failures',
    [...LOOP, ...RUNS],
    `${OFTEN}; up again for 2 min 30 s`,
  ],
  [
    'has run for longer than between failures',
    [...LOOP, ['module.started', 2.8], ['module.running', 2.75]],
    undefined,
  ],
  [
    'has run for less than a minute after short runs',
    [...LOOP.slice(0, 3), ['module.started', 0.9], ['module.running', 0.8]],
    `${TWICE}; up again for 54 s`,
  ],
  [
    'has run for more than a minute after short runs',
    [...LOOP.slice(0, 3), ['module.started', 1.1], ['module.running', 0.8]],
    undefined,
  ],
  [
    'had run for three minutes before its first failure',
    [
      ['module.started', 9.9],
      ['module.failed', 6.9],
      ['module.started', 6.8],
      ['module.failed', 6.7],
      ...RUNS,
    ],
    undefined,
  ],
  [
    'is not ready after its second start',
    [...LOOP, ['module.started', 2.5], ['module.running', 2.4], ['module.started', 2.3]],
    `${OFTEN}; next start within a minute`,
  ],
  [
    'is stopped after 30 s, and later held',
    [...LOOP.slice(0, 3), ...RUNS, ['module.stopped', 2], ['module.held', 2]],
    `${TWICE}; it waits for a module that it depends on`,
  ],
  [
    'ended while it was stopped, and is held',
    [...LOOP.slice(0, 3), ...RUNS, ['module.held', 2]],
    `${TWICE}; it waits for a module that it depends on`,
  ],
  [
    'is started again after it was held',
    [...LOOP.slice(0, 3), ['module.held', 2], ['module.started', 1.9]],
    `${TWICE}; next start within a minute`,
  ],
  [
    'is stopped and not held',
    [...LOOP.slice(0, 3), ...RUNS, ['module.stopped', 2]],
    `${TWICE}; next start within a minute`,
  ],
  [
    'had run for longer than between failures before it was stopped',
    [...LOOP.slice(0, 3), ...RUNS, ['module.stopped', 1]],
    undefined,
  ],
  [
    'was stopped before it was ready',
    [...LOOP.slice(0, 3), ['module.started', 2.5], ['module.stopped', 1]],
    `${TWICE}; next start within a minute`,
  ],
  // The pause before a start that has no process is no run.
  [
    'failed once without a process',
    [...LOOP.slice(0, 3), ['module.failed', 4], ...RUNS],
    undefined,
  ],
  ['was installed again since', [...LOOP, ['poller.delivered', 1]], undefined],
])('[D485] a failing version that %s', (_, events, expected) => {
  const [lines] = shown('1.*', '1.2.9', { since: '1.2.9', events });
  const words = expected === undefined ? [] : ['', `lidar ${expected}`, ...REMEDY];
  expect(lines).toEqual(words);
});

it.each<[string, [string, number][], string | undefined]>([
  ['waits for its next start', LOOP, OFTEN],
  ['ran for 30 s', [...LOOP.slice(0, 3), ...RUNS, ['module.stopped', 2]], TWICE],
  ['ran when the agent was killed', [...LOOP.slice(0, 3), ...RUNS], TWICE],
  ['ran for longer', [...LOOP.slice(0, 3), ...RUNS, ['module.stopped', 1]], undefined],
])('[D485] no agent starts a failing version that %s, if none runs', (_, events, expected) => {
  const [lines] = shown('1.*', '1.2.9', { since: '1.2.9', events, isRunning: false });
  expect(lines[1]).toBe(expected && `lidar ${expected}; no agent runs that starts it`);
});
