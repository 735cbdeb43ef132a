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
    [NEW, REPORTED, 'stable 1.0.0 undecided after 1.1.0 failed', '1.0.0'],
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
      'write stable 1.0.0 failed after 1.1.0 failed, a failed; stop, fail a (machine, none): no port; stopping → backing-off (1 crash)',
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

describe('[D102] a version that takes the place of one that must not run any more', () => {
  const crashes = { times: [1], count: 1 };
  const activate = {
    event: 'activate',
    action: 'b',
    candidate: OLD,
    restorable: undefined,
  } as const;
  const BACK = { ...activate, isBack: true } as const;
  const newer = { ...SERVING, run: NEW, previous: OLD };

  const REFUSED = { ...BACK, isRefused: true } as const;
  const loop = { ...NEW, hasFailed: true } as const;
  const unknown = { ...newer, previous: undefined };

  it.each<[string, Lifecycle, LifecycleEvent, string]>([
    ['crashes', { state: 'backing-off', ...newer, crashes }, activate, '1.1.0'],
    [
      'crashes, and ran alone here',
      { state: 'backing-off', ...unknown, crashes },
      BACK,
      '1.1.0 failed',
    ],
    [
      'crashes, and an operator refuses it',
      { state: 'backing-off', ...newer, crashes },
      REFUSED,
      '1.1.0',
    ],
    [
      'crashes, ran alone, and is refused',
      { state: 'backing-off', ...unknown, crashes },
      REFUSED,
      '',
    ],
    ['works', { state: 'running', since: 0, ...newer }, BACK, '1.1.0'],
    ['works, and ran alone here', { state: 'running', since: 0, ...unknown }, BACK, ''],
    ['crashed some time ago', { state: 'running', since: 0, ...newer, crashes }, activate, ''],
    ['is on hold after it crashed', { state: 'held', ...newer, crashes }, activate, ''],
    ['failed', { state: 'backing-off', ...newer, run: loop, crashes }, activate, '1.1.0 failed'],
    [
      'failed, and the config goes back',
      { state: 'backing-off', ...newer, run: loop, crashes },
      BACK,
      '1.1.0',
    ],
  ])('is compared with one that %s', (_, state, event, failed) => {
    const words = failed === '' ? '' : ` after the failure of ${failed}`;
    expect(after(state, event)).toContain(`write trying 1.0.0 (1)${words};`);
  });

  it('is known if it was up for an hour, whatever ran since', () => {
    const candidate = { ...OLD, isProven: true } as const;
    const state = { state: 'running', since: 0, ...unknown } as const;
    expect(after(state, { ...BACK, candidate })).toContain(
      'write trying 1.0.0 proven (1) after the failure of 1.1.0;',
    );
  });

  it('is started for ever if it fails too', () => {
    const row = { ...FIRST, candidate: OLD, failed: NEW };
    expect(after({ state: 'trying', row, crashes }, { event: 'failed', fault: FAULT })).toBe(
      'write stable 1.0.0 undecided after 1.1.0, a undecided; stop, fail a (undecided, 1.0.0): it crashed; no other version may run here; stopping → backing-off (1 crash)',
    );
  });

  it('leaves nothing in use if the machine cannot start it: it is tried again', () => {
    const row = { ...FIRST, candidate: OLD, failed: NEW };
    const fault = { reason: 'no port', blame: 'machine' } as const;
    expect(after({ state: 'trying', row }, { event: 'failed', fault })).toBe(
      'stop; stopping → failed',
    );
  });
});

describe('[D103] the first run of a release fails', () => {
  const event = { event: 'unprepared', action: 'b', fault: FAULT } as const;
  const crashes = { times: [1], count: 1 };
  const failed =
    'fail b (undecided, 1.0.0): it crashed; 1.0.0, which is in use, does not stay up either';

  it.each<[Lifecycle, string | undefined]>([
    [
      { state: 'backing-off', ...SERVING, crashes },
      `mark 1.0.0 undecided; start 1.0.0, ${failed}; starting 1.0.0`,
    ],
    [{ state: 'starting', ...SERVING, crashes }, `mark 1.0.0 undecided; ${failed}; starting 1.0.0`],
    [
      { state: 'stopping', after: { to: 'backing-off', ...SERVING, crashes } },
      `mark 1.0.0 undecided; ${failed}; stopping → backing-off (1 crash)`,
    ],
    [{ state: 'starting', ...SERVING }, undefined],
    [{ state: 'stopping', after: { to: 'starting', ...SERVING } }, undefined],
    [{ state: 'running', since: 0, ...SERVING }, undefined],
    [{ state: 'idle' }, undefined],
  ])('while the version in use is %j', (state, expected) => {
    expect(after(state, event)).toBe(expected);
  });
});

describe('[D105] an entry is renamed', () => {
  const activate = {
    event: 'activate',
    action: 'b',
    candidate: NEW,
    restorable: undefined,
  } as const;

  it.each([
    [{ ...NEW, isUndecided: true } as const, ' after the failure of 1.1.0'],
    [NEW, ''],
    [undefined, ''],
  ])('while %j is in use: what is undecided stays so', (inherited, failed) => {
    expect(after({ state: 'idle' }, { ...activate, inherited })).toBe(
      `write trying 1.1.0 (1)${failed}; start 1.1.0; trying 1.1.0`,
    );
  });

  it('and the version fails: it is the only one, and is started for ever', () => {
    const row = { ...FIRST, failed: NEW };
    expect(after({ state: 'trying', row }, { event: 'failed', fault: FAULT })).toBe(
      'write stable 1.1.0 undecided, a undecided; stop, fail a (undecided, 1.1.0): it crashed; no other version may run here; stopping → backing-off (1 crash)',
    );
  });
});

describe('[D106] a version is started again although its crash loop was reported', () => {
  it('because no other one may run: it is not reported again', () => {
    const run = { ...OLD, hasFailed: true } as const;
    const crashes = { times: [1, 2, 3, 4, 5], count: 10, reportedAt: 5 };
    expect(after({ state: 'starting', ...SERVING, run, crashes }, failed)).toBe(
      'stop; stopping → backing-off (11 crashes)',
    );
  });

  const failed = { event: 'failed', fault: FAULT } as const;
  const times = [1, 2, 3, 4, 5];

  it('because the one before it failed: its wait goes on growing', () => {
    const row = { ...FIRST, failed: { ...OLD, hasFailed: true } as const };
    const state = { state: 'trying', row, crashes: { times, count: 7, reportedAt: 5 } } as const;
    expect(after(state, failed)).toContain('stopping → backing-off (7 crashes)');
  });

  it.each([
    [7, false],
    [8, false],
    [9, true],
    [10, true],
  ])('and crashes after %i more: reported after five more, %s', (count, isReported) => {
    const crashes = { times, count, reportedAt: 5 };
    const words = after({ state: 'starting', ...SERVING, crashes }, failed);
    expect(words?.includes('report 1.0.0')).toBe(isReported);
  });
});

/** What an event leads to, in words; undefined if it means nothing. */
function after(state: Lifecycle, event: LifecycleEvent): string | undefined {
  const result = step(state, event, { now: 5000, random: 0, probationMs: 30_000 });
  return result && stepInWords(result);
}
