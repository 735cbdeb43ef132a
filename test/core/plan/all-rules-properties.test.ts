import fc from 'fast-check';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import {
  compareVersions,
  indexReleases,
  resolve,
  type Decision,
  type Refused,
  type Release,
} from '../../../src/core/index.ts';
import { answersOf, planOf, requiringMachines, withLists } from '../../support/machines.ts';
import { isInBranch } from '../../support/plan-judge.ts';
import { randomModules } from '../../support/random-modules.ts';
import { RUNS } from '../../support/runs.ts';

/* With requirements, floors, refusals of the site, ages by step and deprecations together. Machines are slow to plan. */

const MACHINES = { numRuns: RUNS.numRuns / 2 };

type Resolution = Extract<Decision['resolution'], { readonly kind: 'resolved' }>;

function isOf(version: string): (one: Refused) => boolean {
  return (one) => 'release' in one && one.release.version.text === version;
}

describe('[D86] [D90] [D94] [D96] [D97] all rules together', () => {
  it('a release that is added and refused, and is no floor, changes no selection', () => {
    const added = randomModules.filter(({ list }) => (list?.length ?? 0) > 0);
    const property = fc.property(requiringMachines, added, fc.nat(10), (machine, other, at) => {
      const [record] = other.list ?? [];
      const { floor: _floor, ...release } = record ?? { version: '9.9.9' };
      const isNew = machine.modules.every(({ list = [], deployed, previous, failed }) => {
        const known = [deployed, previous, failed, ...list.map(({ version }) => version)];
        return !known.includes(release.version);
      });
      fc.pre(isNew);
      const more = withLists(machine, (list) => list.toSpliced(at, 0, release));
      const [planned, after] = [planOf(machine), planOf(more)];
      const [words, wordsAfter] = [answersOf(planned), answersOf(after)];
      const changed = after.modules.flatMap(({ decision: { resolution } }, place) => {
        const refused = Array.from(resolution?.refused() ?? []).find(isOf(release.version));
        if (!refused || refused.reason === 'older') return [];
        const [was, is] = [words[place] ?? '', wordsAfter[place] ?? ''];
        // Something above a floor makes it one that a machine may not go below (D90).
        if (refused.reason === 'behind-floor' && was.includes('downgrade')) return [];
        const before = selectedBy(planned.modules[place]?.decision.resolution);
        // Why nothing is done may change.
        const isSame = selectedBy(resolution) === before && changeIn(was) === changeIn(is);
        return isSame ? [] : [was, is, refused.reason];
      });
      expect(changed).toEqual([]);
    });
    fc.assert(property, MACHINES);
  });

  it('without the selected release, the next candidate that was reported is selected', () => {
    const property = fc.property(requiringMachines, (machine) => {
      for (const { decision } of planOf(machine).modules) {
        const { resolution } = decision;
        if (resolution?.kind !== 'resolved' || isAtFloor(resolution)) continue;
        const { constraint, index, eligibility } = resolution.input;
        const rest = Array.from(index.releases())
          .filter(({ version }) => version.text !== resolution.release.version.text)
          .map((release) => Object.assign({}, release, { version: release.version.text }));
        const then = resolve(constraint, indexReleases(rest), eligibility);
        const found = then.kind === 'resolved' ? then.release.version.text : undefined;
        expect(found).toBe(nextCandidate(resolution)?.version.text);
      }
    });
    fc.assert(property, MACHINES);
  });

  it('lead no machine to a lower version of its branch, unless what is deployed was yanked (D33)', () => {
    const property = fc.property(requiringMachines, (machine) => {
      const lower = answersOf(planOf(machine)).filter((word, place) => {
        const { deployed, constraint, terms } = machine.modules[place] ?? {};
        if (typeof deployed !== 'string' || terms?.replacesYanked) return false;
        return isInBranch(constraint ?? '', deployed) && /downgrade|install/.test(word);
      });
      expect(lower).toEqual([]);
    });
    fc.assert(property, MACHINES);
  });

  it('floors and deprecations leave no machine without a version that gets one else', () => {
    const property = fc.property(requiringMachines, (machine) => {
      const free = withLists(machine, (list) =>
        list.map((one) => ({ ...one, floor: undefined, deprecated: undefined })),
      );
      const [before, after] = [free, machine].map((one) => answersOf(planOf(one)));
      const without = machine.modules.flatMap(({ deployed }, place) => {
        if (typeof deployed === 'string') return [];
        const [word = '', now = ''] = [before?.[place], after?.[place]];
        return isDue(word) && !isDue(now) ? [`${word}, now ${now}`] : [];
      });
      expect(without).toEqual([]);
    });
    fc.assert(property, MACHINES);
  });
});

function selectedBy(resolution: Decision['resolution']): string | undefined {
  return resolution?.kind === 'resolved' ? resolution.release.version.text : undefined;
}

/** What a decision deploys, held or not; undefined for nothing. A machine that is stuck is not restarted. (D41) */
function changeIn(word: string): string | undefined {
  return /^(hold )?(install|upgrade|downgrade|rollback) .*/.exec(word)?.[0];
}

function isDue(word: string): boolean {
  return /^(hold )?(install|rollback) /.test(word);
}

/** Without a floor, or a build of one, what is above it is no longer refused. */
function isAtFloor({ release, input }: Resolution): boolean {
  return input.index
    .floors()
    .some(({ version }) => semver.compare(version.text, release.version.text) === 0);
}

/** The newest one that only the selected one outranks; one that is neither deprecated nor below the deployed one first. (D96) */
function nextCandidate(resolution: Resolution): Release | undefined {
  const { deployed } = resolution.input.eligibility;
  const candidates = Array.from(resolution.refused()).flatMap((one) =>
    one.reason === 'older' || one.reason === 'deprecated' ? [one.release] : [],
  );
  const preferred = candidates.find(({ version, deprecated }) => {
    const isBelow = deployed !== undefined && semver.compare(version.text, deployed.text) < 0;
    return deprecated === undefined && !isBelow;
  });
  return preferred ?? candidates.toSorted((a, b) => compareVersions(b.version, a.version))[0];
}
