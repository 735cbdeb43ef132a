import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexReleases, resolve, type ReleaseRecord } from '../../../src/core/index.ts';
import {
  answersOf,
  planOf,
  requiringMachines,
  withLists,
  type RandomMachine,
} from '../../support/machines.ts';
import { planJudge } from '../../support/plan-judge.ts';
import { RUNS } from '../../support/runs.ts';

const MACHINES = { numRuns: RUNS.numRuns / 2 };

function forAll(check: (machine: RandomMachine) => void): void {
  fc.assert(fc.property(requiringMachines, check), MACHINES);
}

function without(record: ReleaseRecord): ReleaseRecord {
  return { ...record, requires: undefined };
}

describe('what releases require', () => {
  it('[D86] is judged as an independent implementation does', () =>
    forAll((machine) => {
      const judged = machine.modules.map((module) => planJudge(machine, module));
      expect(answersOf(planOf(machine))).toEqual(judged);
    }));

  it('[D86] a release that is added and refused changes no decision', () =>
    forAll((machine) => {
      const more = withLists(machine, (list) => [
        { version: '9.9.97', requires: { tags: ['of no machine'] } },
        ...list,
        { version: '1.1.97', requires: { 'acme:none': ['*'] } },
      ]);
      expect(answersOf(planOf(more))).toEqual(answersOf(planOf(machine)));
    }));

  it('[D86] without the selected release, the next one that was reported is selected', () =>
    forAll((random) => {
      // A deprecation and a floor make another one than the next lower one follow.
      const machine = withLists(random, (list) =>
        list.map((one) => ({ ...one, deprecated: undefined, floor: undefined })),
      );
      for (const { decision } of planOf(machine).modules) {
        const { resolution } = decision;
        if (resolution?.kind !== 'resolved') continue;
        const { constraint, index, eligibility } = resolution.input;
        const next = Array.from(resolution.refused()).find(({ reason }) => reason === 'older');
        const { text } = resolution.release.version;
        const rest = Array.from(index.releases())
          .filter(({ version }) => version.text !== text)
          .map((release) => Object.assign({}, release, { version: release.version.text }));
        const then = resolve(constraint, indexReleases(rest), eligibility);
        const found = then.kind === 'resolved' ? then.release.version.text : undefined;
        const reported = next && 'release' in next ? next.release.version.text : undefined;
        expect(found).toBe(reported);
      }
    }));

  it('[D86] leads no machine to a lower version, unless the policy replaces what was yanked by any other (D33)', () =>
    forAll((machine) => {
      const kept = answersOf(planOf(withLists(machine, (list) => list.map(without))));
      const lower = answersOf(planOf(machine)).filter((word, place) => {
        const isDowngrade = /^(?:hold )?downgrade /.test(word);
        const wasNone = !/^(?:hold )?downgrade /.test(kept[place] ?? '');
        return isDowngrade && wasNone && !machine.modules[place]?.terms.replacesYanked;
      });
      expect(lower).toEqual([]);
    }));

  it('[D86] what the deployed release requires changes nothing', () =>
    forAll((machine) => {
      const free = withLists(machine, (list, { deployed }) =>
        list.map((one) => (one.version === deployed ? without(one) : one)),
      );
      expect(answersOf(planOf(free))).toEqual(answersOf(planOf(machine)));
    }));

  it('[D86] a rollback goes to the version before, whatever that requires', () =>
    forAll((machine) => {
      const free = withLists(machine, (list, { previous }) =>
        list.map((one) => (one.version === previous ? without(one) : one)),
      );
      const [before, after] = [free, machine].map((one) => answersOf(planOf(one)));
      const back = machine.modules.map(({ previous }) => `rollback ${previous}`);
      const isBack = (word: string, place: number): boolean => word === back[place];
      expect(after?.map(isBack)).toEqual(before?.map(isBack));
    }));
});
