import type { Constraint } from '../version/constraint.ts';
import type { Eligibility } from './eligibility-policy.ts';
import type { Refused } from './refusal.ts';
import type { ReleaseIndex } from './release-index.ts';
import { resolve, type Resolution } from './resolve.ts';
import { comparePrecedence, compareVersions } from '../version/version-order.ts';
import type { Version } from '../version/version.ts';

/** What one version type would do. (Versioning, Module version types) */
export interface TypeOutcome {
  /** As one would write it for the version that the types are compared for. */
  readonly constraint: Constraint;
  readonly resolution: Resolution;
  /** Whether the module would restart now; undefined when no deployed version is known. */
  readonly restarts: boolean | undefined;
  /** Whether what is deployed is newer than the answer, and stays for that reason. (D16, D17) */
  readonly isAhead: boolean;
  /** What is newer than the answer, and refused: newest first. Computed when it is read. */
  skipped(): Iterable<Refused>;
}

/**
 * The five version types side by side, from patch to latest with prerelease, for a module that runs
 * `deployed`; where nothing is deployed, for one that is added now. That one would be pinned to the
 * newest release, or where there is none to the newest prerelease. Undefined for a list without
 * either.
 */
export function compareVersionTypes(
  index: ReleaseIndex,
  eligibility: Eligibility,
  deployed?: Version,
): TypeOutcome[] | undefined {
  const base = deployed ?? added(index, eligibility);
  if (!base) return undefined;
  const { major, minor } = base;
  const constraints: Constraint[] = [
    { kind: 'patch', version: base },
    { kind: 'minor', major, minor },
    { kind: 'major', major },
    { kind: 'latest' },
    { kind: 'latest-with-prerelease' },
  ];
  return constraints.map((constraint) => {
    const resolution = resolve(constraint, index, eligibility);
    return {
      constraint,
      resolution,
      // For what is newer, and never to go down within the branch. (D15 to D17)
      restarts: deployed && orderOf(resolution, deployed) > 0,
      isAhead: deployed !== undefined && orderOf(resolution, deployed) < 0,
      skipped: () => skipped(resolution),
    };
  });
}

function added(index: ReleaseIndex, eligibility: Eligibility): Version | undefined {
  const latest = resolve({ kind: 'latest' }, index, eligibility);
  if (latest.kind === 'resolved') return latest.release.version;
  const prerelease = resolve({ kind: 'latest-with-prerelease' }, index, eligibility);
  return prerelease.kind === 'resolved' ? prerelease.release.version : undefined;
}

/** Above zero when the answer is newer than `deployed`; builds of one precedence are equal. (D2) */
function orderOf(resolution: Resolution, deployed: Version): number {
  if (resolution.kind === 'unsatisfied') return 0;
  return comparePrecedence(resolution.release.version, deployed);
}

function* skipped(resolution: Resolution): Iterable<Refused> {
  const chosen = resolution.kind === 'resolved' ? resolution.release.version : undefined;
  for (const refused of resolution.refused()) {
    if (refused.reason === 'not-a-version') return;
    if (chosen && compareVersions(refused.release.version, chosen) < 0) return;
    yield refused;
  }
}
