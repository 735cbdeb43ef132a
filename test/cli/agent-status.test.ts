import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentStatusCommand } from '../../src/cli/agent/status-command.ts';
import { moduleProcesses, pidsOf } from '../../src/host/status/module-processes.ts';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import type { Activation } from '../../src/core/machine/activation.ts';
import type { LoggedDecision } from '../../src/core/plan/logged-decisions.ts';
import { openLog, type LogFile } from '../../src/logs/log-file.ts';
import { noteActivation } from '../../src/store/activations.ts';
import { machineHold } from '../support/machine-hold.ts';
import { moduleId } from '../support/ask.ts';
import { claimed, commitOne, moduleNamed } from '../support/claimed.ts';
import { logged } from '../support/machine-home.ts';
import { programOf } from '../support/marked-program.ts';
import { quietWorld } from '../support/quiet-world.ts';

describe('modreg agent status', () => {
  const [old, tried] = [
    { version: '1.0.0', root: '/p/1.0.0' },
    { version: '1.1.0', root: '/p/1.1.0' },
  ];
  const fault = { reason: 'it ended', blame: 'release' } as const;
  const stable = {
    phase: 'stable',
    current: old,
    previous: undefined,
    settled: undefined,
  } as const;
  const activations: Readonly<Record<string, Activation>> = {
    arm: stable,
    idle: stable,
    gone: stable,
    left: stable,
    lidar: { phase: 'trying', action: 'a-1', candidate: tried, previous: old, attempts: 1 },
    lidar_2: { phase: 'rolling-back', action: 'a-2', candidate: tried, previous: old, fault },
  };

  it('shows the version in use or on trial, and only the processes of each module itself', () => {
    const file = claimed();
    const home = dirname(file.path);
    for (const [name, activation] of Object.entries(activations)) {
      noteActivation(file, name, { moduleId: moduleId('acme:lidar'), activation });
    }
    const names = ['arm', 'idle', 'lidar', 'lidar_2', 'new'];
    const decisions = names.map((name) => logged(name, { moduleId: 'acme:lidar' }));
    file.state.log(decisions, { at: NOW, trouble: undefined });
    const attempted = commitOne(file.state, { target: moduleNamed('new', 'acme:lidar'), ...FIRST });
    file.state.deliver(attempted.id, NOW);
    const failure = { reason: 'no space', running: null, blame: 'machine' } as const;
    const terms = { at: NOW, quarantineUntil: undefined, retryAt: NOW + 30_000 };
    file.state.acknowledge(attempted.id, { kind: 'failed', ...failure }, terms);
    file.state.deliver(commitOne(file.state, { target: moduleNamed('arm', 'acme:lidar') }).id, NOW);
    const refused = { moduleId: moduleId('acme:lidar'), version: '1.2.0', digest: undefined };
    file.state.quarantine({ ...refused, since: NOW, until: undefined, reason: 'it crashed' });
    file.state.setHold(machineHold({ from: NOW, ms: 3_600_000 }));
    const other = programOf(home, 'lidar_2/1/a');
    const own = Math.min(programOf(home, 'lidar/1/a'), programOf(home, 'lidar/1/a'));
    const [running, left] = [programOf(home, 'arm/1/a'), programOf(home, 'left/1/a')];
    programOf(home, 'arm_2/1/a');
    const environment = { PLATFORM_HOME: home };
    const world = { ...quietWorld('linux/x64'), environment, clock: () => NOW };
    const table = agentStatusCommand({}, world).answer.map((line) => line.trim().split(/ {2,}/));
    const size = expect.stringMatching(/^\d+ MB$/) as string;
    expect(table).toEqual([
      ['MODULE', 'VERSION', 'STATE', 'PROCESS', 'MEMORY', 'UPDATE'],
      ['arm', '1.0.0', 'running', `${running}`, size, 'upgrade to 1.1.0 under way'],
      ['idle', '1.0.0', 'not running', '-', '-', 'up to date'],
      ['lidar', '1.1.0', 'on trial', `${own}`, size, 'up to date'],
      ['lidar_2', '1.0.0', 'rolling back', `${other}`, size, 'up to date'],
      ['new', '-', 'not installed', '-', '-', `install of 1.1.0 ${FAILED}`],
      ['gone', '1.0.0', 'not in the config', '-', '-', '-'],
      ['left', '1.0.0', 'ending', `${left}`, size, '-'],
      [''],
      ['Held by operators (modreg unhold [MODULE] ends a hold):'],
      ['HELD', 'BY', 'SINCE', 'UNTIL', 'WHY'],
      [
        'this machine',
        'ann',
        formatTime(NOW),
        `${formatTime(NOW + 3_600_000)} (in 1 h)`,
        '"on stage"',
      ],
      [''],
      ['In quarantine (modreg quarantine lift MODULE VERSION lets one be selected again):'],
      ['MODULE', 'VERSION', 'SINCE', 'UNTIL', 'WHY'],
      ['acme:lidar', '1.2.0', formatTime(NOW), 'an operator lifts it', 'it crashed'],
    ]);
  });

  it('shows the same as JSON', () => {
    const file = claimed();
    const home = dirname(file.path);
    const activation = activations['arm'];
    if (activation) noteActivation(file, 'arm', { moduleId: moduleId('acme:lidar'), activation });
    const pid = programOf(home, 'arm/1/a');
    const world = { ...quietWorld('linux/x64'), environment: { PLATFORM_HOME: home } };
    file.state.log([logged('new', { moduleId: 'acme:lidar' })], { at: NOW, trouble: 'no light' });
    const [json = ''] = agentStatusCommand({ json: true }, world).answer;
    const bytes = expect.any(Number) as number;
    const arm = { name: 'arm', configured: false, version: '1.0.0', phase: 'stable', pid };
    const fresh = { name: 'new', configured: true, version: null, phase: null, pid: null };
    const undecided = { decision: null, reason: null, downloaded: null, action: null };
    const decided = {
      decision: 'up-to-date',
      reason: 'already the newest release of 1',
      downloaded: null,
    };
    expect(JSON.parse(json)).toEqual({
      schema: 'modreg/agent-status@1',
      running: true,
      trouble: 'no light',
      agent: null,
      modules: [
        { ...fresh, memory: 0, ...decided, action: null, failures: null },
        { ...arm, memory: bytes, ...undecided, failures: null },
      ],
      quarantine: [],
      holds: [],
      log: null,
    });
  });

  it.each<[string, Partial<LoggedDecision>, string]>([
    ['1.1.0-3f8a91c20b7d', {}, 'waiting: it waits; 1.1.0 is downloaded'],
    ['1.1.0', {}, 'waiting: it waits; 1.1.0 is downloaded'],
    ['1.1.0-rc.1-3f8a91c20b7d', {}, 'waiting: it waits'],
    ['1.0.0-3f8a91c20b7d', { target: '1.0.0' }, 'waiting: it waits'],
    ['1.1.0-3f8a91c20b7d', { decision: 'stuck' }, 'stuck: it waits'],
  ])('[D78] with the package %s and %j: %s', (folder, more, expected) => {
    const file = claimed();
    const home = dirname(file.path);
    mkdirSync(`${home}/packages/acme/lidar/${folder}`, { recursive: true });
    noteActivation(file, 'arm', { moduleId: moduleId('acme:lidar'), activation: stable });
    const held = { moduleId: 'acme:lidar', decision: 'hold', reason: 'it waits', ...more };
    file.state.log([logged('arm', held)], { at: NOW, trouble: undefined });
    const world = { ...quietWorld('linux/x64'), environment: { PLATFORM_HOME: home } };
    expect(agentStatusCommand({}, world).answer[1]).toMatch(new RegExp(`  ${expected}$`));
  });

  it('says how often the version in use failed lately', () => {
    const file = claimed();
    const home = dirname(file.path);
    const names = ['arm', 'idle', 'gone'];
    for (const name of names) {
      noteActivation(file, name, { moduleId: moduleId('acme:lidar'), activation: stable });
    }
    const decisions = names.map((name) => logged(name, { moduleId: 'acme:lidar' }));
    file.state.log(decisions, { at: NOW, trouble: undefined });
    const log = openLog(`${home}/logs.db`, 'create');
    const MINUTE = 60_000;
    for (const [module, version, ago, event] of [
      ['arm', '1.0.0', 10, 'failed'],
      ['arm', '1.0.0', 3, 'failed'],
      ['arm', '1.0.0', 2, 'started'],
      ['arm', '1.0.0', 1, 'failed'],
      // One failure is no loop, and another version is not in use.
      ['idle', '1.0.0', 1, 'failed'],
      ['gone', '0.9.0', 2, 'failed'],
      ['gone', '0.9.0', 1, 'failed'],
    ] as const) {
      const text = `${module}: ${version} failed: it ended ${ago} minutes ago`;
      const at = NOW - ago * MINUTE;
      log.append([
        { at, severity: 'warn', module, version, event: `modreg.module.${event}`, text },
      ]);
    }
    log.close();
    const environment = { PLATFORM_HOME: home };
    const world = { ...quietWorld('linux/x64'), environment, clock: () => NOW };
    expect(agentStatusCommand({}, world).answer.slice(4)).toEqual([
      '',
      'arm 1.0.0 failed 2 times in ten minutes, last: it ended 1 minutes ago; next start within a minute',
    ]);
    const [json = ''] = agentStatusCommand({ json: true }, world).answer;
    const { modules } = JSON.parse(json) as { readonly modules: readonly { failures: unknown }[] };
    expect(modules.map(({ failures }) => failures)).toEqual([
      { count: 2, last_at: formatTime(NOW - MINUTE), reason: 'it ended 1 minutes ago' },
      null,
      null,
    ]);
  });

  it.for([
    [
      'a log that is sent',
      (log: LogFile) => {
        log.passed(1, { kind: 'sent', at: NOW, droppedReported: 0, rejected: 0 });
      },
      'Log to https://c.example/v1/logs: sent at 2026-11-20T01:02:03Z; 1 line to send',
      { sentAt: '2026-11-20T01:02:03Z', waiting: 1, refused: 0, trouble: null },
    ],
    [
      'a log that waits, of which a line was refused',
      (log: LogFile) => {
        log.passed(1, { kind: 'set-aside', droppedReported: 0, count: 1 });
        log.passed(undefined, { kind: 'sent', at: NOW, droppedReported: 0, rejected: 2 });
        log.troubled('c.example answered 503');
      },
      'Log to https://c.example/v1/logs: sent at 2026-11-20T01:02:03Z; 1 line to send (c.example answered 503); 3 refused by the collector',
      { sentAt: '2026-11-20T01:02:03Z', waiting: 1, refused: 3, trouble: 'c.example answered 503' },
    ],
    [
      'a log whose collector cannot be used',
      (log: LogFile) => {
        log.sendingTo(undefined);
        log.troubled('the agent has no variable TOKEN');
      },
      'Log: never sent; 2 lines to send (the agent has no variable TOKEN)',
      {
        endpoint: null,
        sentAt: null,
        waiting: 2,
        refused: 0,
        trouble: 'the agent has no variable TOKEN',
      },
    ],
    [
      'a log that was never sent',
      () => undefined,
      'Log to https://c.example/v1/logs: never sent; 2 lines to send',
      { sentAt: null, waiting: 2, refused: 0, trouble: null },
    ],
  ] as const)('shows %s', ([, change, line, json]) => {
    const file = claimed();
    const home = dirname(file.path);
    const log = openLog(`${home}/logs.db`, 'create');
    const texts = ['a', 'b'];
    log.append(texts.map((text) => ({ at: NOW, severity: 'info', module: undefined, text })));
    log.sendingTo('https://c.example/v1/logs');
    change(log);
    log.close();
    const world = { ...quietWorld('linux/x64'), environment: { PLATFORM_HOME: home } };
    expect(agentStatusCommand({}, world).answer.at(-1)).toBe(line);
    const [answer = ''] = agentStatusCommand({ json: true }, world).answer;
    const expected = { endpoint: 'https://c.example/v1/logs', dropped: 0, ...json };
    expect((JSON.parse(answer) as { log: unknown }).log).toEqual(expected);
  });
});

