import type { Policy } from './eligibility-policy.ts';
import type { Provided } from './machine-facts.ts';

/**
 * What a machine must have to run a release: ranges of npm by `platform-server`, `platform-agent` or module id, all of
 * which must fit, and under `tags` what the machine must be tagged with.
 */
export type Requires = Readonly<Record<string, readonly string[]>>;

/** The key under which `Requires` has tags. All other keys have ranges. */
export const TAGS = 'tags';

/** A tag that a release requires or a policy gives. */
export const TAG_PATTERN = '^[a-z0-9][a-z0-9._+:-]{0,127}$';

/** A requirement of a release that the machine does not meet, or is not known to. */
export interface UnmetRequirement {
  readonly reason: 'requirement-unmet';
  /** `platform-server`, `platform-agent` or a module id; `tags` for a tag. */
  readonly of: string;
  /** The range, or the tag. */
  readonly range: string;
  /** What the machine has instead. */
  readonly found:
    | Provided
    /** No entry of the machine has the module, and the policy does not provide it. */
    | { readonly kind: 'absent' }
    /** The range cannot be read. */
    | { readonly kind: 'unreadable' }
    /** The machine is not tagged so. */
    | { readonly kind: 'untagged' };
}

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
  machine: Machine,
): UnmetRequirement | undefined {
  for (const of of Object.keys(requires).toSorted()) {
    for (const range of requires[of] ?? []) {
      const found = of === TAGS ? lackingTag(range, machine) : misfit(of, range, machine);
      if (found) return { reason: 'requirement-unmet', of, range, found };
    }
  }
  return undefined;
}

type Machine = NonNullable<Parameters<Policy>[0]['eligibility']['machine']>;

function lackingTag(tag: string, { hasTag }: Machine): UnmetRequirement['found'] | undefined {
  return hasTag(tag) ? undefined : { kind: 'untagged' };
}

/** What of a module is deployed and does not fit `range`; undefined if all that is deployed of it fits (D87). */
function misfit(
  of: string,
  range: string,
  { deployed, satisfies }: Machine,
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

/** All requirements of several entries of one version, whatever the order of the entries (D11); undefined if there are none. */
export function mergeRequires(all: readonly Requires[]): Requires | undefined {
  if (all.length === 0) return undefined;
  const keys = new Set(all.flatMap((requires) => Object.keys(requires)).toSorted());
  return Object.fromEntries(
    Array.from(keys, (key) => {
      const texts = all.flatMap((requires) => requires[key] ?? []);
      return [key, [...new Set(texts)].toSorted()] as const;
    }),
  );
}
