import type { Refusal } from '../releases/refusal.ts';
import type { Release } from '../releases/release.ts';
import { lacksSignatures, refusal, type Resolution } from '../releases/resolve.ts';
import { deployedVersion } from './deployed.ts';
import type { DecideInput, Replacement, Verdict } from './decision.ts';
import type { RestartRequest } from './restart-request.ts';
import { heldBy, type Held } from './timing.ts';

/**
 * The restart that an operator requested, or `verdict` if it comes first: a replacement that is due restarts the target
 * too, and so does one that is held no longer than the restart. Without a known version there is nothing to restart (D41).
 */
export function withRequest(
  request: RestartRequest,
  verdict: Verdict,
  input: DecideInput,
): Verdict {
  const { resolution } = verdict;
  const isHeld = verdict.kind === 'hold';
  const isKept =
    verdict.kind === 'keep' && (verdict.because === 'up-to-date' || verdict.because === 'ahead');
  const isLocal = verdict.kind === 'keep' && verdict.because === 'local';
  const known = isHeld || isKept ? deployedAs(input, resolution) : undefined;
  const to = isLocal ? LOCAL_PROGRAM : known;
  if (!to) return verdict;
  const held = isHeld ? verdict.replacement : undefined;
  const restart: Replacement = {
    kind: 'replace',
    direction: 'restart',
    to,
    request,
    held,
    resolution,
  };
  const holds = requestHeldBy(request, input);
  if (!holds) return restart;
  return isHeld ? verdict : { kind: 'hold', replacement: restart, ...holds, resolution };
}

/** A local module has no version: its program is restarted (D344). */
const LOCAL_PROGRAM = { isLocal: true } as const;

/** What holds a requested restart; undefined if it is due. */
export function requestHeldBy(
  { isImmediate }: RestartRequest,
  { timing, eligibility }: Pick<DecideInput, 'timing' | 'eligibility'>,
): Held | undefined {
  return heldBy(timing, isImmediate ? 'immediate' : 'restart', eligibility.now);
}

/** What is deployed; undefined if nothing is, or text that is neither a version nor an address. */
function deployedAs(
  { deployed }: DecideInput,
  resolution: Resolution | undefined,
): Release | { readonly url: string } | undefined {
  if (deployed.kind === 'url') return deployed;
  const version = deployedVersion(deployed);
  if (!version) return undefined;
  const release = resolution?.input.index.find(version);
  if (!resolution || !release) return { version };
  const asPin = { ...resolution.input, constraint: { kind: 'patch', version } as const };
  const against = refusal(asPin, release)?.reason;
  const isRefused = against !== undefined && REFUSES_FILES[against];
  // Another reason may come first, and files that nobody signed must not be downloaded (D133).
  return isRefused || lacksSignatures(asPin, release) ? { version } : release;
}

/** Which reasons are against the files of a release, and not against the release (I2). */
const REFUSES_FILES: Readonly<Record<Refusal['reason'], boolean>> = {
  'conflicting-digest': true,
  'other-major': false,
  'other-minor': false,
  'other-version': false,
  prerelease: false,
  yanked: false,
  'no-artifact': false,
  'untrusted-artifact': true,
  'digest-changed': true,
  'refused-by-site': false,
  quarantined: false,
  'requirement-unmet': false,
  'too-young': false,
  'unknown-age': false,
  'not-yet-published': false,
  'not-in-rollout': false,
  'rollout-halted': false,
  'rollout-unconfirmed': false,
  'behind-floor': false,
  unsigned: true,
  'bad-signature': true,
  deprecated: false,
  older: false,
};
