import { expectMembers, LIST, OBJECT, ofKind } from '../text/argument.ts';
import { expectSpelling, type Members } from '../text/spelling.ts';
import { isInBranch, type Constraint } from '../version/constraint.ts';
import { DEPLOYED, deployedVersion, type Deployed } from './deployed.ts';
import { atFloor } from './at-floor.ts';
import { eligibilityOf } from './eligibility-of.ts';
import { expectEligibility } from '../releases/expected-eligibility.ts';
import { isTooOld } from '../releases/list-age.ts';
import { isTime } from '../text/rfc3339.ts';
import { resolveChecked, type Resolution } from '../releases/resolve.ts';
import { heldBy } from './timing.ts';
import { comparePrecedence, compareVersions } from '../version/version-order.ts';
import type { Version } from '../version/version.ts';
import type { ModuleList } from './module-list.ts';
import type { Decision, DecideInput, Replacement, Verdict } from './decision.ts';
import { failureOf, reasonAgainst } from './failure.ts';
import { recallOf } from './recall.ts';
import { recovery } from './recovery.ts';
import { withRequest } from './restart.ts';
import { requestFor } from './upgrade-request.ts';
import { withoutRelease } from './without-release.ts';

const DECIDE_INPUT = {
  requirement: ofKind('a Requirement, such as a Constraint of parseConstraint()'),
  list: OBJECT,
  deployed: DEPLOYED,
  quarantine: LIST,
  eligibility: OBJECT,
  timing: OBJECT,
};

/** The other members, none of which has a type that anyone mistakes. */
const DECIDE_MEMBERS: Members<DecideInput> = {
  ...DECIDE_INPUT,
  previous: true,
  failed: true,
  skippedFloors: true,
  maxIndexAgeMs: true,
  allowDowngrade: true,
  onYank: true,
  restartRequest: true,
  upgradeRequest: true,
};

const DECIDED_ELIGIBILITY: Members<DecideInput['eligibility']> = {
  now: true,
  minimumAge: true,
  notAfter: true,
  artifactRules: true,
  refuse: true,
  machine: true,
  platform: true,
  machineId: true,
  group: true,
};

const TIMING: Members<DecideInput['timing']> = {
  window: true,
  blackouts: true,
  answer: true,
  vetoes: true,
  isServerBusy: true,
  restarts: true,
  restartCooldownMs: true,
  restartCeiling: true,
  longestHoldEnd: true,
  unknownFields: true,
  operatorHolds: true,
};

/**
 * Decides what to do about one module or subsystem now. Pure. Throws a RangeError unless `eligibility.now` is a time.
 *
 * @example
 * ```ts
 * import { decide, describeDecision, indexReleases, parseConstraint, readDeployed } from 'modreg';
 *
 * const constraint = parseConstraint('1.2.*');
 * if (!constraint.ok) throw new Error(constraint.error.message);
 * const decision = decide({
 *   requirement: constraint.value,
 *   list: { index: indexReleases([{ version: '1.2.9' }]) },
 *   deployed: readDeployed('1.2.3'),
 *   previous: undefined,
 *   quarantine: [],
 *   eligibility: { now: Date.now(), platform: 'linux/arm64' },
 *   maxIndexAgeMs: 7 * 86_400_000,
 *   allowDowngrade: true,
 *   timing: {
 *     window: undefined,
 *     answer: undefined,
 *     isServerBusy: false,
 *     restarts: [],
 *     restartCooldownMs: 300_000,
 *     restartCeiling: 12,
 *   },
 * });
 * console.log(decision.kind, describeDecision(decision)); // replace newest patch of 1.2
 * ```
 */
export function decide(input: DecideInput): Decision {
  expectMembers('decide()', 'input', input, DECIDE_INPUT);
  expectSpelling('decide()', 'input', input, DECIDE_MEMBERS);
  expectEligibility('decide()', 'input.eligibility', input.eligibility, DECIDED_ELIGIBILITY);
  expectSpelling('decide()', 'input.timing', input.timing, TIMING);
  return decideChecked(input);
}

