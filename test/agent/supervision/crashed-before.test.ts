import { describe, expect, it } from 'vitest';
import type { Lifecycle, LifecycleEvent } from '../../../src/agent/supervision/lifecycle.ts';
import { step } from '../../../src/agent/supervision/transitions.ts';
import type { Installed } from '../../../src/core/machine/activation.ts';
import { stepInWords } from '../support/step-words.ts';

const OLD = { version: '1.0.0', root: '/p/1.0.0' };
const NEW = { version: '1.1.0', root: '/p/1.1.0' };
const FAULT = { reason: 'it crashed', blame: 'release' } as const;
const SERVING = { run: OLD, previous: undefined, crashes: { times: [], count: 0 } };
const AROUND = { now: 5000, random: 0, probationMs: 30_000 };
const FIRST = {
  phase: 'trying',
  action: 'a',
  candidate: NEW,
  previous: undefined,
  attempts: 1,
} as const;

describe('[D120] a version is undecided, and another one takes its place, after which it must not run any more', () => {
  const run = { ...OLD, isUndecided: true } as const;
  const serving = { ...SERVING, run };
  const event = { event: 'activate', action: 'b', candidate: NEW, restorable: undefined } as const;

  it.each<[string, Lifecycle]>([
    ['the agent has just started', { state: 'starting', ...serving }],
    ['it has been up for less than its probation', { state: 'running', since: 0, ...serving }],
    ['it waits for another module', { state: 'held', ...serving }],
    ['it is ending for another module', { state: 'stopping', after: { to: 'held', ...serving } }],
  ])('while %s: it is compared with the other one', (_, state) => {
    expect(after(state, event)).toContain(
      'write trying 1.1.0 (1) after the failure of 1.0.0 failed undecided;',
    );
  });

  it('unless an operator refuses it', () => {
    const refused = { ...event, isBack: true, isRefused: true } as const;
    expect(after({ state: 'starting', ...serving }, refused)).toBe(
      'write trying 1.1.0 (1); stop; stopping → trying',
    );
  });

  it('and is started again for ever if that fails too', () => {
    const row = { ...FIRST, failed: { ...run, hasFailed: true } as const };
    expect(after({ state: 'trying', row }, { event: 'failed', fault: FAULT })).toBe(
      'write stable 1.0.0 undecided after 1.1.0 failed, a undecided; stop, fail a (undecided, 1.0.0): it crashed; 1.0.0 failed before it; stopping → backing-off (1 crash)',
    );
  });
});

describe('[D121] a version that the machine could not start is tried again', () => {
  const FAILING = { ...OLD, hasFailed: true } as const;
  const fault = { reason: 'no port', blame: 'machine' } as const;
  const again = { event: 'activate', action: 'b', candidate: NEW, restorable: undefined } as const;

  it.each<[Installed, Installed]>([
    [NEW, { ...NEW, hasFailed: true }],
    [
      { ...NEW, isProven: true },
      { ...NEW, isProven: true },
    ],
  ])('%j did not work here because it was tried', (candidate, previous) => {
    const row = { ...FIRST, candidate, failed: FAILING };
    const result = step({ state: 'trying', row }, { event: 'failed', fault }, AROUND);
    expect(result?.row).toMatchObject({ phase: 'stable', current: FAILING });
    expect(result?.row).toHaveProperty('previous', previous);
  });

  it('and is no version that worked here: if it fails, the one that crashes is started for ever', () => {
    const crashes = { times: [1], count: 1 };
    const previous = { ...NEW, hasFailed: true } as const;
    const state = { state: 'backing-off', run: OLD, previous, crashes } as const;
    expect(after(state, again)).toBe(
      'write trying 1.1.0 (1) after the failure of 1.0.0 failed; start 1.1.0; trying 1.1.0',
    );
  });
});

describe('[D121] a version in use is undecided, and the machine starts neither a release nor that version', () => {
  const previous = { ...OLD, isUndecided: true } as const;
  const fault = { reason: 'no port', blame: 'machine' } as const;

  it('keeps it undecided', () => {
    const row = { phase: 'rolling-back', action: 'a', candidate: NEW, previous, fault } as const;
    expect(after({ state: 'rolling-back', row }, { event: 'failed', fault })).toBe(
      'write stable 1.0.0 undecided, a failed; stop, fail a (machine, none): no port; 1.0.0 does not start either: no port; stopping → backing-off (1 crash)',
    );
  });

  it('if it is tried again and fails, it is started for ever', () => {
    const serving = { ...SERVING, run: previous };
    const event = { event: 'activate', action: 'b', candidate: OLD, restorable: NEW.root } as const;
    const tried = step({ state: 'backing-off', ...serving }, event, AROUND);
    expect(tried && stepInWords(tried)).toBe(
      'write trying 1.0.0 (1) after the failure of 1.0.0 failed undecided; start 1.0.0; trying 1.0.0',
    );
    expect(tried && after(tried.next, { event: 'failed', fault: FAULT })).toBe(
      'write stable 1.0.0 undecided, b undecided; stop, fail b (undecided, 1.0.0): it crashed; 1.0.0 failed before it; stopping → backing-off',
    );
  });
});

describe('[T440] a version that crashed was up for ten minutes, and then', () => {
  const crashes = { times: [1, 2, 3], count: 3 };
  const MINUTES_10 = 600_000;

  it.each<[string, LifecycleEvent]>([
    ['another action holds it', { event: 'hold' }],
    ['an operator requests its restart', { event: 'restart', action: 'r' }],
  ])('%s: its crashes no longer count', (_, event) => {
    const upFor = (ms: number): unknown => {
      const state = { state: 'running', since: 5000 - ms, ...SERVING, crashes } as const;
      return step(state, event, AROUND)?.next;
    };
    expect(upFor(MINUTES_10 - 1)).toMatchObject({ after: { crashes } });
    expect(upFor(MINUTES_10)).toMatchObject({ after: { crashes: { times: [], count: 0 } } });
  });

  it('another version is tried in its place: a wait for it begins anew', () => {
    const state = { state: 'running', since: 5000 - MINUTES_10, ...SERVING, crashes } as const;
    const event = {
      event: 'activate',
      action: 'b',
      candidate: NEW,
      restorable: undefined,
    } as const;
    expect(step(state, event, AROUND)?.next).toMatchObject({
      after: { to: 'trying', crashes: { count: 0 } },
    });
  });
});

/** What an event leads to, in words; undefined if it means nothing. */
function after(state: Lifecycle, event: LifecycleEvent): string | undefined {
  const result = step(state, event, AROUND);
  return result && stepInWords(result);
}
