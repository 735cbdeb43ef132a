import fc from 'fast-check';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { releaseRecords } from '../../support/arbitrary.ts';
import { answersOf, machines, planOf, type RandomMachine } from '../../support/machines.ts';
import type { RandomModule } from '../../support/random-modules.ts';
import {
  ALLOWED_BEFORE,
  floorOn,
  inForce,
  isInBranch,
  isOpenAt,
  isPin,
  isWished,
  planJudge,
  verdictOn,
} from '../../support/plan-judge.ts';
import { RUNS } from '../../support/runs.ts';

/** Half as many runs as other properties, because machines are slow to plan. */
const MACHINES = { numRuns: RUNS.numRuns / 2 };

/** A module of a machine, and the action for it. */
interface ModuleAction {
  readonly module: RandomModule;
  readonly direction: string;
  readonly to: string;
}

/** Every action of the plan, with its module. */
function actionsOf(machine: RandomMachine): ModuleAction[] {
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

/** The invariants that one action breaks. */
function brokenBy(machine: RandomMachine, { module, direction, to }: ModuleAction): string[] {
  if (direction === 'restart') return brokenByRestart(machine, module, to);
  const { constraint, deployed, list = [], terms } = module;
  const { now, answer = 'allowed', isServerBusy, isDisabled } = machine;
  const entries = list.filter(({ version }) => version === to);
  const pinned = isPin(constraint);
  const acceptsPrereleases = pinned || constraint === 'latest-with-prerelease';
  const deployedVersion =
    typeof deployed === 'string' && semver.valid(deployed) !== null ? deployed : undefined;
  const isUp = deployedVersion === undefined || semver.compare(to, deployedVersion) > 0;
  const isOutside = deployedVersion !== undefined && !isInBranch(constraint, deployedVersion);
  const [isFailed, hasFailed] = [[deployedVersion], [deployedVersion, module.failed]].map((texts) =>
    texts.some((text) => text !== undefined && inForce(machine, module, text)),
  );
  const isYanked =
    terms.replacesYanked &&
    list.some(({ version, yanked }) => version === deployed && yanked !== undefined);
  const isRollback = direction === 'rollback';
  const isFree = isRollback || isWished(machine, module, to);
  const { refused } = verdictOn(machine, module);
  const held = {
    'I1 published': entries.length > 0,
    'I1, I4 in the branch': isInBranch(constraint, to),
    'I3, I7 a downgrade or another build only for a reason':
      isUp || isOutside || isRollback || isYanked || pinned,
    'I5 not quarantined': !inForce(machine, module, to),
    'I5 no prerelease': acceptsPrereleases || semver.prerelease(to) === null,
    'I5 not yanked': pinned || entries.every(({ yanked }) => yanked === undefined),
    'I5 not refused': refused.every(
      ({ text, reason }) =>
        text !== to || (isRollback ? ALLOWED_BEFORE : ['older']).includes(reason),
    ),
    'I7 a rollback only if the deployed version or the last release failed':
      !isRollback || hasFailed === true,
    'I7 a rollback if the deployed version failed': isRollback || isFailed !== true,
    'I10 in the window':
      isFree || direction === 'install' || (isOpenAt(now, terms) && answer === 'allowed'),
    'I10 not while busy': isFree || !isServerBusy,
    'I10 not disabled': !isDisabled,
  };
  return Object.entries(held).flatMap(([invariant, isHeld]) => (isHeld ? [] : [invariant]));
}

/** A restart deploys nothing, so only what the operator requested and the time of it matter. */
function brokenByRestart(
  { now, answer = 'allowed', isServerBusy, isDisabled }: RandomMachine,
  { deployed, request, terms }: RandomModule,
  to: string,
): string[] {
  const isFree = request?.isImmediate === true;
  const held = {
    'D41 requested': request !== undefined,
    'D41 what is deployed': to === deployed,
    'I10 in the window': isFree || (isOpenAt(now, terms) && answer === 'allowed'),
    'I10 not while busy': isFree || !isServerBusy,
    'I10 not disabled': !isDisabled,
  };
  return Object.entries(held).flatMap(([invariant, isHeld]) => (isHeld ? [] : [invariant]));
}

describe('a plan', () => {
  it('agrees with an independent implementation of the decision table, also with floors (D90) and if replacements are requested at once (D76), and contains the actions', () =>
    forAll((machine) => {
      const judged = machine.modules.map((module) => planJudge(machine, module));
      expect(answersOf(planOf(machine))).toEqual(judged);
      const acted = judged.filter((word) =>
        /^(install|upgrade|downgrade|rollback|restart) /.test(word),
      );
      const planned = actionsOf(machine).map(({ direction, to }) => `${direction} ${to}`);
      expect(planned.toSorted()).toEqual(acted.toSorted());
    }));

  it('breaks none of I1, I3, I4, I5, I7 and I10', () =>
    forAll((machine) => {
      expect(actionsOf(machine).flatMap((action) => brokenBy(machine, action))).toEqual([]);
    }));
});

describe('the decisions of a plan', () => {
  it('I12: do not depend on the order of lists or on other modules', () => {
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

  it('I12: contain no further action after the actions are carried out', () =>
    forAll((machine) => {
      const done = new Map(actionsOf(machine).map(({ module, to }) => [module, to]));
      const modules = machine.modules.map((module) => {
        const to = done.get(module);
        return to === undefined ? module : Object.assign({}, module, reported(to));
      });
      const words = answersOf(planOf({ ...machine, modules }));
      for (const [place, module] of machine.modules.entries()) {
        if (!done.has(module)) continue;
        expect(words[place]).toMatch(restAfter(machine, module, done.get(module)));
      }
    }));

  it('I7: carried out repeatedly, end within two actions and never return to an earlier version', () =>
    forAll((machine) => {
      for (const requesting of machine.modules) {
        const module = { ...requesting, request: undefined };
        const seen: (string | null | undefined)[] = [module.deployed];
        for (
          let next = nextOf(machine, module, seen.at(-1));
          next !== undefined;
          next = nextOf(machine, module, next)
        ) {
          expect(seen).not.toContain(next);
          seen.push(next);
        }
        const floors = requesting.list?.filter(({ floor }) => floor) ?? [];
        // With ages by step, a major version may be followed by its minor and its patch (D97).
        const most = module.terms.minimumAge.byStep ? 5 : 3;
        expect(seen.length).toBeLessThanOrEqual(most + floors.length);
      }
    }));

  it('I13: do not change when a release outside the branch or a lower one is added', () => {
    const property = fc.property(machines, releaseRecords, (machine, { version }) => {
      for (const module of machine.modules) {
        const { list, constraint, deployed, previous } = module;
        if (!list || [deployed, previous, ...list.map((one) => one.version)].includes(version))
          continue;
        const more = withList(module, [...list, { version }]);
        const verdict = verdictOn(machine, module);
        const verdictThen = verdictOn(machine, more);
        const isElsewhere = semver.valid(version) !== null && !isInBranch(constraint, version);
        const isBehind = verdictThen.refused.some(
          ({ text, reason }) => text === version && reason === 'behind-floor',
        );
        const isLower =
          verdict.chosen !== undefined && verdictThen.chosen === verdict.chosen && !isBehind;
        if (!isElsewhere && !isLower) continue;
        expect(answersOf(planOf({ ...machine, modules: [more] }))).toEqual(
          answersOf(planOf({ ...machine, modules: [module] })),
        );
      }
    });
    fc.assert(property, MACHINES);
  });

  it('I13: do not change when releases that were not selected are removed', () =>
    forAll((machine) => {
      for (const module of machine.modules) {
        const { list, constraint, deployed, previous } = module;
        const { chosen, refused } = verdictOn(machine, module);
        const keep = new Set([chosen, constraint, deployed, previous]);
        // A floor, and what is behind it, may be the reason of a decision.
        for (const { version, floor } of list ?? []) if (floor) keep.add(version);
        for (const { text, reason } of refused) if (reason === 'behind-floor') keep.add(text);
        // If no release is selected for a pin, the releases in the branch determine the code.
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

  it('I11: do not change for other modules when one list is missing', () =>
    forAll((machine) => {
      const [first, ...others] = machine.modules;
      if (!first) return;
      const failed = { ...machine, modules: [withList(first, undefined), ...others] };
      expect(answersOf(planOf(failed)).slice(1)).toEqual(answersOf(planOf(machine)).slice(1));
      expect(actionsOf(failed).filter(({ module }) => module.list === undefined)).toEqual([]);
    }));
});

function withList(module: RandomModule, list: RandomModule['list']): RandomModule {
  return { ...module, list };
}

/** The decisions that may follow once `to` is deployed. */
function restAfter(machine: RandomMachine, module: RandomModule, to: string | undefined): RegExp {
  const { deployed, previous, terms } = module;
  // A restart may come before a replacement that is held.
  if (to === deployed) {
    return /^(up-to-date|ahead|stuck behind-floor|hold (upgrade|downgrade) .*)$/;
  }
  // Floors lie ahead.
  if (floorOn(machine, { ...module, ...reported(to) }) !== undefined) {
    return /^(up-to-date|ahead|stuck behind-floor|(hold )?upgrade .*)$/;
  }
  // The last floor, or a build of it, was run (D90).
  const isFloor =
    to !== undefined &&
    module.list?.some(({ version, floor }) => floor && isBuildOf(version, to)) === true;
  if (isFloor) return /^(up-to-date|ahead|(hold )?upgrade .*)$/;
  // After a rollback to the previous version, a newer release may be due, or the deployed version be too young.
  const mayGoOn = to === previous || terms.minimumAge.byStep !== undefined;
  return mayGoOn ? /^(up-to-date|ahead|(hold )?upgrade .*)$/ : /^up-to-date$/;
}

/** The report of a deployed version ends the memory of a failure, and an action that is done the request of a restart. */
function reported(
  deployed: string | null | undefined,
): Pick<RandomModule, 'deployed' | 'failed' | 'request'> {
  return { deployed, failed: undefined, request: undefined };
}

/** The version that is deployed next, if an action is due now. */
function nextOf(
  machine: RandomMachine,
  module: RandomModule,
  deployed: string | null | undefined,
): string | undefined {
  const now = deployed === module.deployed ? module : { ...module, ...reported(deployed) };
  const [action] = actionsOf({ ...machine, modules: [now] });
  return action?.to;
}

function isBuildOf(version: string, other: string): boolean {
  const [one, two] = [semver.parse(version), semver.parse(other)];
  return one !== null && two !== null && semver.compare(one, two) === 0;
}
