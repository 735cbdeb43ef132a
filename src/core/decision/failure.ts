import { termInForce } from '../releases/quarantine.ts';
import type { Refused } from '../releases/refusal.ts';
import { refusal, type ResolveInput } from '../releases/resolve.ts';
import type { Version } from '../version/version.ts';

/** A version in quarantine, because it failed on this machine or an operator rolled it back. */
export interface Failure {
  /** The version that failed. */
  readonly version: Version;
  /** When the quarantine ends, in milliseconds since the epoch; undefined where no time ends it. */
  readonly until: number | undefined;
  /** Whether an operator rolled it back. */
  readonly isRolledBack: boolean;
}

/** What speaks against a deployed version that is kept: it is refused, or not in the list. */
export type Against =
  | {
      readonly kind: 'refused';
      /** The deployed release, and why it is refused. */
      readonly refused: Refused;
    }
  | {
      readonly kind: 'not-listed';
      /** Its quarantine; undefined where it is not quarantined. */
      readonly failure: Failure | undefined;
    };

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
