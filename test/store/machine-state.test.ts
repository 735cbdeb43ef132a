import { describe, expect, it, onTestFinished } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
import type { LoggedDecision } from '../../src/core/plan/logged-decisions.ts';
import { machineStateIn, type MachineState } from '../../src/store/machine-state.ts';
import {
  AGENT,
  claimed,
  commitOne,
  LIDAR,
  moduleNamed,
  running,
  upgrade,
} from '../support/claimed.ts';

/** Another process's view of a file: another connection. */
function elsewhere(path: string): MachineState {
  const file = openMachineFile(path);
  onTestFinished(() => file.close());
  return machineStateIn(file);
}

const AT_3 = { at: 3, quarantineUntil: undefined, retryAt: 4 };

describe('the deployed version and the previous one', () => {
  it.each<[string, (string | null | undefined)[], string]>([
    ['nothing was reported', [], 'unknown after nothing'],
    ['a version', ['1.0.0'], '1.0.0 after nothing'],
    ['an address', ['https://a.example/x'], 'https://a.example/x after nothing'],
    ['text that is neither', ['the new one'], 'the new one after nothing'],
    ['nothing deployed', [null], 'none after nothing'],
    ['unknown', [undefined], 'unknown after nothing'],
    ['a first version', [null, '1.0.0'], '1.0.0 after nothing'],
    ['a second version', ['1.0.0', '1.1.0'], '1.1.0 after 1.0.0'],
    ['a third version', ['1.0.0', '1.1.0', '1.2.0'], '1.2.0 after 1.1.0'],
    ['the same version again', ['1.0.0', '1.1.0', '1.1.0'], '1.1.0 after 1.0.0'],
    ['the previous version again', ['1.0.0', '1.1.0', '1.0.0'], '1.0.0 after 1.1.0'],
    ['a version after an address', ['https://a.example/x', '1.0.0'], '1.0.0 after nothing'],
    ['nothing after a version', ['1.0.0', null], 'none after 1.0.0'],
    ['a version after nothing', ['1.0.0', null, '1.1.0'], '1.1.0 after 1.0.0'],
    ['unknown after a version', ['1.0.0', '1.1.0', undefined], 'unknown after 1.0.0'],
    ['the same version after unknown', ['1.0.0', '1.1.0', undefined, '1.1.0'], '1.1.0 after 1.0.0'],
    ['another version after unknown', ['1.0.0', undefined, '1.1.0'], '1.1.0 after 1.0.0'],
    ['nothing after unknown', ['1.0.0', undefined, null], 'none after 1.0.0'],
  ])('%s', (_, reported, expected) => {
    const { state, path } = claimed();
    for (const [at, one] of reported.entries()) state.report(LIDAR, one, at);
    expect([running(state), running(elsewhere(path))]).toEqual([expected, expected]);
  });

  it('are not those of another module under the same name', () => {
    const { state } = claimed();
    const other = moduleNamed('lidar', 'other:lidar');
    state.report(LIDAR, '1.0.0', 1);
    state.report(LIDAR, '1.1.0', 2);
    expect(running(state, other)).toBe('unknown after nothing');
    state.report(other, '2.0.0', 3);
    expect([running(state, other), running(state)]).toEqual([
      '2.0.0 after nothing',
      'unknown after nothing',
    ]);
    state.report(LIDAR, undefined, 4);
    state.report(LIDAR, '1.2.0', 5);
    expect(running(state)).toBe('1.2.0 after nothing');
  });

  it('of a module entry are not those of a subsystem with the same name', () => {
    const { state } = claimed();
    const entry = moduleNamed('platform-agent');
    state.report(AGENT, '1.0.0', 1);
    state.report(entry, '2.0.0', 2);
    const agent = commitOne(state, { target: AGENT });
    const { id } = commitOne(state, { target: entry });
    state.deliver(id, 3);
    expect([running(state, AGENT), running(state, entry)]).toEqual([
      '1.0.0 after nothing',
      '2.0.0 after nothing',
    ]);
    expect(state.memory().open.map(({ action }) => action.id)).toEqual([agent.id, id]);
    expect([AGENT, entry].map((target) => state.memory().of(target).restarts.length)).toEqual([
      0, 1,
    ]);
  });

  it.each([null, '1.0.0'])('are blank until something is reported: %s', (reported) => {
    const { state } = claimed();
    expect(state.memory().isBlank).toBe(true);
    state.report(LIDAR, reported, 1);
    expect(state.memory().isBlank).toBe(false);
  });
});