it.each(['größe', 'レーダー'])('[D353] the process of %s is found by that name', (name) => {
  const home = dirname(claimed().path);
  const pid = programOf(home, `${name}/1/a`);
  const found = Array.from(moduleProcesses(home), ([of, one]) => [of, one.pid]);
  expect(found).toEqual([[name, pid]]);
});

it('the first process of a module is the one with the lowest id, however many digits that has', () => {
  // In the order of /proc.
  const found = [
    [10_000, 'lidar/1/a'],
    [7, 'lidar_2/1/a'],
    [800, 'lidar/1/a'],
    [9999, 'lidar/1/a'],
  ] as const;
  const processes = found.map(([pid, mark]) => ({ pid, mark, parent: 1, group: pid }));
  expect(pidsOf('lidar', processes)).toEqual([800, 9999, 10_000]);
});

it('[T374] the main process of a module is first, also if its children have lower ids', () => {
  const found = [
    [40, 31_000],
    [41, 40],
    [31_000, 300],
  ] as const;
  const processes = found.map(([pid, parent]) => ({ pid, parent, mark: 'lidar/1/a', group: pid }));
  expect(pidsOf('lidar', processes)).toEqual([31_000, 40, 41]);
});

const NOW = Date.parse('2026-11-20T01:02:03Z');
const FIRST = { from: undefined, direction: 'install' } as const;
const FAILED = 'failed once because of this machine, next attempt in 30 s: no space';
