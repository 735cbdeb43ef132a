import { reachesAge } from '../releases/certain-time.ts';
import type { Eligibility } from '../releases/eligibility-policy.ts';
import { nextFloor } from '../releases/floors.ts';
import { minimumAgeOf } from '../releases/minimum-age.ts';
import { publishTime } from '../releases/publish-time.ts';
import type { Release } from '../releases/release.ts';
import type { Resolution } from '../releases/resolve.ts';
import { CONFIRMED_WITHIN_MS } from '../releases/rollout-refusal.ts';
import { confirmedAtOf } from './confirmed-at.ts';
import { DAY, type Hold } from './timing-policies.ts';
import { deployedVersion, type Deployed } from './deployed.ts';
import { requestHeldBy } from './restart.ts';
import type { Held } from './timing.ts';
import { decideChecked } from './decide.ts';
import { UPGRADE_REQUEST_MS } from './upgrade-request.ts';
import { replacementOf, wordFor, type Decision, type DecideInput } from './decision.ts';
import { replacementText } from './replacement-text.ts';

/** The next time at which the passing of time alone changes a decision. */
export interface NextChange {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /**
   * What happens then. `restart-counts`: a restart that a wrong clock recorded in the future begins to count.
   * `list-unconfirmed`: the last confirmation of the list becomes too old for a release in rollout.
   */
  readonly because:
    | 'release-published'
    | 'release-of-age'
    | 'quarantine-ends'
    | 'window-closes'
    | 'window-opens'
    | 'blackout-begins'
    | 'blackout-ends'
    | 'cooldown-ends'
    | 'ceiling-ends'
    | 'operator-hold-ends'
    | 'upgrade-request-counts'
    | 'upgrade-request-ends'
    | 'longest-hold-ends'
    | 'restart-counts'
    | 'list-too-old'
    | 'list-unconfirmed';
  /** The decision at that time. */
  readonly becomes: Decision;
}

/** What changes a decision. */
export type ChangeCause = NextChange['because'];

/** A time at which the decision may change. */
interface PossibleChange {
  readonly at: number;
  readonly because: ChangeCause;
}

/**
 * The next time at which the passing of time alone changes the word or the version of `decision`. Deciding again at that
 * time returns `becomes`. Undefined if no such time is known.
 */
export function nextChange(decision: Decision): NextChange | undefined {
  const { input } = decision;
  const { now } = input.eligibility;
  const possible = possibleChanges(decision)
    .filter(({ at }) => at > now && Number.isFinite(at))
    .toSorted((a, b) => a.at - b.at);
  for (const { at, because } of possible) {
    const becomes = decideChecked(inputAt(input, at));
    if (outcomeOf(becomes) !== outcomeOf(decision)) return { at, because, becomes };
  }
  return undefined;
}

/** The same input at another time. A `notAfter` moves to that time as well. */
function inputAt(input: DecideInput, at: number): DecideInput {
  const { eligibility } = input;
  const notAfter = eligibility.notAfter === undefined ? undefined : at;
  return { ...input, eligibility: { ...eligibility, now: at, notAfter } };
}

/** What is compared. The end of a hold and its reasons do not count as a change. */
function outcomeOf(decision: Decision): string {
  const word = wordFor(decision);
  if (decision.kind === 'stuck') return `${word} ${decision.code}`;
  const replacement = replacementOf(decision);
  return replacement ? `${word} ${replacement.direction} ${replacementText(replacement)}` : word;
}

/** If two happen at the same time, the first one is reported. */
function possibleChanges(decision: Decision): PossibleChange[] {
  const { input } = decision;
  const others = input.restartRequest ? changesWithoutRequest(input) : listChanges(decision);
  return [...timingChanges(decision), ...others];
}

/** A requested restart hides the changes of what is kept or held, up to the first one that comes before it (D41). */
function changesWithoutRequest(input: DecideInput): PossibleChange[] {
  const changes: PossibleChange[] = [];
  let change = nextChange(decideChecked({ ...input, restartRequest: undefined }));
  while (change) {
    changes.push(change);
    const { kind } = change.becomes;
    change = kind === 'keep' || kind === 'hold' ? nextChange(change.becomes) : undefined;
  }
  return changes;
}

/** The change that the end of a hold is reported as, that of what `longest_hold` bounds, too (D79); `blackout-ends` or `window-opens` for all others. */
const HOLD_ENDS: Readonly<Partial<Record<Hold['reason'], ChangeCause>>> = {
  'restart-cooldown': 'cooldown-ends',
  'restart-ceiling': 'ceiling-ends',
  'operator-hold': 'operator-hold-ends',
  veto: 'longest-hold-ends',
  'maintenance-not-allowed': 'longest-hold-ends',
  'server-busy': 'longest-hold-ends',
};

function timingChanges(decision: Decision): PossibleChange[] {
  const { timing, eligibility, restartRequest, upgradeRequest } = decision.input;
  if (decision.kind === 'hold') {
    // What holds a replacement may hold it longer than a requested restart (D41).
    const restart = restartRequest && requestHeldBy(restartRequest, decision.input);
    return [
      ...holdEnd(decision, timing),
      ...holdEnd(restart, timing),
      ...requestBegin(upgradeRequest),
    ];
  }
  if (decision.kind !== 'replace') return [];
  const { restarts, restartCooldownMs } = timing;
  const counting = restarts.flatMap((restart) => [restart - restartCooldownMs, restart - DAY]);
  const ends = requestEnd(upgradeRequest);
  return [
    ...closings(timing, eligibility.now),
    ...counting.map((at) => ({ at, because: 'restart-counts' }) as const),
    ...ends,
    // Until then, the request passes windows and blackouts.
    ...ends.flatMap(({ at }) => closings(timing, at)),
  ];
}

