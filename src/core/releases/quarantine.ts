import { artifactsFor, digestKind, type Artifact } from './release.ts';
import { isInBranch, parseConstraint } from '../version/constraint.ts';
import { compareVersions } from '../version/version-order.ts';
import type { Version } from '../version/version.ts';
import type { Eligibility, Policy, Quarantined, RefusedBranch } from './eligibility-policy.ts';

/** A version in quarantine is refused until its quarantine ends, even for a pin (D13). */
export const quarantined: Policy = ({ eligibility }, { version, artifacts }) => {
  const term = termInForce(version, artifacts, eligibility);
  if (!term) return undefined;
  const { until, reason: because, rolledBack, byOperator, failedIn, undecided } = term;
  const isRolledBack = rolledBack !== undefined;
  const how = { isRolledBack, byOperator, failedIn, undecided };
  return { reason: 'quarantined', until, ...how, because };
};

/** The quarantine of `version`; undefined if it has none or it ended. `artifacts` are its known files (D13). */
export function termInForce(
  version: Version,
  artifacts: readonly Artifact[] | undefined,
  eligibility: Eligibility,
): Quarantined | undefined {
  const { quarantine, now } = eligibility;
  return (
    quarantine?.find(
      (entry) => names(entry, version) && isInForce(entry, artifacts, eligibility),
    ) ?? quarantine?.find((entry) => now < (entry.until ?? Infinity) && isPassedBy(entry, version))
  );
}

/** Whether an entry refuses `version` by its text or its first numbers (D95). */
function names({ version: text, branch }: Quarantined, version: Version): boolean {
  return text === version.text || (branch !== undefined && isInBranch(branch, version));
}

/** Whether it is not known that the release does not work here: where it is deployed, it did (D80, D81). */
function isSuspended(
  { version, failedIn, undecided }: Quarantined,
  deployed: string | undefined,
): boolean {
  if (undecided?.isWaiting === false) return true;
  return version === deployed && (failedIn !== undefined || undecided !== undefined);
}

/** Whether an operator rolled back past `version`: it was in the list then, or it is between the two (D32). */
function isPassedBy({ rolledBack }: Quarantined, version: Version): boolean {
  if (!rolledBack) return false;
  const { from, to, refused } = rolledBack;
  if (refused) return refused.has(version.text);
  return to !== undefined && compareVersions(to, version) < 0 && compareVersions(version, from) < 0;
}

/** A different digest of the same kind ends a quarantine. A digest that is not known does not (D13). */
function isInForce(
  entry: Quarantined,
  published: readonly Artifact[] | undefined,
  { now, platform, rollouts }: Eligibility,
): boolean {
  const { digest: failed, until = Infinity, retry } = entry;
  if (now >= until || retry !== undefined) return false;
  if (isSuspended(entry, rollouts?.deployed)) return false;
  const artifacts = platform ? artifactsFor({ artifacts: published }, platform) : published;
  if (failed === undefined || artifacts === undefined || artifacts.length === 0) return true;
  return artifacts.some(
    ({ digest = failed }) => digest === failed || digestKind(digest) !== digestKind(failed),
  );
}

/** The versions that `1.3.*` or `1.*` names; undefined for a single version (D95). */
export function refusedBranch(text: string): RefusedBranch | undefined {
  if (!text.endsWith('.*')) return undefined;
  const read = parseConstraint(text);
  if (!read.ok || (read.value.kind !== 'minor' && read.value.kind !== 'major')) return undefined;
  return read.value;
}
