import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerOf, answersOf, machines, planOf } from '../../support/machines.ts';
import { RUNS } from '../../support/runs.ts';

/** Half as many runs as other properties, because machines are slow to plan. */
const MACHINES = { numRuns: RUNS.numRuns / 2 };

describe('the next change', () => {
  it('a plan at that time contains the decision that it predicts', () => {
    const property = fc.property(machines, (machine) => {
      for (const [place, { nextChange }] of planOf(machine).modules.entries()) {
        if (!nextChange) continue;
        const { at, becomes } = nextChange;
        expect(at).toBeGreaterThan(machine.now);
        expect(answersOf(planOf({ ...machine, now: at }))[place]).toBe(answerOf(becomes));
      }
    });
    fc.assert(property, MACHINES);
  });

  it('the decision stays the same until that time', () => {
    const property = fc.property(
      machines,
      fc.array(fc.nat(200 * 3_600_000), { maxLength: 4 }),
      (machine, times) => {
        const plan = planOf(machine);
        const answers = answersOf(plan);
        for (const [place, { nextChange }] of plan.modules.entries()) {
          const end = nextChange?.at ?? Infinity;
          // The last millisecond before the change, and some earlier times.
          const before = [end - 1, ...times.map((ms) => machine.now + ms)];
          for (const now of before.filter(
            (time) => time >= machine.now && time < end && time < Infinity,
          )) {
            expect(answersOf(planOf({ ...machine, now }))[place]).toBe(answers[place]);
          }
        }
      },
    );
    fc.assert(property, MACHINES);
  });
});
