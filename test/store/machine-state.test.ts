import { describe, expect, it, onTestFinished } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
import type { LoggedDecision } from '../../src/core/plan/logged-decisions.ts';
import { machineStateIn, type MachineState } from '../../src/store/machine-state.ts';
import { moduleId, version } from '../support/ask.ts';
import {
  AGENT,
  ARM,
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

function quarantined(state: MachineState): string[] {
  return state.memory().quarantine.map((entry) => `${entry.moduleId} ${entry.version}`);
}

describe('what runs, and what ran before', () => {
  it.each<[string, (string | null | undefined)[], string]>([
    ['nothing was reported', [], 'unknown after nothing'],
    ['a version', ['1.0.0'], '1.0.0 after nothing'],
    ['an address', ['https://a.example/x'], 'https://a.example/x after nothing'],
    ['text that is neither', ['the new one'], 'the new one after nothing'],
    ['nothing runs', [null], 'none after nothing'],
    ['nobody knows', [undefined], 'unknown after nothing'],
    ['a first version', [null, '1.0.0'], '1.0.0 after nothing'],
    ['a second version', ['1.0.0', '1.1.0'], '1.1.0 after 1.0.0'],
    ['a third version', ['1.0.0', '1.1.0', '1.2.0'], '1.2.0 after 1.1.0'],
    ['the same again', ['1.0.0', '1.1.0', '1.1.0'], '1.1.0 after 1.0.0'],
    ['the one before', ['1.0.0', '1.1.0', '1.0.0'], '1.0.0 after 1.1.0'],
    ['what followed an address', ['https://a.example/x', '1.0.0'], '1.0.0 after nothing'],
    ['nothing any more', ['1.0.0', null], 'none after 1.0.0'],
    ['one again after nothing', ['1.0.0', null, '1.1.0'], '1.1.0 after 1.0.0'],
    ['not known any more', ['1.0.0', '1.1.0', undefined], 'unknown after 1.0.0'],
    ['known again', ['1.0.0', '1.1.0', undefined, '1.1.0'], '1.1.0 after 1.0.0'],
    ['another one after not known', ['1.0.0', undefined, '1.1.0'], '1.1.0 after 1.0.0'],
    ['nothing after not known', ['1.0.0', undefined, null], 'none after 1.0.0'],
  ])('%s', (_, reported, expected) => {
    const { state, path } = claimed();
    for (const [at, one] of reported.entries()) state.report(LIDAR, one, at);
    expect([running(state), running(elsewhere(path))]).toEqual([expected, expected]);
  });

  it('of another module under the same name says nothing', () => {
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

  it('of a module entry that is named like a subsystem is its own', () => {
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

  it.each([null, '1.0.0'])('is blank until something is reported: %s', (reported) => {
    const { state } = claimed();
    expect(state.memory().isBlank).toBe(true);
    state.report(LIDAR, reported, 1);
    expect(state.memory().isBlank).toBe(false);
  });
});

describe('what another process writes', () => {
  it.each<[string, (state: MachineState) => unknown, (state: MachineState) => unknown, unknown]>([
    ['a report', (state) => state.report(LIDAR, '1.0.0', 1), running, '1.0.0 after nothing'],
    ['a start', (state) => state.start(5), (state) => state.memory().starts, [5]],
    ['an action', commitOne, (state) => state.memory().open.length, 1],
  ])('is seen: %s', (_, write, seen, expected) => {
    const { state, path } = claimed();
    const other = elsewhere(path);
    expect([running(state), running(other)]).toEqual([
      'unknown after nothing',
      'unknown after nothing',
    ]);
    write(other);
    expect([seen(state), seen(other)]).toEqual([expected, expected]);
  });

  it('and nothing is read again where nobody wrote', () => {
    const { state } = claimed();
    const before = state.memory();
    expect(state.memory()).toBe(before);
    state.start(1);
    expect(state.memory()).not.toBe(before);
  });
});

describe('rolling back', () => {
  it.each<[string, (string | null | undefined)[], boolean]>([
    ['what runs', ['1.0.0', '1.1.0'], true],
    ['what ran before', ['1.1.0', '1.0.0'], false],
    ['another build of what runs', ['1.1.0+b'], false],
    ['an address', ['https://a.example/x'], false],
    ['where nothing runs', ['1.1.0', null], false],
    ['where nobody knows what runs', ['1.1.0', undefined], false],
    ['where nothing was reported', [], false],
  ])('%s, %j: %s', (_, reported, isDone) => {
    const { state } = claimed();
    for (const one of reported) state.report(LIDAR, one, 1);
    const rolledBack = { from: version('1.1.0'), to: undefined };
    expect(state.rollBack(LIDAR, rolledBack, 2)).toBe(isDone);
    expect(quarantined(state)).toEqual(isDone ? ['acme:lidar 1.1.0'] : []);
  });

  it.each([version('1.0.0'), undefined])('to %o is a quarantine without an end', (to) => {
    const { state, path } = claimed();
    state.report(LIDAR, '1.1.0', 2);
    state.rollBack(LIDAR, { from: version('1.1.0'), to }, 3);
    const entry = {
      moduleId: moduleId('acme:lidar'),
      version: '1.1.0',
      digest: undefined,
      since: 3,
      until: undefined,
      reason: 'rolled back by an operator',
      rolledBack: { from: version('1.1.0'), to },
    };
    const memory = elsewhere(path).memory();
    expect(memory.quarantine).toEqual([entry]);
    expect([LIDAR, ARM].map((target) => memory.of(target).quarantine)).toEqual([[entry], []]);
    expect(running(state)).toBe('1.1.0 after nothing');
  });

  it('takes the place of an earlier quarantine, and ends with it', () => {
    const { state } = claimed();
    const { id } = commitOne(state);
    state.deliver(id, 1);
    const failed = { kind: 'failed', blame: 'release', running: '1.1.0', reason: 'hot' } as const;
    state.acknowledge(id, failed, { at: 2, quarantineUntil: 100, retryAt: 3 });
    state.rollBack(LIDAR, { from: version('1.1.0'), to: undefined }, 4);
    const [entry] = state.memory().quarantine;
    expect([entry?.since, entry?.until, entry?.digest]).toEqual([4, undefined, undefined]);
  });
});

it('lifts one version of one module from quarantine, once', () => {
  const { state } = claimed();
  for (const target of [LIDAR, ARM]) {
    for (const text of ['1.0.0', '1.1.0']) {
      state.report(target, text, 1);
      state.rollBack(target, { from: version(text), to: undefined }, 1);
    }
  }
  const all = ['acme:arm 1.0.0', 'acme:arm 1.1.0', 'acme:lidar 1.0.0', 'acme:lidar 1.1.0'];
  expect(quarantined(state)).toEqual(all);
  expect(state.lift(moduleId('acme:lidar'), '1.2.0')).toBe(false);
  expect(state.lift(moduleId('acme:lidar'), '1.0.0')).toBe(true);
  expect(state.lift(moduleId('acme:lidar'), '1.0.0')).toBe(false);
  expect(quarantined(state)).toEqual(all.toSpliced(2, 1));
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

  it('has what was decided last, in that order', () => {
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

  it('is written anew only where it is another', () => {
    const { state, sql } = claimed();
    const written = () => Number(sql.get('SELECT total_changes() AS changes')?.['changes']);
    const counts = [[lidar, arm], [lidar, arm], [lidar, { ...arm, until: 101 }], [arm]].map(
      (decisions) => {
        const before = written();
        state.log(decisions, ROUND);
        return written() - before;
      },
    );
    // One is the round.
    expect(counts).toEqual([3, 1, 2, 3]);
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

it('knows nothing of a file before a poller claimed it', () => {
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