/** The same for an input of this package: a plan decides often. */
export function decideChecked(input: DecideInput): Decision {
  const { requirement, list, deployed, failed, eligibility } = input;
  if (!isTime(eligibility.now)) {
    throw new RangeError(`now is ${eligibility.now}, expected milliseconds since the epoch`);
  }
  const withInput = (verdict: Verdict): Decision => {
    const timed = verdict.kind === 'replace' ? scheduled(input, verdict) : verdict;
    return {
      ...(input.restartRequest ? withRequest(input.restartRequest, timed, input) : timed),
      input,
    };
  };
  // A local module is never resolved (D23).
  if (requirement.kind === 'disabled' || requirement.kind === 'local') {
    return withInput({ kind: 'keep', because: requirement.kind });
  }
  const isPinUrl = requirement.kind === 'pin-url';
  if (deployed.kind === 'unknown' && (!failed || isPinUrl)) {
    return withInput({ kind: 'stuck', code: 'deployed-unknown' });
  }
  if (isPinUrl) return withInput(forPinUrl(deployed, requirement.url));
  if ('error' in list) return withInput({ kind: 'stuck', code: 'no-list', error: list.error });
  const { stale } = list;
  // A saved list that is too old decides nothing (D21).
  if (stale && isTooOld(stale.confirmedAt, eligibility.now, input.maxIndexAgeMs)) {
    return withInput({ kind: 'stuck', code: 'list-stale', stale });
  }
  const resolution = resolved(input, requirement, list);
  // A floor that cannot run here (D90).
  return withInput(atFloor(afterResolving(input, resolution), resolution, input));
}

/** A machine that may be without a version gets one, whatever the floors are (D91). */
function resolved(
  input: DecideInput,
  constraint: Constraint,
  list: Extract<ModuleList, { readonly index: unknown }>,
): Resolution {
  const eligibility = eligibilityOf(input, list);
  const resolution = resolveChecked(constraint, list.index, eligibility);
  if (resolution.kind === 'resolved' || input.deployed.kind !== 'unknown') return resolution;
  return resolveChecked(constraint, list.index, { ...eligibility, floors: undefined });
}

function afterResolving(input: DecideInput, resolution: Resolution): Verdict {
  const { deployed, failed } = input;
  const { constraint } = resolution.input;
  const version = deployedVersion(deployed);
  // A failed release is rolled back, whatever is deployed now (D37).
  const failure =
    (version && failureOf(version, resolution.input)) ??
    (failed && failureOf(failed, resolution.input));
  const recovered = failure && recovery(failure, resolution, input);
  if (recovered) return recovered;
  if (deployed.kind === 'unknown') return { kind: 'stuck', code: 'deployed-unknown', resolution };
  // Text that is not a version is kept, unless a pin replaces it (D14).
  if (deployed.kind === 'other' && constraint.kind !== 'patch') {
    return { kind: 'keep', because: 'ahead', against: undefined, resolution };
  }
  if (resolution.kind === 'unsatisfied') return withoutRelease(resolution, version);
  const { release } = resolution;
  if (!version) {
    // A deployed text that is not a version cannot be compared, so its replacement counts as an upgrade.
    const direction = deployed.kind === 'none' ? 'install' : 'upgrade';
    return { kind: 'replace', direction, to: release, resolution };
  }
  // The policy may replace a yanked version, even by a lower one or by another build (D33).
  const isRecalled = recallOf(input, resolution, version) === 'signed';
  if (!isRecalled && isCurrent(constraint, version, release.version)) {
    return { kind: 'keep', because: 'up-to-date', resolution };
  }
  // In the branch, a lower version is upgraded (D15) and a higher one is kept, also when it was yanked (D7, D16, D17).
  const isUpgrade = compareVersions(version, release.version) < 0;
  if (!isUpgrade && !isRecalled && isInBranch(constraint, version)) {
    const against = reasonAgainst(version, resolution.input, undefined);
    return { kind: 'keep', because: 'ahead', against, resolution };
  }
  // Outside the branch, or another pin: replaced in either direction (D18, D19).
  const direction = isUpgrade ? 'upgrade' : 'downgrade';
  return { kind: 'replace', direction, to: release, resolution };
}

/** Builds of one version count as the same version (D2), except for a pin (D35). */
function isCurrent(constraint: Constraint, deployed: Version, selected: Version): boolean {
  return constraint.kind === 'patch'
    ? deployed.text === selected.text
    : comparePrecedence(deployed, selected) === 0;
}

/** A download from the pinned address is kept until the configuration changes (D27). */
function forPinUrl(deployed: Deployed, url: string): Verdict {
  if (deployed.kind === 'url' && deployed.url === url) {
    return { kind: 'keep', because: 'up-to-date' };
  }
  const direction = deployed.kind === 'none' ? 'install' : 'upgrade';
  return { kind: 'replace', direction, to: { url } };
}

/** Holds the replacement while a timing policy does, or if it is a downgrade that is not allowed (D18, D25). */
function scheduled(input: DecideInput, replacement: Replacement): Verdict {
  const { timing, allowDowngrade, eligibility } = input;
  const { resolution } = replacement;
  if (replacement.direction === 'downgrade' && !allowDowngrade) {
    const because = [{ reason: 'downgrade-not-allowed' }] as const;
    return { kind: 'hold', replacement, because, until: undefined, resolution };
  }
  const request = input.upgradeRequest && requestFor(replacement, input);
  const held = heldBy(timing, replacement.direction, eligibility.now, request);
  return held ? { kind: 'hold', replacement, ...held, resolution } : replacement;
}