/** When the window that is open at `time` closes, and when the next blackout begins. */
function closings(
  { window, blackouts }: Decision['input']['timing'],
  time: number,
): PossibleChange[] {
  if (!window && !blackouts) return [];
  const begins = (blackouts ?? [])
    .filter(({ from, until }) => from > time && from < until)
    .reduce((first, { from }) => Math.min(first, from), Infinity);
  const closing = window?.closing(time);
  return [
    { at: begins, because: 'blackout-begins' },
    ...(closing === undefined ? [] : [{ at: closing, because: 'window-closes' } as const]),
  ];
}

/** A request that a clock ahead recorded counts from an hour before its time. */
function requestBegin(request: DecideInput['upgradeRequest']): PossibleChange[] {
  if (!request) return [];
  const at = request.requestedAt - UPGRADE_REQUEST_MS + 1;
  return [{ at, because: 'upgrade-request-counts' }];
}

function requestEnd(request: DecideInput['upgradeRequest']): PossibleChange[] {
  if (!request) return [];
  return [{ at: request.requestedAt + UPGRADE_REQUEST_MS, because: 'upgrade-request-ends' }];
}

function holdEnd(
  held: Held | undefined,
  { blackouts = [] }: Decision['input']['timing'],
): PossibleChange[] {
  if (held?.until === undefined) return [];
  const { until, because } = held;
  const last = because.find((hold) => hold.until === until);
  // If no reason ends at `until`, the window closes before then, or a blackout begins, which ends at `until` (D74).
  const isBlackout = blackouts.some((one) => one.until === until);
  const other = isBlackout ? 'blackout-ends' : 'window-opens';
  return [{ at: until, because: (last && HOLD_ENDS[last.reason]) ?? other }];
}

/** When a release becomes eligible that is refused now, or the saved list becomes too old. */
function listChanges({ input, resolution }: Decision): PossibleChange[] {
  const { list, quarantine, previous, failed, deployed, maxIndexAgeMs } = input;
  if (!resolution || 'error' in list) return [];
  const { stale, index } = list;
  const previousRelease = previous && index.find(previous);
  // After a failure, a deployed version that becomes eligible ends the recovery (D37).
  const reported = failed && deployedVersion(deployed);
  const reportedRelease = reported && index.find(reported);
  const { minimumAge, notAfter } = input.eligibility;
  const { firstSeen, clock } = list;
  const terms = { minimumAge, notAfter, deployed: deployedVersion(deployed), firstSeen, clock };
  return [
    ...(stale
      ? [{ at: stale.confirmedAt + maxIndexAgeMs + 1, because: 'list-too-old' } as const]
      : []),
    ...confirmationEnd(confirmedAtOf(list), resolution),
    ...quarantine.map(
      ({ until = Infinity }) => ({ at: until, because: 'quarantine-ends' }) as const,
    ),
    ...laterCandidates(resolution, deployed).flatMap((release) => releaseChanges(release, terms)),
    ...(previousRelease ? releaseChanges(previousRelease, terms) : []),
    ...(reportedRelease ? releaseChanges(reportedRelease, terms) : []),
  ];
}

/**
 * A release in rollout is refused once the confirmation of the list is too old. Time never includes a machine (D51). One that is behind
 * a floor may be why the machine is stuck (D90).
 */
function confirmationEnd(
  confirmedAt: number | undefined,
  resolution: Resolution,
): PossibleChange[] {
  if (confirmedAt === undefined) return [];
  const isInRollout =
    (resolution.kind === 'resolved' && resolution.release.rollout !== undefined) ||
    nextFloor(resolution.input) !== undefined;
  if (!isInRollout) return [];
  return [{ at: confirmedAt + CONFIRMED_WITHIN_MS + 1, because: 'list-unconfirmed' }];
}

/** The releases that the constraint accepts and that may be selected later in place of the one that it selects now. */
function laterCandidates(resolution: Resolution, { kind }: Deployed): Release[] {
  const { constraint, index, eligibility } = resolution.input;
  const { minimumAge, notAfter } = eligibility;
  // Without these two policies, the eligibility of a release does not depend on the time.
  if (!minimumAge && notAfter === undefined) return [];
  const chosen = resolution.kind === 'resolved' ? resolution.release : undefined;
  // A lower release may be selected later: instead of a deprecated one (D96), or before a floor that does not count until then (D91).
  const mayBeLower = kind === 'unknown' && index.floors().length > 0;
  const isLast = chosen?.deprecated === undefined && !mayBeLower;
  const last = isLast ? chosen?.version.text : undefined;
  const releases: Release[] = [];
  for (const release of index.candidates(constraint)) {
    if (release.version.text === last) break;
    releases.push(release);
  }
  return releases;
}

type AgeTerms = Pick<Eligibility, 'minimumAge' | 'notAfter' | 'deployed' | 'firstSeen' | 'clock'>;

function releaseChanges(release: Release, terms: AgeTerms): PossibleChange[] {
  const { notAfter, firstSeen, clock } = terms;
  const publishedAt = publishTime(release, firstSeen);
  if (publishedAt === undefined) return [];
  // If no time is certain, the decision is the same then: the age stays unknown (D57).
  const ageMs = minimumAgeOf(release, terms);
  const ofAge = ageMs === undefined ? undefined : reachesAge(publishedAt, ageMs, clock);
  return [
    ...(notAfter === undefined ? [] : [{ at: publishedAt, because: 'release-published' } as const]),
    ...(ofAge === undefined ? [] : [{ at: ofAge, because: 'release-of-age' } as const]),
  ];
}
