import { termInForce } from '../releases/quarantine.ts';
import type { Refused } from '../releases/refusal.ts';
import { refusal, type ResolveInput } from '../releases/resolve.ts';
import type { Version } from '../version/version.ts';

/** A version that failed on this machine, or that an operator went back from, and is quarantined. (D13) */
export interface Failure {
  readonly version: Version;
  /** When the quarantine ends, in milliseconds since the epoch; undefined where no time ends it. */
  readonly until: number | undefined;
  /** Whether an operator went back from it. */
  readonly isRolledBack: boolean;
}

/** What speaks against a deployed version that stays: a refusal, or that the list does not have it. */
export type Against =
  | { readonly kind: 'refused'; readonly refused: Refused }
  | { readonly kind: 'not-listed'; readonly failure: Failure | undefined };

/** The quarantine of the deployed version, or undefined. (D13) */
export function failureOf(
  deployed: Version,
  { index, eligibility }: ResolveInput,
): Failure | undefined {
  if (!eligibility.quarantine?.length) return undefined;
  const artifacts = index.find(deployed)?.artifacts;
  const term = termInForce(deployed, artifacts, eligibility);
  return (
    term && { version: deployed, until: term.until, isRolledBack: term.rolledBack !== undefined }
  );
}

/** What speaks against the deployed version, whose quarantine is `failure`; undefined where nothing does. */
export function speaksAgainst(
  deployed: Version,
  input: ResolveInput,
  failure: Failure | undefined,
): Against | undefined {
  const release = input.index.find(deployed);
  if (!release) return { kind: 'not-listed', failure };
  const refused = refusal(input, release);
  return refused && { kind: 'refused', refused: { release, ...refused } };
}
