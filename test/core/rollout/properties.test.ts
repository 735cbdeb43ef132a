import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cohort } from '../../../src/core/rollout/cohort.ts';
import { nextStep } from '../../../src/core/rollout/next-step.ts';
import { applyEvent, type Rollout, type RolloutEvent } from '../../../src/core/rollout/rollout.ts';
import { ROLLOUT_POLICY } from '../../../src/core/rollout/rollout-policy.ts';
import { shareFor } from '../../../src/core/rollout/share.ts';
import type { Tally } from '../../../src/core/rollout/tally.ts';
import { rolloutAfter } from '../../support/rollout-after.ts';
import { RUNS } from '../../support/runs.ts';

const HOUR = 3_600_000;
const counts = fc.oneof(fc.nat(5), fc.nat(200));
const failures = fc.record({ failed: fc.nat(3), silent: fc.nat(3) });
const tallies: fc.Arbitrary<Tally> = fc.record({
  waiting: counts,
  installing: fc.nat(5),
  healthy: counts,
  failed: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(20) }),
  silent: fc.nat(3),
  control: fc.record({ heard: fc.constant(100), silent: fc.nat(20) }),
});
const shares = fc.record({
  percent: fc.constantFrom(0, 0.1, 1, 5, 50, 100),
  share: fc.constantFrom(0, 0.001, 0.05, 0.5, 1, -1, 2),
});

/** Events of several writers, of which some do not know the last one. */
const events: fc.Arbitrary<RolloutEvent[]> = fc
  .array(
    fc.record({
      behind: fc.constantFrom(0, 0, 0, 1),
      happening: fc.oneof(
        fc
          .tuple(shares, fc.constantFrom(undefined, ['a'], ['a', 'b', 'c']))
          .map(([to, first]) => Object.assign({ kind: 'started' as const, salt: 's1', first }, to)),
        fc
          .tuple(shares, fc.constantFrom(undefined, 0, 1, 2, 3))
          .map(([to, groups]) => Object.assign({ kind: 'raised' as const, groups }, to)),
        failures.map((seen) => ({ kind: 'halted' as const, because: '', failures: seen })),
        failures.map((acknowledged) => ({ kind: 'resumed' as const, acknowledged })),
        fc.constant({ kind: 'completed' as const }),
        fc.constant({ kind: 'retracted' as const, because: '' }),
      ),
    }),
    { maxLength: 12 },
  )
  .map((steps) => {
    const log: RolloutEvent[] = [];
    for (const [place, { behind, happening }] of steps.entries()) {
      const known = rolloutAfter(log)?.sequence ?? 0;
      const after = Math.max(0, known - behind);
      log.push({ ...happening, sequence: place + 1, after, at: place });
    }
    return log;
  });

/** The states after each event. */
function statesOf(log: readonly RolloutEvent[]): (Rollout | undefined)[] {
  return log.map((_, place) => rolloutAfter(log.slice(0, place + 1)));
}

describe('a rollout, whatever is written to its log', () => {
  it('[D107] never leaves out a group, and has all of them once there is a percentage', () => {
    fc.assert(
      fc.property(events, (log) => {
        const states = statesOf(log);
        for (const [place, after] of states.entries()) {
          if (!after) continue;
          const { first, groups, percent } = after;
          expect(groups).toEqual(first.slice(0, groups.length));
          expect(percent > 0 ? groups : first).toEqual(first);
          expect(groups.length).toBeGreaterThanOrEqual(states[place - 1]?.groups.length ?? 0);
        }
      }),
      RUNS,
    );
  });

  it('D54 never has a lower share, nor another salt', () => {
    fc.assert(
      fc.property(events, (log) => {
        const states = statesOf(log);
        for (const [place, after] of states.entries()) {
          const before = states[place - 1];
          if (!before) continue;
          expect(after?.share).toBeGreaterThanOrEqual(before.share);
          expect(after?.salt).toBe(before.salt);
        }
      }),
      RUNS,
    );
  });

  it('D54 stays halted until it is resumed with all failures that were seen, and ended for ever', () => {
    fc.assert(
      fc.property(events, (log) => {
        const states = statesOf(log);
        const wrong = log.filter((event, place) => {
          const [before, after] = [states[place - 1], states[place]];
          if (before?.status === 'completed' || before?.status === 'retracted') {
            return after !== before && after?.sequence !== before.sequence;
          }
          if (before?.status !== 'halted' || after?.status !== 'running') return false;
          const { failed, silent } = before.seen;
          if (event.kind !== 'resumed') return true;
          return event.acknowledged.failed < failed || event.acknowledged.silent < silent;
        });
        expect(wrong).toEqual([]);
      }),
      RUNS,
    );
  });

  it('D54 accepts one event after each', () => {
    fc.assert(
      fc.property(events, (log) => {
        const accepted: number[] = [];
        let rollout: Rollout | undefined;
        for (const event of log) {
          const applied = applyEvent(rollout, event);
          if (!applied.ok) continue;
          accepted.push(event.after);
          rollout = applied.value;
        }
        expect(new Set(accepted).size).toBe(accepted.length);
        // Without the events that were refused, the state is the same.
        expect(rolloutAfter(log)).toEqual(rollout);
      }),
      RUNS,
    );
  });
});

