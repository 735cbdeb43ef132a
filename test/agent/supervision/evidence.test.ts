import { describe, expect, it } from 'vitest';
import type { Lifecycle, LifecycleEvent } from '../../../src/agent/supervision/lifecycle.ts';
import { step } from '../../../src/agent/supervision/transitions.ts';
import { stepInWords } from '../support/step-words.ts';

const OLD = { version: '1.0.0', root: '/p/1.0.0' };
const NEW = { version: '1.1.0', root: '/p/1.1.0' };
const NEWER = { version: '1.2.0', root: '/p/1.2.0' };
const FAULT = { reason: 'it crashed', blame: 'release' } as const;
const SERVING = { run: OLD, previous: undefined, crashes: { times: [], count: 0 } };
const FIRST = {
  phase: 'trying',
  action: 'a',
  candidate: NEW,
  previous: undefined,
  attempts: 1,
} as const;

describe('[D80] what fails together', () => {
  const REPORTED = { ...OLD, hasFailed: true } as const;
  const loop = { times: [1, 2, 3, 4], count: 4 };
  const failed = { event: 'failed', fault: FAULT } as const;

  it('a crash loop is remembered, because the version in its place may fail as well', () => {
    expect(after({ state: 'starting', ...SERVING, crashes: loop }, failed)).toBe(
      'mark 1.0.0 failed; stop, report 1.0.0 (release, none): it crashed; stopping → backing-off (5 crashes)',
    );
  });

  it.each([
    [OLD, 'write trying 1.2.0 (1)'],
    [REPORTED, 'write trying 1.2.0 (1) after the failure of 1.0.0 failed'],
  ])(
    '%j that must not be started again is compared with its successor if it failed',
    (run, row) => {
      const event = { event: 'activate', action: 'b', candidate: NEWER } as const;
      const state = { state: 'backing-off', ...SERVING, run } as const;
      expect(after(state, { ...event, restorable: undefined })).toBe(
        `${row}; start 1.2.0; trying 1.2.0`,
      );
    },
  );

  it.each([
    [{ ...NEWER }, 'write trying 1.2.0 (1) after the failure of 1.0.0 failed'],
    [
      { ...NEWER, isProven: true } as const,
      'write trying 1.2.0 proven (1) after the failure of 1.0.0 failed',
    ],
  ])('what was proven before stays so: %j', (previous, row) => {
    const event = { event: 'activate', action: 'b', candidate: NEWER } as const;
    const state = { state: 'backing-off', ...SERVING, run: REPORTED, previous } as const;
    expect(after(state, { ...event, restorable: undefined })).toBe(
      `${row}; start 1.2.0; trying 1.2.0`,
    );
  });

  it.each([
    [NEW, REPORTED, 'stable 1.0.0 undecided after 1.1.0', '1.0.0'],
    [
      { ...NEW, isProven: true } as const,
      REPORTED,
      'stable 1.1.0 proven undecided after 1.0.0 failed',
      '1.1.0',
    ],
    [
      { ...NEW, isProven: true } as const,
      { ...REPORTED, isProven: true } as const,
      'stable 1.0.0 proven undecided after 1.1.0 proven',
      '1.0.0',
    ],
  ])('%j and then %j: the proven one is started again', (candidate, before, row, running) => {
    const state = { state: 'trying', row: { ...FIRST, candidate, failed: before } } as const;
    expect(after(state, failed)).toBe(
      `write ${row}, a undecided; stop, fail a (undecided, ${running}): it crashed; 1.0.0 failed before it; stopping → backing-off (1 crash)`,
    );
  });

  it('what the machine cannot start is no evidence, and what failed before it is started meanwhile', () => {
    const row = { ...FIRST, failed: REPORTED };
    const fault = { reason: 'no port', blame: 'machine' } as const;
    expect(after({ state: 'trying', row }, { event: 'failed', fault })).toBe(
      'write stable 1.0.0 failed after 1.1.0, a failed; stop, fail a (machine, none): no port; stopping → backing-off (1 crash)',
    );
  });

  it('a version whose predecessor failed ends with a crash loop: the earlier failure is undecided', () => {
    const state = { state: 'starting', ...SERVING, crashes: loop, failed: NEW } as const;
    expect(after(state, failed)).toBe(
      'mark 1.0.0 undecided; stop, report 1.1.0 (undecided, 1.0.0): 1.0.0, which ran in its place, does not stay up either: it crashed; stopping → backing-off (5 crashes)',
    );
  });

  it('a version that is undecided is started again for ever, and not reported', () => {
    const run = { ...OLD, isUndecided: true } as const;
    expect(after({ state: 'starting', ...SERVING, run, crashes: loop }, failed)).toBe(
      'stop; stopping → backing-off (5 crashes)',
    );
  });

  it.each([
    [29_999, 'mark 1.0.0 undecided after the failure of 1.1.0; wait 1; running 1.0.0'],
    [30_000, 'mark 1.0.0 after the failure of 1.1.0; 1.0.0 works, wait 570000; running 1.0.0'],
    [600_000, 'mark 1.0.0; 1.0.0 works, wait 3000000; running 1.0.0'],
    [3_600_000, 'mark 1.0.0 proven; 1.0.0 works and is proven; running 1.0.0'],
  ])('up for %i ms: %s', (now, expected) => {
    const run = { ...OLD, isUndecided: true } as const;
    const state = { state: 'running', since: 0, ...SERVING, run, failed: NEW } as const;
    const result = step(state, { event: 'waited' }, { now, random: 0, probationMs: 30_000 });
    expect(result && stepInWords(result)).toBe(expected);
  });

  it('ten minutes without an end clear a crash loop', () => {
    const state = { state: 'running', since: 0, ...SERVING, run: REPORTED } as const;
    const around = { now: 600_000, random: 0, probationMs: 30_000 };
    const result = step(state, { event: 'waited' }, around);
    expect(result && stepInWords(result)).toBe('mark 1.0.0; wait 3000000; running 1.0.0');
  });
});

describe('[A4] a restart on request whose start fails', () => {
  const restarting = { state: 'starting', ...SERVING, restart: 'r' } as const;
  const failed = { event: 'failed', fault: FAULT } as const;

  it('is a crash of the version in use, which is started again', () => {
    expect(after(restarting, failed)).toBe(
      'stop, fail r (release, 1.0.0): it crashed; stopping → backing-off (1 crash)',
    );
  });

  it('is reported if it is the fifth crash', () => {
    const crashes = { times: [1, 2, 3, 4], count: 4 };
    expect(after({ ...restarting, crashes }, failed)).toBe(
      'mark 1.0.0 failed; stop, fail r (release, 1.0.0): it crashed, report 1.0.0 (release, none): it crashed; stopping → backing-off (5 crashes)',
    );
  });
});

/** What an event leads to, in words; undefined if it means nothing. */
function after(state: Lifecycle, event: LifecycleEvent): string | undefined {
  const result = step(state, event, { now: 5000, random: 0, probationMs: 30_000 });
  return result && stepInWords(result);
}
