import { TEXT, expectArgument } from '../text/argument.ts';
import { typeOf, type Constraint } from '../version/constraint.ts';
import { constraintOf } from '../version/constraint-argument.ts';
import { indexFor } from './release-index.ts';
import { LIST_OF_RELEASES } from './release-records.ts';
import { conflictingDigests, type Release, type ReleaseRecord } from './release.ts';

/**
 * The newest of `versions` that `constraint` accepts, as published; undefined if there is none. It selects as `resolve` does
 * without a policy: texts that are not versions are skipped, and yanked releases unless they are pinned. Throws a RangeError
 * if `constraint` cannot be parsed; its `cause` is the error of `parseConstraint`.
 *
 * @example
 * ```ts
 * import { pick } from 'modreg';
 *
 * console.log(pick(['1.9.0', '1.10.0', '2.0.0-rc.1'], '1.*')); // 1.10.0
 * ```
 */
export function pick(
  versions: Iterable<string | ReleaseRecord>,
  constraint: string,
): string | undefined {
  expectArgument('pick()', 'versions', versions, LIST_OF_RELEASES);
  expectArgument('pick()', 'constraint', constraint, TEXT);
  const parsed = constraintOf('pick()', constraint);
  let deprecated: string | undefined;
  for (const release of indexFor('pick()', versions).candidates(parsed)) {
    if (isRefused(parsed, release)) continue;
    if (release.deprecated === undefined) return release.version.text;
    deprecated ??= release.version.text;
  }
  return deprecated;
}

/** As `refusal` without a policy, which would load all policies: a program that only picks stays below 10 kB (D348). */
function isRefused(constraint: Constraint, release: Release): boolean {
  const isYanked = release.yanked !== undefined && constraint.kind !== 'patch';
  const isForOthers = release.prerelease && !typeOf(constraint).acceptsPrereleases;
  return (
    isYanked ||
    isForOthers === true ||
    release.unreadable !== undefined ||
    conflictingDigests(release) !== undefined
  );
}
