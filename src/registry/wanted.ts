import { releaseTerms } from '../core/machine/update-policy.ts';
import type { NeededList } from '../core/plan/configuration.ts';
import type { Registry } from './registry.ts';

/**
 * The queries for which the list of a module is read. A registry that describes each release in a document of its own reads only those
 * that they may select.
 */
export type Wanted = NonNullable<Parameters<Registry['read']>[2]>;

/** A query that the reader of a list makes of it. */
export type WantedRelease = ReturnType<Wanted>[number];

/** The queries of the decisions that need these lists, in their circumstances. */
export function wantedBy(
  needed: readonly NeededList[],
  circumstances: Parameters<typeof releaseTerms>[2],
): Wanted {
  return (moduleId) =>
    needed
      .filter((one) => one.moduleId === moduleId)
      .map(({ constraint, terms }) => {
        return { constraint, eligibility: releaseTerms(terms, moduleId, circumstances) };
      });
}
