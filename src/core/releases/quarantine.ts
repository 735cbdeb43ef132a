import { artifactsFor, digestKind, type Artifact } from './release.ts';
import { compareVersions } from '../version/version-order.ts';
import type { Version } from '../version/version.ts';
import type { Eligibility, Policy, Quarantined } from './eligibility-policy.ts';

/** A version in quarantine is refused until its terms end, pins included. (D13) */
export const quarantined: Policy = ({ constraint, eligibility }, { version, artifacts }) => {
  const term =
    termInForce(version, artifacts, eligibility) ??
    (constraint.kind === 'patch' ? undefined : passedOver(version, eligibility));
  return (
    term && {
      reason: 'quarantined',
      until: term.until,
      isRolledBack: term.rolledBack !== undefined,
    }
  );
};

/** Whoever goes back from 1.2.4 to 1.2.2 does not want 1.2.3 next. */
function passedOver(version: Version, { quarantine }: Eligibility): Quarantined | undefined {
  return quarantine?.find(({ rolledBack }) => {
    if (!rolledBack?.to) return false;
    const { from, to } = rolledBack;
    return compareVersions(to, version) < 0 && compareVersions(version, from) < 0;
  });
}

/** The quarantine of `version`, whose files are `artifacts` as far as they are known. (D13) */
export function termInForce(
  version: Version,
  artifacts: readonly Artifact[] | undefined,
  eligibility: Eligibility,
): Quarantined | undefined {
  return eligibility.quarantine?.find(
    (entry) => entry.version === version.text && isInForce(entry, artifacts, eligibility),
  );
}

/** A digest ends a quarantine by being another; one that is not known proves nothing. */
function isInForce(
  { digest: failed, until = Infinity }: Quarantined,
  published: readonly Artifact[] | undefined,
  { now, platform }: Eligibility,
): boolean {
  if (now >= until) return false;
  const artifacts = platform ? artifactsFor({ artifacts: published }, platform) : published;
  if (failed === undefined || artifacts === undefined || artifacts.length === 0) return true;
  return artifacts.some(
    ({ digest = failed }) => digest === failed || digestKind(digest) !== digestKind(failed),
  );
}
