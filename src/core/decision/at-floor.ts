import type { Refusal, RefusedRelease } from '../releases/refusal.ts';
import { nextFloor } from '../releases/floors.ts';
import { newerRefused, refusal, type Resolution } from '../releases/resolve.ts';
import { deployedVersion } from './deployed.ts';
import type { DecideInput, Verdict } from './decision.ts';
import { reasonAgainst } from './failure.ts';

/**
 * What becomes of `verdict` if a release could be selected but for a floor that is refused itself: stuck until that changes
 * or an operator passes the floor, unless the refusal only waits. What leads nearer to the floor is done first, and a floor
 * is never the reason for a downgrade (D90).
 */
export function atFloor(
  verdict: Verdict,
  resolution: Resolution,
  { deployed }: Pick<DecideInput, 'deployed'>,
): Verdict {
  if (verdict.kind === 'replace' && verdict.direction !== 'downgrade') return verdict;
  const version = deployedVersion(deployed);
  const refused = version && refusedFloor(resolution);
  if (!refused) return verdict;
  if (!onlyWaits(refused)) return { kind: 'stuck', code: 'behind-floor', refused, resolution };
  if (verdict.kind !== 'replace') return verdict;
  const against = reasonAgainst(version, resolution.input, undefined);
  return { kind: 'keep', because: 'ahead', against, resolution };
}

/** The next floor and why it is refused, if a release that nothing else refuses is behind it. */
function refusedFloor(resolution: Resolution): RefusedRelease | undefined {
  const { input } = resolution;
  const floor = nextFloor(input);
  const against = floor && refusal(input, floor);
  if (!against) return undefined;
  const isBehind = newerRefused(resolution, floor.version).some(
    ({ reason }) => reason === 'behind-floor',
  );
  return isBehind ? { release: floor, ...against } : undefined;
}

function onlyWaits(refused: RefusedRelease): boolean {
  // Without a publish time, no time makes it old enough.
  if (refused.reason === 'unknown-age') return refused.clock !== undefined;
  return WAITS[refused.reason];
}

/** Which refusals end as time passes or a rollout goes on. */
const WAITS: Readonly<Record<Refusal['reason'], boolean>> = {
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
  // Another module, or the policy, has to change: nobody knows whether it will.
  'requirement-unmet': false,
  'too-young': true,
  'unknown-age': true,
  'not-yet-published': true,
  'not-in-rollout': true,
  'rollout-halted': true,
  'rollout-unconfirmed': true,
  'behind-floor': false,
  // A person has to sign it.
  unsigned: false,
  'bad-signature': false,
  deprecated: false,
  older: false,
};
