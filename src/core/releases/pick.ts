import { TEXT, expectArgument } from '../text/argument.ts';
import { constraintOf } from '../version/constraint-argument.ts';
import { indexFor } from './release-index.ts';
import { LIST_OF_RELEASES } from './release-records.ts';
import type { ReleaseRecord } from './release.ts';
import { resolve } from './resolve.ts';

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
  const resolution = resolve(constraintOf('pick()', constraint), indexFor('pick()', versions));
  return resolution.kind === 'resolved' ? resolution.release.version.text : undefined;
}
