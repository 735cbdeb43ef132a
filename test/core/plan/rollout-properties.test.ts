import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answersOf, machines, planOf, type RandomMachine } from '../../support/machines.ts';
import type { RandomModule } from '../../support/random-modules.ts';
import { isOfGroup, placeOf } from '../../support/judged-rollouts.ts';
import { isPin } from '../../support/plan-judge.ts';
import { RUNS } from '../../support/runs.ts';

const HOUR = 3_600_000;
/** Half as many runs as other properties, because machines are slow to plan. */
const MACHINES = { numRuns: RUNS.numRuns / 2 };

const KEPT: ReadonlySet<string | undefined> = new Set(['up-to-date', 'ahead']);

function forAll(check: (machine: RandomMachine) => void): void {
  fc.assert(fc.property(machines, check), MACHINES);
}

/** Whether the rollouts of a version allow that it is installed on the machine for the first time. */
function isIncluded(
  { now, machineId, group }: RandomMachine,
  { list = [], confirmedAt, readAt }: RandomModule,
  version: string,
): boolean {
  const isConfirmed = now - (confirmedAt ?? readAt ?? now) <= HOUR;
  return list.every(({ version: text, rollout }) => {
    if (text !== version || !rollout) return true;
    const { salt, share, halted } = rollout;
    const isIn = share === 1 || (machineId !== undefined && placeOf(machineId, salt) < share);
    return (isIn || isOfGroup(group, rollout)) && isConfirmed && halted === undefined;
  });
}

describe('the rollout of a release', () => {
  it('[D107] that adds a group changes nothing for a machine that is not in it', () =>
    forAll((machine) => {
      const modules = machine.modules.map((module): RandomModule => {
        const list = module.list?.map((one) => {
          const groups = one.rollout?.groups ?? [];
          const rollout = one.rollout && { ...one.rollout, groups: [...groups, 'elsewhere'] };
          return Object.assign({}, one, { rollout });
        });
        return Object.assign({}, module, { list });
      });
      expect(answersOf(planOf({ ...machine, modules }))).toEqual(answersOf(planOf(machine)));
    }));

  it('[D107] that adds the group of a machine refuses nothing that it did not refuse before', () =>
    forAll((machine) => {
      const isIn = (group: string | undefined): string[] =>
        planOf({ ...machine, group }).modules.flatMap(({ name, decision }) =>
          [...(decision.resolution?.refused() ?? [])].flatMap((one) =>
            one.reason === 'not-in-rollout' ? [`${name} ${one.release.version.text}`] : [],
          ),
        );
      const before = new Set(isIn(undefined));
      expect(isIn('canary').filter((one) => !before.has(one))).toEqual([]);
    }));

  it('D49, D50, D51 includes the machine, or the release is pinned or was deployed before', () =>
    forAll((machine) => {
      const wrong = planOf(machine).restarts.flatMap(({ actions }) =>
        actions.filter(({ target, direction, to }) => {
          const module = machine.modules[Number(target.name.slice(1))];
          if (!module || isPin(module.constraint) || direction === 'restart') return false;
          const isBack = direction === 'rollback' && to === module.previous;
          return !isBack && !hasSeveral(module, to) && !isIncluded(machine, module, to);
        }),
      );
      expect(wrong).toEqual([]);
    }));

  it('D50 does not change the decision about a machine that has the release', () =>
    forAll((machine) => {
      const modules = machine.modules.map((module): RandomModule => {
        const list = module.list?.map((one) => {
          const rollout = one.version === module.deployed ? undefined : one.rollout;
          return Object.assign({}, one, { rollout });
        });
        return Object.assign({}, module, { list });
      });
      expect(answersOf(planOf({ ...machine, modules }))).toEqual(answersOf(planOf(machine)));
    }));

  it('D50 never leads to a downgrade: halting all rollouts changes no machine that has the newest release', () =>
    forAll((machine) => {
      const before = answersOf(planOf(machine));
      const modules = machine.modules.map((module): RandomModule => {
        const list = module.list?.map((one) => {
          const rollout = one.rollout && { ...one.rollout, halted: 'stops' };
          return Object.assign({}, one, { rollout });
        });
        return Object.assign({}, module, { list });
      });
      const after = answersOf(planOf({ ...machine, modules }));
      // It is ahead if only another build of its version is in rollout.
      const replaced = before.filter(
        (word, place) => word === 'up-to-date' && !KEPT.has(after[place]),
      );
      expect(replaced).toEqual([]);
    }));
});

/** Entries of one version are merged, so the strictest of their rollouts counts. */
function hasSeveral({ list = [] }: RandomModule, version: string): boolean {
  return list.filter((one) => one.version === version).length > 1;
}
