import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answersOf, machines, planOf } from '../../support/machines.ts';
import { isInBranch } from '../../support/plan-judge.ts';
import { RUNS } from '../../support/runs.ts';

it('[T395] no decision goes below a deployed version of the branch, whatever the policy refuses, unless it replaces what was yanked (D33)', () => {
  const property = fc.property(machines, (machine) => {
    const answers = answersOf(planOf(machine));
    const lower = answers.filter((word, place) => {
      const module = machine.modules[place];
      if (typeof module?.deployed !== 'string' || module.terms.replacesYanked) return false;
      return isInBranch(module.constraint, module.deployed) && /downgrade|install/.test(word);
    });
    expect(lower).toEqual([]);
  });
  // Half as many runs as other properties, because machines are slow to plan.
  fc.assert(property, { numRuns: RUNS.numRuns / 2 });
});
