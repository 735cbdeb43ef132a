import { describe, expect, it } from 'vitest';
import type { ActionOutcome, ClaimedFile, CommittedAction } from '../../src/store/index.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { ARM, claimed, commitOne, LIDAR, running, upgrade } from '../support/claimed.ts';

type Failed = Extract<ActionOutcome, { kind: 'failed' }>;

const DONE: ActionOutcome = { kind: 'done' };
const RELEASE: Failed = { kind: 'failed', blame: 'release', reason: 'it is hot', running: '1.0.0' };
const MACHINE: Failed = { ...RELEASE, blame: 'machine', reason: 'no power' };
const TERMS = { at: 7, quarantineUntil: 100, retryAt: 50 };

/** A machine that had 1.0.0, and whose upgrade to 1.1.0 was delivered and withdrawn. */
function withdrawn(): Pick<ClaimedFile, 'state' | 'database'> & { action: CommittedAction } {
  const { state, database } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  const action = commitOne(state);
  state.deliver(action.id, 5);
  state.withdraw(action, 6);
  return { state, database, action };
}

function quarantined(state: MachineState): string[] {
  return state.memory().quarantine.map(({ version }) => version);
}

it('a withdrawn action is closed, and its deployed version is unknown', () => {
  const { state, action } = withdrawn();
  expect([running(state), state.memory().open]).toEqual(['unknown after nothing', []]);
  expect(
    state
      .memory()
      .of(LIDAR)
      .restarts.map(({ at }) => at),
  ).toEqual([5]);
  expect(state.deliver(action.id, 7)).toBe(false);
  expect(commitOne(state).to).toBe('1.1.0');
});

it('[D72] an action that is taken back waits again: it is no restart, and its deployed version stays known', () => {
  const { state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  const action = commitOne(state);
  state.deliver(action.id, 5);
  state.takeBack(action.id, 6);
  const { open } = state.memory();
  expect([running(state), state.memory().of(LIDAR).restarts]).toEqual(['1.0.0 after nothing', []]);
  expect(open).toMatchObject([{ action: { id: action.id }, state: 'waiting', deliveries: 1 }]);
  // What waits, and what has ended, cannot be taken back.
  state.takeBack(action.id, 7);
  state.deliver(action.id, 8);
  state.acknowledge(action.id, DONE, TERMS);
  state.takeBack(action.id, 9);
  expect([running(state), state.memory().open]).toEqual(['1.1.0 after 1.0.0', []]);
  expect(state.memory().of(LIDAR).restarts).toHaveLength(1);
});

it('an acknowledged action cannot be withdrawn', () => {
  const { state } = claimed();
  const action = commitOne(state);
  state.deliver(action.id, 5);
  state.acknowledge(action.id, DONE, TERMS);
  state.withdraw(action, 8);
  expect(running(state)).toBe('1.1.0 after nothing');
});

describe('a late acknowledgement of a withdrawn action', () => {
  const rows: [string, ActionOutcome, string, string[]][] = [
    ['done', DONE, '1.1.0 after 1.0.0', []],
    ['failed because of the release', RELEASE, '1.0.0 after nothing', ['1.1.0']],
    [
      'failed, and the new version is deployed',
      { ...RELEASE, running: '1.1.0' },
      '1.1.0 after 1.0.0',
      ['1.1.0'],
    ],
    ['failed because of the machine', MACHINE, '1.0.0 after nothing', []],
    [
      'failed because of the machine, and the version is unknown',
      { ...MACHINE, running: undefined },
      'unknown after nothing',
      [],
    ],
  ];

  it.each(rows)('sets the deployed version, once: %s', (_, outcome, deployed, failed) => {
    const { state, action } = withdrawn();
    expect(state.acknowledge(action.id, outcome, TERMS)).toEqual(upgrade());
    const after = [running(state), quarantined(state), state.memory().open];
    expect(after).toEqual([deployed, failed, []]);
    expect(state.deliver(action.id, 60)).toBe(false);
    expect(state.acknowledge(action.id, { ...RELEASE, running: '3.0.0' }, TERMS)).toBeUndefined();
    expect([running(state), quarantined(state), state.memory().open]).toEqual(after);
  });

  it.each(rows)('is ignored if the deployed version was reported since: %s', (_, outcome) => {
    const { state, action } = withdrawn();
    state.report(LIDAR, '1.2.0', 6);
    expect(state.acknowledge(action.id, outcome, TERMS)).toBeUndefined();
    expect([running(state), quarantined(state)]).toEqual(['1.2.0 after 1.0.0', []]);
  });

  it('is ignored if the record of the deployed version is missing', () => {
    const { state, action, database } = withdrawn();
    database.exec('DELETE FROM deployed');
    state.report(ARM, '1.0.0', 6);
    expect(state.acknowledge(action.id, DONE, TERMS)).toBeUndefined();
    expect(running(state)).toBe('unknown after nothing');
  });

  it('that blames the machine removes the restart', () => {
    const { state, action } = withdrawn();
    state.acknowledge(action.id, MACHINE, TERMS);
    expect(state.memory().of(LIDAR).restarts).toEqual([]);
  });

  it('is accepted even if a commit with an earlier memory supersedes the action', () => {
    const { state } = claimed();
    const action = commitOne(state);
    state.deliver(action.id, 5);
    const seen = state.memory().open;
    state.withdraw(action, 6);
    expect(state.commit([], seen, 7)).toEqual([]);
    expect(state.acknowledge(action.id, DONE, TERMS)).toEqual(upgrade());
  });

  it.each([
    [999, '1.1.0 after 1.0.0'],
    [1000, 'unknown after nothing'],
  ])('is accepted until a thousand actions follow: after %i, %s', (others, deployed) => {
    const { state, database } = claimed();
    // A thousand commits that wait for the disk would take too long.
    database.exec('PRAGMA synchronous = OFF');
    const arm = commitOne(state, { target: ARM });
    state.report(LIDAR, '1.0.0', 1);
    const action = commitOne(state);
    state.deliver(action.id, 5);
    state.withdraw(action, 6);
    for (let count = 0; count < others; count++) {
      const [, ...waiting] = state.memory().open;
      state.commit([upgrade()], waiting, 7);
    }
    state.acknowledge(action.id, DONE, TERMS);
    expect(running(state)).toBe(deployed);
    // An open action is kept however old it is.
    expect(state.deliver(arm.id, 8)).toBe(true);
  });
});
