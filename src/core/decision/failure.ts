import { termInForce } from '../releases/quarantine.ts';
import { refusal, type ResolveInput } from '../releases/resolve.ts';
import type { Version } from '../version/version.ts';
import type { Against, Failure } from './decision.ts';

/** The quarantine of `version`, which is deployed or failed; undefined if it has none (D13). */
export function failureOf(
  version: Version,
  { index, eligibility }: ResolveInput,
): Failure | undefined {
  if (!eligibility.quarantine?.length) return undefined;
  const term = termInForce(version, index.find(version)?.artifacts, eligibility);
  if (!term) return undefined;
  const { until, reason: because, rolledBack, byOperator } = term;
  const { requester } = rolledBack ?? {};
  return { version, until, because, isRolledBack: rolledBack !== undefined, byOperator, requester };
}

/**
 * Why the deployed version could not be selected again, for example because it was yanked later (D7); undefined if it
 * could. `failure` is its quarantine.
 */
export function reasonAgainst(
  deployed: Version,
  input: ResolveInput,
  failure: Failure | undefined,
): Against | undefined {
  const release = input.index.find(deployed);
  if (!release) return { kind: 'not-listed', failure };
  const refused = refusal(input, release);
  return refused && { kind: 'refused', refused: { release, ...refused } };
}
