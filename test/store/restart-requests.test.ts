import { describe, expect, it } from 'vitest';
import type { ActionOutcome, CommittedAction } from '../../src/store/index.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { claimed, commitOne, LIDAR, moduleNamed, running } from '../support/claimed.ts';

type Failed = Extract<ActionOutcome, { kind: 'failed' }>;

const REQUEST = { requestedAt: 3, isImmediate: true };
const OPEN = { request: REQUEST, failure: undefined };
const DONE: ActionOutcome = { kind: 'done' };
const RELEASE: Failed = { kind: 'failed', blame: 'release', reason: 'it hangs', running: '1.0.0' };
const MACHINE: Failed = { ...RELEASE, blame: 'machine', reason: 'no power' };
const TERMS = { at: 7, quarantineUntil: 100, retryAt: 50 };
const RESTART = {
  from: '1.0.0',
  to: '1.0.0',
  direction: 'restart',
  reason: { kind: 'request', ...REQUEST, text: 'an operator requested an immediate restart' },
} as const;

/** A machine with 1.0.0 whose restart is requested and whose action was delivered. */
function requested(more: Parameters<typeof commitOne>[1] = RESTART): {
  readonly state: MachineState;
  readonly action: CommittedAction;
} {
  const { state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  state.requestRestart(LIDAR, REQUEST);
  const action = commitOne(state, more);
  state.deliver(action.id, 5);
  return { state, action };
}

function requestIn(state: MachineState): unknown {
  const { restartRequest } = state.memory().of(LIDAR);
  return restartRequest && { request: restartRequest.request, failure: restartRequest.failure };
}

describe('[D41] the request of a restart', () => {
  it.each<[string, ActionOutcome, unknown, string]>([
    ['ends once the restart is done', DONE, undefined, '1.0.0 after nothing'],
    [
      'ends if the restart fails, with the reason',
      RELEASE,
      { request: REQUEST, failure: 'it hangs' },
      '1.0.0 after nothing',
    ],
    [
      'ends if the restart fails and nothing runs',
      { ...RELEASE, running: null },
      { request: REQUEST, failure: 'it hangs' },
      'none after 1.0.0',
    ],
    ['stays if the machine failed the restart', MACHINE, OPEN, '1.0.0 after nothing'],
  ])('%s', (_, outcome, left, deployed) => {
    const { state, action } = requested();
    state.acknowledge(action.id, outcome, TERMS);
    expect(requestIn(state)).toEqual(left);
    expect(running(state)).toBe(deployed);
    // The version may still be selected, and nothing has to be recovered from.
    expect(state.memory().quarantine).toEqual([]);
    expect(state.memory().of(LIDAR).failed).toBeUndefined();
  });

  it.each<[string, ActionOutcome, unknown]>([
    ['ends if a replacement is done', DONE, undefined],
    ['ends if a replacement fails, because that too restarts', RELEASE, undefined],
    ['stays if the machine failed the replacement', MACHINE, OPEN],
  ])('%s', (_, outcome, left) => {
    const { state, action } = requested({});
    state.acknowledge(action.id, outcome, TERMS);
    expect(requestIn(state)).toEqual(left);
  });

  it('ends if the release is reported as failed during the restart', () => {
    const { state, action } = requested();
    const failure = { version: '1.0.0', reason: 'it hangs', running: null };
    expect(state.reportFailure(LIDAR, failure, TERMS)).toBe(action.id);
    expect(requestIn(state)).toBeUndefined();
    expect(state.memory().quarantine).toMatchObject([{ version: '1.0.0' }]);
  });

  it('is replaced by a later one, also after its restart failed', () => {
    const { state, action } = requested();
    state.acknowledge(action.id, RELEASE, TERMS);
    const later = { requestedAt: 9, isImmediate: false };
    state.requestRestart(LIDAR, later);
    expect(requestIn(state)).toEqual({ request: later, failure: undefined });
  });

  it('can be withdrawn until its restart is delivered', () => {
    const { state } = claimed();
    state.requestRestart(LIDAR, REQUEST);
    const action = commitOne(state, RESTART);
    expect(state.cancelRestart(LIDAR)).toBe(true);
    expect([requestIn(state), state.cancelRestart(LIDAR)]).toEqual([undefined, false]);
    state.requestRestart(LIDAR, REQUEST);
    state.deliver(action.id, 5);
    expect([state.cancelRestart(LIDAR), requestIn(state)]).toEqual([false, OPEN]);
  });

  it('can be withdrawn while a replacement is delivered, and not after its restart failed', () => {
    const { state, action } = requested({});
    expect([state.cancelRestart(LIDAR), requestIn(state)]).toEqual([true, undefined]);
    state.acknowledge(action.id, DONE, TERMS);
    state.requestRestart(LIDAR, REQUEST);
    const restart = commitOne(state, RESTART);
    state.deliver(restart.id, 8);
    state.acknowledge(restart.id, RELEASE, TERMS);
    expect(state.cancelRestart(LIDAR)).toBe(false);
  });

  it('does not apply to another module under the same name', () => {
    const { state } = requested();
    const other = moduleNamed('lidar', 'acme:other');
    expect(state.memory().of(other).restartRequest).toBeUndefined();
  });
});

describe('[D41] a restart that was delivered', () => {
  it('counts neither for the cooldown nor for the ceiling', () => {
    const { state } = requested();
    expect(state.memory().of(LIDAR).restarts).toEqual([]);
  });

  it('leaves the deployed version known if it is withdrawn, and its request open', () => {
    const { state, action } = requested();
    state.withdraw(action, 6);
    expect([running(state), state.memory().open]).toEqual(['1.0.0 after nothing', []]);
    expect(requestIn(state)).toEqual(OPEN);
    expect(state.acknowledge(action.id, RELEASE, TERMS)).toBeUndefined();
    expect(requestIn(state)).toEqual(OPEN);
  });
});
