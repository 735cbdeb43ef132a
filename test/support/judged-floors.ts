import semver from 'semver';
import { branchReasons } from './judged-branch.ts';
import type { JudgedEntry } from './judged-entry.ts';

/** What counts for the floors of a list. */
interface FloorTerms {
  readonly now: number;
  readonly quarantine?:
    readonly { readonly version: string; readonly until?: number | undefined }[] | undefined;
  readonly floors?: JudgedFloors | undefined;
}

/** The version that runs, and the floors that an operator skipped. */
export interface JudgedFloors {
  readonly deployed?: { readonly text: string } | undefined;
  readonly skipped?: readonly { readonly version: string }[] | undefined;
}

/** The first version that has to run before all above it, counted from what is deployed. */
export function lowestFloor(
  constraint: string,
  readable: readonly JudgedEntry[],
  { floors, quarantine = [], now }: FloorTerms,
): string | undefined {
  const from = floors?.deployed?.text;
  if (from === undefined || /^\d+\.\d+\.\d/.test(constraint)) return undefined;
  const isBroken = quarantine.some(
    ({ version, until = Infinity }) => version === from && now < until,
  );
  const yanked = readable.filter((entry) => entry.yanked !== undefined);
  const standing = readable
    .filter(({ floor }) => floor === true)
    .map(({ version }) => version)
    .filter((text) => !yanked.some(({ version }) => version === text))
    .filter((text) => floors?.skipped?.some(({ version }) => version === text) !== true)
    .filter((text) => branchReasons(constraint, text).every(([, applies]) => !applies))
    .filter((text) => semver.compare(text, from) > (isBroken ? -1 : 0));
  return standing.toSorted((a, b) => semver.compareBuild(a, b)).at(0);
}