/** Follows the steps for some tallies, an hour and a half after each other. */
function follow(all: readonly Tally[], cohorts: readonly number[]): RolloutEvent[] {
  const [percent = 0] = ROLLOUT_POLICY.steps;
  const share = shareFor(percent, cohorts);
  const log: RolloutEvent[] = [
    { kind: 'started', salt: 's1', percent, share, sequence: 1, after: 0, at: 0 },
  ];
  for (const [place, tally] of all.entries()) {
    const rollout = rolloutAfter(log);
    if (!rollout) return log;
    const at = (place + 1) * 1.5 * HOUR;
    const step = nextStep(rollout, tally, ROLLOUT_POLICY, at);
    const position = { sequence: rollout.sequence + 1, after: rollout.sequence, at };
    if (step.kind === 'raise') {
      const raised = { percent: step.percent, share: shareFor(step.percent, cohorts) };
      log.push({ kind: 'raised', ...raised, ...position });
    } else if (step.kind === 'halt') {
      log.push({ kind: 'halted', because: '', failures: step.failures, ...position });
    } else if (step.kind === 'complete') log.push({ kind: 'completed', ...position });
  }
  return log;
}

describe('a rollout that follows its steps', () => {
  const inputs = fc.record({
    all: fc.array(tallies, { maxLength: 12 }),
    machines: fc.uniqueArray(fc.string({ maxLength: 6 }), { maxLength: 30 }),
  });

  it('D49, D54 excludes no machine by a step, writes no event that is refused, and can be repeated', () => {
    fc.assert(
      fc.property(inputs, ({ all, machines }) => {
        const cohorts = machines.map((id) => cohort(id, 's1'));
        const log = follow(all, cohorts);
        const states = statesOf(log);
        for (const [place, after] of states.entries()) {
          expect(after?.sequence).toBe(place + 1);
          const before = states[place - 1]?.share ?? 0;
          const included = cohorts.filter((one) => one < before);
          expect(included.filter((one) => !(one < (after?.share ?? 0)))).toEqual([]);
        }
        // A step is never empty.
        const isEmpty = cohorts.length > 0 && !(Math.min(...cohorts) < (states[0]?.share ?? 0));
        expect(isEmpty).toBe(false);
        expect(follow(all, cohorts.toReversed())).toEqual(log);
      }),
      RUNS,
    );
  });

  it('[D53, D157] halts only with three failures, or if all failed, and never raises with more than the limit', () => {
    fc.assert(
      fc.property(tallies, (tally) => {
        const started = rolloutAfter(follow([], []));
        if (!started) throw new Error('not started');
        const step = nextStep(started, tally, ROLLOUT_POLICY, 2 * HOUR);
        const { failed, silent, healthy, installing } = tally;
        // Four failures in ten machines are certainly too many.
        const isBad = failed >= 4 && failed >= 0.4 * (failed + silent + healthy + installing);
        const isHalted = step.kind === 'halt';
        const isFailed = failed > 0 && tally.waiting + installing + healthy + silent === 0;
        expect(isHalted && failed + silent < 3 && !isFailed).toBe(false);
        expect(isFailed && !isHalted).toBe(false);
        expect(failed > 0 && healthy === 0 && step.kind === 'raise').toBe(false);
        expect(isBad && !isHalted).toBe(false);
      }),
      RUNS,
    );
  });
});
