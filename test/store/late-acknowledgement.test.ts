import { describe, expect, it } from 'vitest';
import type { CommittedAction, ActionOutcome } from '../../src/store/index.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { ARM, claimed, commitOne, LIDAR, running, upgrade } from '../support/claimed.ts';

type Failed = Extract<ActionOutcome, { kind: 'failed' }>;

const DONE: ActionOutcome = { kind: 'done' };
const RELEASE: Failed = { kind: 'failed', blame: 'release', reason: 'it is hot', running: '1.0.0' };
const MACHINE: Failed = { ...RELEASE, blame: 'machine', reason: 'no power' };
const TERMS = { at: 7, quarantineUntil: 100, retryAt: 50 };

/** A machine that ran 1.0.0, and whose upgrade to 1.1.0 was delivered and withdrawn. */
function withdrawn(): { state: MachineState; action: CommittedAction } {
  const { state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  const action = commitOne(state);
  state.deliver(action.id, 5);
  state.withdraw(action, 6);
  return { state, action };
}

function quarantined(state: MachineState): string[] {
  return state.memory().quarantine.map(({ version }) => version);
}

it('what is withdrawn is over, and nobody knows what runs', () => {
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

it('what is over is not withdrawn any more', () => {
  const { state } = claimed();
  const action = commitOne(state);
  state.deliver(action.id, 5);
  state.acknowledge(action.id, DONE, TERMS);
  state.withdraw(action, 8);
  expect(running(state)).toBe('1.1.0 after nothing');
});

describe('a late acknowledgement of what was withdrawn', () => {
  const rows: [string, ActionOutcome, string, string[]][] = [
    ['done', DONE, '1.1.0 after 1.0.0', []],
    ['failed by the release', RELEASE, '1.0.0 after nothing', ['1.1.0']],
    [
      'failed, and the new one runs',
      { ...RELEASE, running: '1.1.0' },
      '1.1.0 after 1.0.0',
      ['1.1.0'],
    ],
    ['failed by the machine', MACHINE, '1.0.0 after nothing', []],
    [
      'failed by the machine, and nobody knows',
      { ...MACHINE, running: undefined },
      'unknown after nothing',
      [],
    ],
  ];

  it.each(rows)('says what runs, once: %s', (_, outcome, runs, failed) => {
    const { state, action } = withdrawn();
    expect(state.acknowledge(action.id, outcome, TERMS)).toEqual(upgrade());
    const after = [running(state), quarantined(state), state.memory().open];
    expect(after).toEqual([runs, failed, []]);
    expect(state.deliver(action.id, 60)).toBe(false);
    expect(state.acknowledge(action.id, { ...RELEASE, running: '3.0.0' }, TERMS)).toBeUndefined();
    expect([running(state), quarantined(state), state.memory().open]).toEqual(after);
  });

  it.each(rows)('is none where somebody else said so since: %s', (_, outcome) => {
    const { state, action } = withdrawn();
    state.report(LIDAR, '1.2.0', 6);
    expect(state.acknowledge(action.id, outcome, TERMS)).toBeUndefined();
    expect([running(state), quarantined(state)]).toEqual(['1.2.0 after 1.0.0', []]);
  });

  it('that blames the machine says that there was no restart', () => {
    const { state, action } = withdrawn();
    state.acknowledge(action.id, MACHINE, TERMS);
    expect(state.memory().of(LIDAR).restarts).toEqual([]);
  });

  it('is understood though somebody who saw it open supersedes it', () => {
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
  ])('is understood until a thousand came after, and after %i: %s', (others, runs) => {
    const { state, database } = claimed();
    // A thousand times the disk would take its time.
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
    expect(running(state)).toBe(runs);
    // What is open is kept however old it is.
    expect(state.deliver(arm.id, 8)).toBe(true);
  });
});
