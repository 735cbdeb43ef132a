import type { PossibleVersions } from '../plan/possible-versions.ts';
import type { Refusal } from '../releases/refusal.ts';
import type { Release } from '../releases/release.ts';
import { refusal, type ResolveInput } from '../releases/resolve.ts';

/** What a constraint gets of its list without anybody's doing: now, or once time has passed. */
export interface Prospects {
  /** The newest release that nothing refuses for good; undefined if there is none. */
  readonly release: Release | undefined;
  /** The newest above it that requires what nothing on the machine will meet; undefined if there is none. */
  readonly unreachable: Release | undefined;
}

/** Without `possible`, no requirement is judged. */
export function prospectsOf(
  input: ResolveInput,
  possible: Pick<PossibleVersions, 'mayBeMet'> | undefined,
): Prospects {
  let unreachable: Release | undefined;
  for (const release of input.index.candidates(input.constraint)) {
    const against = refusal(input, release);
    if (against?.reason === 'requirement-unmet') {
      if (!possible || possible.mayBeMet(release.requires ?? {})) return { release, unreachable };
      unreachable ??= release;
    } else if (!against || endsByItself(against)) {
      return { release, unreachable };
    }
  }
  return { release: undefined, unreachable };
}

const ENDS_BY_ITSELF: ReadonlySet<Refusal['reason']> = new Set([
  'too-young',
  'not-yet-published',
  'not-in-rollout',
  'rollout-halted',
  'rollout-unconfirmed',
  'behind-floor',
]);

/** Whether nobody has to do anything on this machine for a refusal to end: ages, rollouts and floors (D115). */
function endsByItself(against: Refusal): boolean {
  // Without a publish time, no time gives it an age.
  const isClock = against.reason === 'unknown-age' && against.clock !== undefined;
  return isClock || ENDS_BY_ITSELF.has(against.reason);
}

const NEVER_HERE: ReadonlySet<Refusal['reason']> = new Set([
  'conflicting-digest',
  'prerelease',
  'yanked',
  'no-artifact',
  'untrusted-artifact',
  'digest-changed',
  'refused-by-site',
]);

/** Why this machine never runs a release as it is published, whatever the machine has; undefined if it may. A quarantine may be lifted (D118). */
export function refusedForGood(input: ResolveInput, release: Release): Refusal | undefined {
  const against = refusal(input, release);
  return against && NEVER_HERE.has(against.reason) ? against : undefined;
}
