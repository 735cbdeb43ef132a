import { artifactsFor, digestKind, type Release } from '../release.ts';
import type { Eligibility, Policy, Quarantined } from './policy.ts';

/** A version in quarantine is refused until its terms end, pins included. (D13) */
export const quarantined: Policy = ({ eligibility }, release) => {
  const term = eligibility.quarantine?.find(
    (entry) => entry.version === release.version.text && isInForce(entry, release, eligibility),
  );
  return term && { reason: 'quarantined', until: term.until };
};

/** A digest ends a quarantine by being another; one that is not known proves nothing. */
function isInForce(
  { digest: failed, until = Infinity }: Quarantined,
  release: Release,
  { now, platform }: Eligibility,
): boolean {
  if (now >= until) return false;
  const artifacts = platform ? artifactsFor(release, platform) : release.artifacts;
  if (failed === undefined || artifacts === undefined || artifacts.length === 0) return true;
  return artifacts.some(
    ({ digest = failed }) => digest === failed || digestKind(digest) !== digestKind(failed),
  );
}
