import fc from 'fast-check';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { releaseRecords } from '../../support/arbitrary.ts';
import {
  answerOf,
  answersOf,
  machines,
  planOf,
  type RandomMachine,
  type RandomModule,
} from '../../support/machines.ts';
import { isInBranch, isPin, planJudge, verdictOn } from '../../support/plan-judge.ts';
import { RUNS } from '../../support/runs.ts';

const PATIENCE = 3_600_000;
/** Half as many machines as other properties have cases. */
const MACHINES = { numRuns: RUNS.numRuns / 2 };

/** One module of a machine, and what is done about it. */
interface Done {
  readonly module: RandomModule;
  readonly direction: string;
  readonly to: string;
}

/** Every action of a plan, with the module that it is for. */
function actionsOf(machine: RandomMachine): Done[] {
  return planOf(machine).restarts.flatMap(({ actions }) =>
    actions.flatMap(({ target, direction, to }) => {
      const module = machine.modules[Number(target.name.slice(1))];
      return module ? [{ module, direction, to }] : [];
    }),
  );
}

function forAll(check: (machine: RandomMachine) => void): void {
  fc.assert(fc.property(machines, check), MACHINES);
}

function inForce(machine: RandomMachine, { quarantine }: RandomModule, version: string): boolean {
  return quarantine.some(
    (entry) => entry.version === version && machine.now < (entry.until ?? Infinity),
  );
}

/** What may be said of what ran before, and it is taken back none the less. */
const MAY_GO_BACK = ['older', 'too-young', 'unknown-age'];

/** The invariants that one action breaks. */
function brokenBy(machine: RandomMachine, { module, direction, to }: Done): string[] {
  const { constraint, deployed, list = [], terms } = module;
  const { now, answer = 'allowed', isServerBusy, isDisabled } = machine;
  const entries = list.filter(({ version }) => version === to);
  const pinned = isPin(constraint);
  const takesPrereleases = pinned || constraint === 'latest-with-prerelease';
  const runs =
    typeof deployed === 'string' && semver.valid(deployed) !== null ? deployed : undefined;
  const isUp = runs === undefined || semver.compare(to, runs) > 0;
  const isOutside = runs !== undefined && !isInBranch(constraint, runs);
  const hasFailed = runs !== undefined && inForce(machine, module, runs);
  const isRollback = direction === 'rollback';
  const isOpen = terms.openings?.some(([start, end]) => start <= now && now < end) ?? true;
  const { refused } = verdictOn(machine, module);
  const held = {
    'I1 published': entries.length > 0,
    'I1, I4 in the branch': isInBranch(constraint, to),
    'I3, I7 down or sideways for a reason':
      isUp || isOutside || hasFailed || constraint.includes('+'),
    'I5 not quarantined': !inForce(machine, module, to),
    'I5 no prerelease': takesPrereleases || semver.prerelease(to) === null,
    'I5 not yanked': pinned || entries.every(({ yanked }) => yanked === undefined),
    'I5 not refused': refused.every(
      ({ text, reason }) => text !== to || (isRollback ? MAY_GO_BACK : ['older']).includes(reason),
    ),
    'I7 a rollback of what failed': isRollback === hasFailed,
    'I10 in the window': isRollback || direction === 'install' || (isOpen && answer === 'allowed'),
    'I10 not while busy': isRollback || !isServerBusy,
    'I10 not disabled': !isDisabled,
  };
  return Object.entries(held).flatMap(([invariant, isHeld]) => (isHeld ? [] : [invariant]));
}

describe('a plan', { timeout: PATIENCE }, () => {
  it('is what an independent reading of the decision table gives, and acts on it', () =>
    forAll((machine) => {
      const judged = machine.modules.map((module) => planJudge(machine, module));
      expect(answersOf(planOf(machine))).toEqual(judged);
      const acted = judged.filter((word) => /^(install|upgrade|downgrade|rollback) /.test(word));
      const done = actionsOf(machine).map(({ direction, to }) => `${direction} ${to}`);
      expect(done.toSorted()).toEqual(acted.toSorted());
    }));

  it('breaks none of I1, I3, I4, I5, I7 and I10', () =>
    forAll((machine) => {
      expect(actionsOf(machine).flatMap((done) => brokenBy(machine, done))).toEqual([]);
    }));
});

