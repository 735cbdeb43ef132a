import type { Refusal } from '../releases/refusal.ts';
import type { Release } from '../releases/release.ts';
import {
  lacksSignatures,
  refusal,
  type Resolution,
  type ResolveInput,
} from '../releases/resolve.ts';
import { isInBranch } from '../version/constraint.ts';
import type { Version } from '../version/version.ts';
import { deployedVersion } from './deployed.ts';
import type { DecideInput, Verdict, Failure } from './decision.ts';
import { withoutRelease } from './without-release.ts';

/**
 * Rolls back to the version that was deployed before the failed one, or else to the newest eligible release (D13, D37).
 * Undefined if a version that may be selected is deployed: then nothing is left to recover from.
 */
export function recovery(
  failure: Failure,
  resolution: Resolution,
  { deployed, previous }: DecideInput,
): Verdict | undefined {
  const { input } = resolution;
  const version = deployedVersion(deployed);
  if (fitRelease(version, input)) return undefined;
  const rollback = { kind: 'replace', direction: 'rollback', failure, resolution } as const;
  const release = fitRelease(previous, input);
  // That it was deployed before is no signature: what makes a machine run something needs an author (D133).
  if (release && !lacksSignatures(input, release)) return { ...rollback, to: release };
  if (resolution.kind === 'resolved') return { ...rollback, to: resolution.release };
  const { constraint } = input;
  const isPinned = constraint.kind === 'patch' && isInBranch(constraint, failure.version);
  if (isPinned) return { kind: 'stuck', code: 'quarantined', failure, resolution };
  const isDeployed = version?.text === failure.version.text;
  return withoutRelease(resolution, version, isDeployed ? failure : undefined);
}

/**
 * The release of `version` if it may be selected. It was deployed here before, so what it requires, its age, its rollout and floors do not
 * matter (D50, D86, D91); what the site refuses does (D94). Signatures do not matter to what runs.
 */
function fitRelease(version: Version | undefined, input: ResolveInput): Release | undefined {
  const release = version && input.index.find(version);
  const eligibility = { ...input.eligibility, machine: undefined, trust: undefined };
  const against = release && refusal({ ...input, eligibility }, release);
  // What failed in another entry worked in this one (D81).
  const isElsewhere = against?.reason === 'quarantined' && against.failedIn !== undefined;
  const isFit = against === undefined || isElsewhere || REFUSES_ONLY_NEW[against.reason];
  return isFit ? release : undefined;
}

/** Which reasons are only against a release that was never deployed here. */
const REFUSES_ONLY_NEW: Readonly<Record<Refusal['reason'], boolean>> = {
  'conflicting-digest': false,
  'other-major': false,
  'other-minor': false,
  'other-version': false,
  prerelease: false,
  yanked: false,
  'no-artifact': false,
  'untrusted-artifact': false,
  'digest-changed': false,
  'refused-by-site': false,
  quarantined: false,
  'requirement-unmet': false,
  'too-young': true,
  'unknown-age': true,
  'not-yet-published': false,
  'not-in-rollout': true,
  'rollout-halted': true,
  'rollout-unconfirmed': true,
  'behind-floor': true,
  unsigned: false,
  'bad-signature': false,
  deprecated: true,
  older: false,
};
