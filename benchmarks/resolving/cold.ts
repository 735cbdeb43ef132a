import pickManifest from 'npm-pick-manifest';
import semver from 'semver';
import { answer, indexOf, mustBeEqual, rangeOf } from './answer.ts';
import { adversarialLists, realPackument, seededList, type Packument } from './lists.ts';
import { fastestRuns } from './slices.ts';
import { constraint } from '../parsed.ts';

export interface ColdRow {
  readonly list: string;
  readonly constraint: string;
  readonly releases: number;
  readonly chosen: string | null;
  /** Microseconds. */
  readonly modreg: number;
  readonly semver: number;
  readonly pickManifest: number | undefined;
}

/** Real packages, and constraints on them. */
export const REAL: readonly (readonly [string, readonly string[]])[] = [
  ['typescript', ['5.4.*', '5.*', 'latest', '99.*']],
  ['next', ['15.1.*', '14.*', 'latest', '99.*']],
  ['types-node', ['20.11.*', '18.*', 'latest', '99.*']],
];

/** Times from a new list of strings to the chosen version of one floating constraint, for real lists. */
export function coldRealLists(): ColdRow[] {
  return REAL.flatMap(([list, constraints]) => {
    const packument = realPackument(list);
    return constraints.map((text) =>
      coldRow(list, Object.keys(packument.versions), text, packument),
    );
  });
}

/** The same for generated lists of several sizes, and for adversarial lists. */
export function coldGeneratedLists(): ColdRow[] {
  const seeded = [1000, 10_000, 100_000, 1_000_000].map((count): [string, string[]] => [
    `seeded ${count}`,
    seededList(count).map(({ version }) => version),
  ]);
  const generated = [...seeded, ...Object.entries(adversarialLists(10_000))];
  return generated.map(([list, versions]) => coldRow(list, versions, 'latest'));
}

function coldRow(
  list: string,
  versions: readonly string[],
  text: string,
  packument?: Packument,
): ColdRow {
  const range = rangeOf(text);
  const ours = (): string | null => answer(constraint(text), indexOf(versions));
  const theirs = (): string | null => semver.maxSatisfying(versions, range);
  mustBeEqual(`${list} ${text}`, [ours(), theirs()]);
  const peer = packument && (() => picked(packument, range));
  // npm-pick-manifest prefers a dist-tag that the range allows, so its result may differ.
  const contenders = [
    { name: 'modreg', run: ours },
    { name: 'semver', run: theirs },
    ...(peer ? [{ name: 'npm-pick-manifest', run: peer }] : []),
  ];
  const [modreg = 0, semverTime = 0, pickManifestTime] = fastestRuns(contenders);
  return {
    list,
    constraint: text,
    releases: versions.length,
    chosen: ours(),
    modreg,
    semver: semverTime,
    pickManifest: pickManifestTime,
  };
}

function picked(packument: Packument, range: string): string | null {
  try {
    return pickManifest(packument, range).version;
  } catch {
    return null;
  }
}
