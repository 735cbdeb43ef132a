/*
 * Run by hand with Bun, after `npm run build`: docs/benchmarks.md says how. Compares the first answer of a list with
 * `Bun.semver`, over the real lists of `npm run bench`.
 */
import { answer, indexOf, mustBeEqual, rangeOf } from './answer.ts';
import { REAL } from './cold.ts';
import { tableOf } from '../document.ts';
import { realPackument } from './lists.ts';
import { range, rounded, short } from '../row.ts';
import { fastestRuns, geometricMean } from './slices.ts';
import { constraint } from '../parsed.ts';

/** The part of Bun that is compared. */
declare const Bun: {
  readonly version: string;
  readonly semver: {
    readonly satisfies: (version: string, range: string) => boolean;
    readonly order: (a: string, b: string) => -1 | 0 | 1;
  };
};

/** The highest version that the range allows. `satisfies` refuses prereleases unless the range names one. */
function best(versions: readonly string[], wanted: string): string | null {
  return versions
    .filter((version) => Bun.semver.satisfies(version, wanted))
    .reduce<string | null>(
      (highest, version) =>
        highest === null || Bun.semver.order(version, highest) > 0 ? version : highest,
      null,
    );
}

const rows = REAL.flatMap(([list, constraints]) => {
  const versions = Object.keys(realPackument(list).versions);
  return constraints.map((text) => {
    const wanted = rangeOf(text);
    const ours = (): string | null => answer(constraint(text), indexOf(versions));
    const theirs = (): string | null => best(versions, wanted);
    mustBeEqual(`${list} ${text}`, [ours(), theirs()]);
    const [modreg = 0, bun = 0] = fastestRuns([
      { name: 'modreg', run: ours },
      { name: 'Bun.semver', run: theirs },
    ]);
    return { list, constraint: text, modreg, bun, ratio: bun / modreg };
  });
}).toSorted((a, b) => a.ratio - b.ratio);
const ratios = rows.map(({ ratio }) => ratio);
console.log(
  `Bun ${Bun.version}: ${range(ratios)} times as fast as Bun.semver, geometric mean ${short(geometricMean(ratios))}; worst first`,
);
console.log(
  tableOf(
    rows.map(({ list, constraint: text, modreg, bun, ratio }) => ({
      list,
      constraint: text,
      'modreg µs': rounded(modreg),
      'Bun.semver µs': rounded(bun),
      'Bun.semver / modreg': rounded(ratio),
    })),
  ),
);
