import type { Policy } from './eligibility-policy.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { Refusal } from './refusal.ts';
import { TAGS, type Requires } from './requires.ts';

/** A requirement of a release that the machine does not meet, or is not known to. */
export type UnmetRequirement = Extract<Refusal, { readonly reason: 'requirement-unmet' }>;

/**
 * A release is refused while the machine does not have what it requires, even by a pin; the deployed version never is (D86).
 * It is judged all the same, so that a plan knows what it requires.
 */
export const requirementUnmet: Policy = ({ eligibility }, { version, requires }) => {
  const { machine, rollouts } = eligibility;
  if (requires === undefined || !machine) return undefined;
  const unmet = unmetRequirement(requires, machine);
  return version.text === rollouts?.deployed ? undefined : unmet;
};

/** The first requirement that the machine does not meet, in the order of the texts; undefined if it meets all. */
export function unmetRequirement(
  requires: Requires,
  machine: MachineFacts,
): UnmetRequirement | undefined {
  const names = Object.keys(requires);
  // Most releases require one thing.
  for (const of of names.length > 1 ? names.toSorted() : names) {
    for (const range of requires[of] ?? []) {
      const found = of === TAGS ? lackingTag(range, machine) : misfit(of, range, machine);
      if (found) return { reason: 'requirement-unmet', of, range, found };
    }
  }
  return undefined;
}

function lackingTag(tag: string, { hasTag }: MachineFacts): UnmetRequirement['found'] | undefined {
  return hasTag(tag) ? undefined : { kind: 'untagged' };
}

/** What of a module is deployed and does not fit `range`; undefined if all that is deployed of it fits (D87). */
function misfit(
  of: string,
  range: string,
  { deployed, satisfies }: MachineFacts,
): UnmetRequirement['found'] | undefined {
  const provided = deployed(of);
  if (provided.length === 0) return { kind: 'absent' };
  for (const one of provided) {
    if (one.kind !== 'version') return one;
    const fits = satisfies(one.text, range);
    if (fits === undefined) return { kind: 'unreadable' };
    if (!fits) return one;
  }
  return undefined;
}