describe('the memory', () => {
  it.each<[string, (state: MachineState) => unknown, (state: MachineState) => unknown, unknown]>([
    ['a report', (state) => state.report(LIDAR, '1.0.0', 1), running, '1.0.0 after nothing'],
    ['a start', (state) => state.start(5), (state) => state.memory().starts, [5]],
    ['an action', commitOne, (state) => state.memory().open.length, 1],
  ])('contains what another process writes: %s', (_, write, seen, expected) => {
    const { state, path } = claimed();
    const other = elsewhere(path);
    expect([running(state), running(other)]).toEqual([
      'unknown after nothing',
      'unknown after nothing',
    ]);
    write(other);
    expect([seen(state), seen(other)]).toEqual([expected, expected]);
  });

  it('[T115] is of one moment, even if another process writes while it is read', () => {
    const file = claimed();
    file.state.report(LIDAR, '1.0.0', 1);
    const { id } = commitOne(file.state);
    file.state.deliver(id, 2);
    const other = elsewhere(file.path);
    // Deployed versions are read before actions.
    const all: typeof file.sql.all = (statement, ...values) => {
      const isOfActions = statement.includes('FROM actions');
      if (isOfActions) other.acknowledge(id, { kind: 'done' }, AT_3);
      return file.sql.all(statement, ...values);
    };
    const state = machineStateIn({ ...file, sql: { ...file.sql, all } });
    const memory = state.memory();
    const seen = [memory.of(LIDAR).deployed, memory.open.length];
    expect(seen).toMatchObject([{ version: { text: '1.0.0' } }, 1]);
    expect([running(file.state), file.state.memory().open.length]).toEqual([
      '1.1.0 after 1.0.0',
      0,
    ]);
  });

  it('is read again only after a write', () => {
    const { state } = claimed();
    const before = state.memory();
    expect(state.memory()).toBe(before);
    state.start(1);
    expect(state.memory()).not.toBe(before);
  });
});

it('remembers the last ten starts', () => {
  const { state } = claimed();
  for (let at = 20; at > 10; at--) state.start(at);
  expect(state.memory().starts).toEqual([20, 19, 18, 17, 16, 15, 14, 13, 12, 11]);
  state.start(5);
  expect(state.memory().starts).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 5]);
});

describe('the log of a poller', () => {
  const lidar: LoggedDecision = {
    kind: 'module',
    name: 'lidar',
    moduleId: 'acme:lidar',
    constraint: '1.*',
    target: '1.1.0',
    latest: '2.0.0',
    decision: 'hold',
    reason: 'the window is closed',
    until: 100,
  };
  const bare: LoggedDecision = {
    kind: 'subsystem',
    name: 'lidar',
    moduleId: 'platform:agent',
    constraint: undefined,
    target: undefined,
    latest: undefined,
    decision: 'none',
    reason: 'nothing is asked for',
    until: undefined,
  };
  const arm: LoggedDecision = { ...lidar, name: 'arm' };
  const ROUND = { at: 5, trouble: undefined };

  it('contains the last decisions, in their order', () => {
    const { state, path } = claimed();
    state.log([lidar, bare, arm], ROUND);
    const other = elsewhere(path);
    expect(other.decisions()).toEqual([lidar, bare, arm]);
    const changed = { ...lidar, decision: 'stuck' };
    state.log([arm, changed], ROUND);
    expect(other.decisions()).toEqual([arm, changed]);
    state.log([], ROUND);
    expect(other.decisions()).toEqual([]);
  });

  it('writes only the decisions that changed', () => {
    const { state, sql } = claimed();
    const written = () => Number(sql.get('SELECT total_changes() AS changes')?.['changes']);
    const counts = [[lidar, arm], [lidar, arm], [lidar, { ...arm, until: 101 }], [arm]].map(
      (decisions) => {
        const before = written();
        state.log(decisions, ROUND);
        return written() - before;
      },
    );
    // One write is the round, and each row is written again with its checksum.
    expect(counts).toEqual([6, 2, 4, 5]);
  });

  it('names the process and its last round', () => {
    const { state, path } = claimed();
    const other = elsewhere(path);
    const { pid } = process;
    expect(other.poller()).toEqual({ pid, round: undefined });
    state.log([], { at: 5, trouble: 'REGISTRY_TIMEOUT: no answer' });
    expect(other.poller()).toEqual({
      pid,
      round: { at: 5, trouble: 'REGISTRY_TIMEOUT: no answer' },
    });
    state.log([], { at: 6, trouble: undefined });
    expect(other.poller()).toEqual({ pid, round: { at: 6, trouble: undefined } });
  });
});

it('a file that no poller has claimed yet is blank, and can be written', () => {
  const file = openMachineFile(claimed().path.replace('machine.db', 'other.db'));
  onTestFinished(() => file.close());
  const state = machineStateIn(file);
  expect([state.poller(), state.decisions(), state.memory().open, state.memory().starts]).toEqual([
    { pid: undefined, round: undefined },
    [],
    [],
    [],
  ]);
  expect(state.commit([upgrade()], [], 1)).toHaveLength(1);
});

it.each<[string, (readonly [string, string | null | undefined])[], string | undefined]>([
  ['of the only module', [['lidar', '1.0.0']], 'lidar 1.0.0'],
  [
    'of the module that was reported last',
    [
      ['lidar', '1.0.0'],
      ['arm', '2.0.0'],
    ],
    'arm 2.0.0',
  ],
  [
    'before another one was removed',
    [
      ['lidar', '1.0.0'],
      ['arm', '2.0.0'],
      ['arm', null],
    ],
    'lidar 1.0.0',
  ],
  [
    'before another one became unknown',
    [
      ['lidar', '1.0.0'],
      ['arm', '2.0.0'],
      ['arm', undefined],
    ],
    undefined,
  ],
  ['if nothing is deployed', [['lidar', null]], undefined],
])('[D85] the last change is that %s', (_title, reported, expected) => {
  const { state } = claimed();
  for (const [place, [name, version]] of reported.entries())
    state.report(moduleNamed(name), version, place + 1);
  const { lastChange } = state.memory();
  expect(lastChange && `${lastChange.target.name} ${lastChange.version}`).toBe(expected);
});
