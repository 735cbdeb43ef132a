import { constraintsFor, type Constraint } from '../version/constraint.ts';
import type { Eligibility } from './eligibility-policy.ts';
import type { Refused } from './refusal.ts';
import type { ReleaseIndex } from './release-index.ts';
import { resolve, type Resolution } from './resolve.ts';
import { comparePrecedence, compareChecked } from '../version/version-order.ts';
import type { Version } from '../version/version.ts';

/** The effect of one version type. */
export interface TypeOutcome {
  /** The constraint of this type for the version that the types are compared for. */
  readonly constraint: Constraint;
  readonly resolution: Resolution;
  /** Whether the module would restart now; undefined if no deployed version is known. */
  readonly restarts: boolean | undefined;
  /** Whether the deployed version is newer than the selected release, and is kept for that reason (D16, D17). */
  readonly isAhead: boolean;
  /** The refused releases that are newer than the selected one, newest first. Computed when it is read. */
  skipped(): Iterable<Refused>;
}

/**
 * The effects of the five version types, from patch to latest with prerelease, on a module whose deployed version is
 * `deployed`. Without `deployed`, the module is added now: it would be pinned to the newest release, or to the newest
 * prerelease if there is no release. Undefined for a list with neither.
 */
export function compareVersionTypes(
  index: ReleaseIndex,
  eligibility: Eligibility,
  deployed?: Version,
): TypeOutcome[] | undefined {
  const base = deployed ?? versionToAdd(index, eligibility);
  if (!base) return undefined;
  const rollouts = eligibility.rollouts && { ...eligibility.rollouts, deployed: deployed?.text };
  return constraintsFor(base).map((constraint) => {
    const resolution = resolve(constraint, index, { ...eligibility, rollouts, deployed });
    return {
      constraint,
      resolution,
      // A module restarts for a newer release, and is not downgraded within the branch (D15, D16, D17).
      restarts: deployed && orderOf(resolution, deployed) > 0,
      isAhead: deployed !== undefined && orderOf(resolution, deployed) < 0,
      skipped: () => skipped(resolution),
    };
  });
}

function versionToAdd(index: ReleaseIndex, eligibility: Eligibility): Version | undefined {
  const latest = resolve({ kind: 'latest' }, index, eligibility);
  if (latest.kind === 'resolved') return latest.release.version;
  const prerelease = resolve({ kind: 'latest-with-prerelease' }, index, eligibility);
  return prerelease.kind === 'resolved' ? prerelease.release.version : undefined;
}

/** Above zero if the selected release is newer than `deployed`. Builds of one version are equal (D2). */
function orderOf(resolution: Resolution, deployed: Version): number {
  if (resolution.kind === 'unsatisfied') return 0;
  return comparePrecedence(resolution.release.version, deployed);
}

function* skipped(resolution: Resolution): Iterable<Refused> {
  const chosen = resolution.kind === 'resolved' ? resolution.release.version : undefined;
  for (const refused of resolution.refused()) {
    if (refused.reason === 'not-a-version') return;
    if (chosen && compareChecked(refused.release.version, chosen) < 0) return;
    yield refused;
  }
}
