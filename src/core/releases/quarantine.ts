import { artifactsFor, digestKind, type Artifact } from './release.ts';
import { compareVersions } from '../version/version-order.ts';
import type { Version } from '../version/version.ts';
import type { Eligibility, Policy, Quarantined } from './eligibility-policy.ts';

/** A version in quarantine is refused until its quarantine ends, even for a pin (D13). */
export const quarantined: Policy = ({ constraint, eligibility }, { version, artifacts }) => {
  const term =
    termInForce(version, artifacts, eligibility) ??
    (constraint.kind === 'patch' ? undefined : betweenRolledBack(version, eligibility));
  return (
    term && {
      reason: 'quarantined',
      until: term.until,
      isRolledBack: term.rolledBack !== undefined,
    }
  );
};

/** After a rollback from 1.2.4 to 1.2.2, floating constraints do not select 1.2.3 either. */
function betweenRolledBack(version: Version, { quarantine }: Eligibility): Quarantined | undefined {
  return quarantine?.find(({ rolledBack }) => {
    if (!rolledBack?.to) return false;
    const { from, to } = rolledBack;
    return compareVersions(to, version) < 0 && compareVersions(version, from) < 0;
  });
}

/** The quarantine of `version`; undefined if it has none or it ended. `artifacts` are its known files (D13). */
export function termInForce(
  version: Version,
  artifacts: readonly Artifact[] | undefined,
  eligibility: Eligibility,
): Quarantined | undefined {
  return eligibility.quarantine?.find(
    (entry) => entry.version === version.text && isInForce(entry, artifacts, eligibility),
  );
}

/** A different digest of the same kind ends a quarantine. A digest that is not known does not (D13). */
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
