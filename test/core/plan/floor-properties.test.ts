import fc from 'fast-check';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { indexReleases, type DecideInput } from '../../../src/core/index.ts';
import { decideChecked } from '../../../src/core/decision/decide.ts';
import { replacementOf } from '../../../src/core/decision/decision.ts';
import { resolve } from '../../../src/core/releases/resolve.ts';
import { constraint, version } from '../../support/ask.ts';
import { moduleQuestion } from '../../support/decided.ts';
import { NOW } from '../../support/decides.ts';
import { answersOf, machines, planOf, type RandomMachine } from '../../support/machines.ts';
import { isInBranch, isPin } from '../../support/plan-judge.ts';
import { RUNS } from '../../support/runs.ts';

const MACHINES = { numRuns: RUNS.numRuns / 2 };

/** Releases 1.0.0 to 1.11.0, of which some are floors, or refused. */
const published = fc
  .uniqueArray(
    fc.record({
      minor: fc.nat(11),
      isFloor: fc.boolean(),
      yanked: fc.constantFrom(undefined, undefined, undefined, ''),
    }),
    { minLength: 1, maxLength: 10, selector: ({ minor }) => minor },
  )
  .map((all) =>
    all.map(({ minor, isFloor, yanked }) => ({
      version: `1.${minor}.0`,
      yanked,
      ...(isFloor ? { floor: true as const } : {}),
    })),
  );
const somewhere = fc.nat(11).map((minor) => `1.${minor}.0`);

type Published = typeof published extends fc.Arbitrary<infer T> ? T : never;

/** What the plan answers for each module if none of its releases is a floor. */
function withoutFloors(machine: RandomMachine): readonly string[] {
  const modules = machine.modules.map((module) => ({
    ...module,
    list: module.list?.map(({ floor: _floor, ...release }) => release),
  }));
  return answersOf(planOf({ ...machine, modules }));
}

/** What a machine with `deployed` runs next, after the list was read in either order; undefined if it stays. */
function nextOf(list: Published, deployed: string, more: Partial<DecideInput> = {}) {
  const orders = [list, list.toReversed()].map((order) => {
    const asked = moduleQuestion({ wanted: '1.*', deployed, list: order });
    const found = replacementOf(decideChecked({ ...asked, ...more }));
    return found && 'version' in found.to ? found.to.version.text : undefined;
  });
  expect(orders[0]).toBe(orders[1]);
  return orders[0];
}

function floorsIn(list: Published): string[] {
  return list
    .filter(({ floor, yanked }) => floor && yanked === undefined)
    .map((one) => one.version);
}

function isGoingDown(word: string): boolean {
  return /^(hold )?downgrade /.test(word);
}

function isGettingOne(word: string): boolean {
  return /^(hold )?(install|rollback) /.test(word);
}

describe('[D90] floors', () => {
  it('a machine runs each floor above it, in order, whatever the times of its polls are', () => {
    // What is published between two polls does not lie below what the machine runs.
    const polls = fc.array(published, { minLength: 1, maxLength: 4 });
    const property = fc.property(somewhere, polls, (start, lists) => {
      let deployed = start;
      for (const list of lists) {
        const due = floorsIn(list).filter((text) => semver.gt(text, deployed));
        const ran: string[] = [];
        for (let next = nextOf(list, deployed); next; next = nextOf(list, deployed)) {
          // A single step passes no floor.
          const [from, to] = [deployed, next];
          const passed = due.filter((text) => semver.gt(text, from) && semver.lt(text, to));
          expect(passed).toEqual([]);
          expect(semver.gt(next, deployed)).toBe(true);
          deployed = next;
          ran.push(next);
        }
        expect(ran.filter((text) => due.includes(text))).toEqual(due.toSorted(semver.compare));
      }
    });
    fc.assert(property, RUNS);
  });

  it('never lead to a lower version, nor to none', () => {
    const property = fc.property(machines, (machine) => {
      const [words, others] = [answersOf(planOf(machine)), withoutFloors(machine)];
      const broken = machine.modules.flatMap(({ deployed, quarantine }, place) => {
        const [word = '', other = ''] = [words[place], others[place]];
        const isWithout = deployed === null || deployed === undefined;
        const mayBe = {
          'down only if down without floors': !isGoingDown(word) || isGoingDown(other),
          'a machine that gets a version gets one':
            !isWithout || !isGettingOne(other) || isGettingOne(word),
          'only a failure is rolled back': quarantine.length > 0 || !word.startsWith('rollback '),
        };
        return Object.entries(mayBe).flatMap(([rule, holds]) =>
          holds ? [] : [`${rule}: ${word}, without floors ${other}`],
        );
      });
      expect(broken).toEqual([]);
    });
    fc.assert(property, MACHINES);
  });

  it('a release that is refused, and is no floor, never changes a selection', () => {
    const property = fc.property(published, somewhere, fc.nat(11), (list, deployed, minor) => {
      const refused = { version: `1.${minor}.5`, yanked: '' as const };
      expect(nextOf([...list, refused], deployed)).toBe(nextOf(list, deployed));
    });
    fc.assert(property, RUNS);
  });

  it('without the selected release, the next candidate that is reported is selected', () => {
    const property = fc.property(published, somewhere, (list, deployed) => {
      const eligibility = { now: NOW, floors: { deployed: version(deployed) } };
      const first = resolve(constraint('1.*'), indexReleases(list), eligibility);
      if (first.kind === 'unsatisfied' || first.release.floor) return;
      const [next] = [...first.refused()].flatMap((one) =>
        one.reason === 'older' ? [one.release.version.text] : [],
      );
      const chosen = first.release.version.text;
      const rest = list.filter((one) => one.version !== chosen);
      const second = resolve(constraint('1.*'), indexReleases(rest), eligibility);
      expect(second.kind === 'resolved' ? second.release.version.text : undefined).toBe(next);
    });
    fc.assert(property, RUNS);
  });

  it('[D91] change nothing for pins and first installs', () => {
    const property = fc.property(machines, (machine) => {
      const [words, others] = [answersOf(planOf(machine)), withoutFloors(machine)];
      const changed = machine.modules.flatMap(({ constraint: asked, deployed }, place) => {
        const isSame = words[place] === others[place];
        return isSame || !(isPin(asked) || deployed === null)
          ? []
          : [[words[place], others[place]]];
      });
      expect(changed).toEqual([]);
    });
    fc.assert(property, MACHINES);
  });

  it('I13: outside the branch, they change nothing', () => {
    const property = fc.property(machines, (machine) => {
      const inside = {
        ...machine,
        modules: machine.modules.map((module) => ({
          ...module,
          list: module.list?.map(({ floor, ...release }) => {
            const isIn =
              semver.valid(release.version) !== null &&
              isInBranch(module.constraint, release.version);
            return isIn ? { ...release, floor } : release;
          }),
        })),
      };
      expect(answersOf(planOf(inside))).toEqual(answersOf(planOf(machine)));
    });
    fc.assert(property, MACHINES);
  });
});

it('[D92] a skipped floor counts as an ordinary release', () => {
  const property = fc.property(published, somewhere, (list, deployed) => {
    const skippedFloors = list
      .filter(({ floor }) => floor)
      .map((one) => ({ version: one.version, by: 'sam', because: undefined, at: NOW }));
    const plain = list.map(({ floor: _floor, ...release }) => release);
    expect(nextOf(list, deployed, { skippedFloors })).toBe(nextOf(plain, deployed));
  });
  fc.assert(property, RUNS);
});
