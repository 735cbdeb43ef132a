import { eligibilityOf, type ModuleTerms } from '../core/decision/eligibility-of.ts';
import type { Constraint } from '../core/index.ts';
import type { Registry } from './registry.ts';

/**
 * The queries for which the list of a module is read. A registry that describes each release in a document of its own reads only those
 * that they may select.
 */
export type Wanted = NonNullable<Parameters<Registry['read']>[2]>;

/** A query that the reader of a list makes of it. */
export type WantedRelease = ReturnType<Wanted>[number];

/** The query of a person, who needs to know no more than what is selected. */
export function wantedFor(constraint: Constraint, terms: ModuleTerms): WantedRelease {
  return {
    constraint,
    eligibility: { ...terms.eligibility, quarantine: terms.quarantine },
    needed: (list) =>
      'error' in list ? [] : [{ constraint, eligibility: eligibilityOf(terms, list) }],
  };
}
