import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answersOf, machines, planOf } from '../../support/machines.ts';
import { isInBranch } from '../../support/plan-judge.ts';
import { RUNS } from '../../support/runs.ts';

it('[T395] no decision goes below a deployed version of the branch, whatever the policy refuses, unless it replaces what was yanked (D33)', () => {
  const property = fc.property(machines, (machine) => {
    const answers = answersOf(planOf(machine));
    for (const [place, { constraint, deployed, terms }] of machine.modules.entries()) {
      if (typeof deployed !== 'string' || !isInBranch(constraint, deployed)) continue;
      if (!terms.replacesYanked) expect(answers[place]).not.toMatch(/downgrade|install/);
    }
  });
  // Half as many runs as other properties, because machines are slow to plan.
  fc.assert(property, { numRuns: RUNS.numRuns / 2 });
});