describe('the answer of a plan', { timeout: PATIENCE }, () => {
  it('I12: does not depend on the order of lists, nor on other modules', () => {
    const cases = machines.chain((machine) =>
      fc.record({
        machine: fc.constant(machine),
        lists: fc.tuple(
          ...machine.modules.map(({ list = [] }) =>
            fc.shuffledSubarray([...list], { minLength: list.length }),
          ),
        ),
      }),
    );
    const property = fc.property(cases, ({ machine, lists }) => {
      const answers = answersOf(planOf(machine));
      const shuffled = machine.modules.map((module, place) =>
        withList(module, module.list && lists[place]),
      );
      expect(answersOf(planOf({ ...machine, modules: shuffled }))).toEqual(answers);
      const alone = machine.modules.flatMap((module) =>
        answersOf(planOf({ ...machine, modules: [module] })),
      );
      expect(alone).toEqual(answers);
    });
    fc.assert(property, MACHINES);
  });

  it('I12: once it is carried out, there is nothing more to do', () =>
    forAll((machine) => {
      const done = new Map(actionsOf(machine).map(({ module, to }) => [module, to]));
      const modules = machine.modules.map((module) => ({
        ...module,
        deployed: done.get(module) ?? module.deployed,
      }));
      const words = answersOf(planOf({ ...machine, modules }));
      for (const [place, module] of machine.modules.entries()) {
        if (!done.has(module)) continue;
        // What went back to what ran before may find that there is something better, or that it is too young.
        const wentBack = done.get(module) === module.previous;
        const rest = wentBack ? /^(up-to-date|ahead|(hold )?upgrade .*)$/ : /^up-to-date$/;
        expect(words[place]).toMatch(rest);
      }
    }));

  it('I7: carried out again and again, it comes to rest and never returns', () =>
    forAll((machine) => {
      for (const module of machine.modules) {
        const seen: (string | null | undefined)[] = [module.deployed];
        for (
          let next = nextOf(machine, module, seen.at(-1));
          next !== undefined;
          next = nextOf(machine, module, next)
        ) {
          expect(seen).not.toContain(next);
          seen.push(next);
        }
        expect(seen.length).toBeLessThanOrEqual(3);
      }
    }));

  it('I13: does not change for a release outside the branch, or a lower one', () => {
    const property = fc.property(machines, releaseRecords, (machine, { version }) => {
      for (const module of machine.modules) {
        const { list, constraint, deployed, previous } = module;
        if (!list || [deployed, previous, ...list.map((one) => one.version)].includes(version))
          continue;
        const more = withList(module, [...list, { version }]);
        const verdict = verdictOn(machine, module);
        const verdictThen = verdictOn(machine, more);
        const isElsewhere = semver.valid(version) !== null && !isInBranch(constraint, version);
        const isLower = verdict.chosen !== undefined && verdictThen.chosen === verdict.chosen;
        if (!isElsewhere && !isLower) continue;
        expect(answersOf(planOf({ ...machine, modules: [more] }))).toEqual(
          answersOf(planOf({ ...machine, modules: [module] })),
        );
      }
    });
    fc.assert(property, MACHINES);
  });

  it('I13: does not change when a release goes that was not chosen', () =>
    forAll((machine) => {
      for (const module of machine.modules) {
        const { list, constraint, deployed, previous } = module;
        const { chosen } = verdictOn(machine, module);
        const keep = new Set([chosen, constraint, deployed, previous]);
        // Without a choice, what is in the branch says why.
        const isKept = (version: string): boolean =>
          keep.has(version) ||
          (chosen === undefined && isPin(constraint) && isInBranch(constraint, version));
        const fewer = withList(
          module,
          list?.filter(({ version }) => isKept(version)),
        );
        expect(answersOf(planOf({ ...machine, modules: [fewer] }))).toEqual(
          answersOf(planOf({ ...machine, modules: [module] })),
        );
      }
    }));

  it('I11: does not change for other modules when a list cannot be had', () =>
    forAll((machine) => {
      const [first, ...others] = machine.modules;
      if (!first) return;
      const failed = { ...machine, modules: [withList(first, undefined), ...others] };
      expect(answersOf(planOf(failed)).slice(1)).toEqual(answersOf(planOf(machine)).slice(1));
      expect(actionsOf(failed).filter(({ module }) => module.list === undefined)).toEqual([]);
    }));
});

describe('the next change', { timeout: PATIENCE }, () => {
  it('asked at the time that it names, a plan gives what it names', () =>
    forAll((machine) => {
      for (const [place, { nextChange }] of planOf(machine).modules.entries()) {
        if (!nextChange) continue;
        const { at, becomes } = nextChange;
        expect(at).toBeGreaterThan(machine.now);
        expect(answersOf(planOf({ ...machine, now: at }))[place]).toBe(answerOf(becomes));
      }
    }));

  it('and until then the answer is what it is', () => {
    const property = fc.property(
      machines,
      fc.array(fc.nat(200 * 3_600_000), { maxLength: 4 }),
      (machine, times) => {
        const plan = planOf(machine);
        const answers = answersOf(plan);
        for (const [place, { nextChange }] of plan.modules.entries()) {
          const end = nextChange?.at ?? Infinity;
          // The last millisecond before it, and some times on the way.
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

function withList(module: RandomModule, list: RandomModule['list']): RandomModule {
  return { ...module, list };
}

/** What runs next, where something is due at once; a window and a rest are taken as over. */
function nextOf(
  machine: RandomMachine,
  module: RandomModule,
  deployed: string | null | undefined,
): string | undefined {
  const [action] = actionsOf({ ...machine, modules: [{ ...module, deployed }] });
  return action?.to;
}
