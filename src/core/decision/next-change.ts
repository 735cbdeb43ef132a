import type { Release } from '../releases/release.ts';
import type { Resolution } from '../releases/resolve.ts';
import { DAY, type Hold } from './timing-policies.ts';
import { decide } from './decide.ts';
import {
  replacementOf,
  replacementText,
  wordFor,
  type Decision,
  type DecideInput,
} from './decision.ts';

/** The next time at which a decision changes although nothing else happens. */
export interface NextChange {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** What happens then. `restart-counts`: a restart that a wrong clock noted in the future begins to count. */
  readonly because:
    | 'release-published'
    | 'release-of-age'
    | 'quarantine-ends'
    | 'window-closes'
    | 'window-opens'
    | 'cooldown-ends'
    | 'ceiling-ends'
    | 'restart-counts'
    | 'list-too-old';
  /** The decision at that time. */
  readonly becomes: Decision;
}

/** What changes a decision. */
export type ChangeCause = NextChange['because'];

/** A time at which something ends that the decision may hang on. */
interface Turn {
  readonly at: number;
  readonly because: ChangeCause;
}

/**
 * The next time at which `decision` is another although nothing else happens: another word, or another
 * version. Asking at that time gives what it becomes. Undefined where no such time is known.
 */
export function nextChange(decision: Decision): NextChange | undefined {
  const { input } = decision;
  const { now } = input.eligibility;
  const turns = turnsOf(decision)
    .filter(({ at }) => at > now && Number.isFinite(at))
    .toSorted((a, b) => a.at - b.at);
  for (const { at, because } of turns) {
    const becomes = decide(askedAt(input, at));
    if (answerOf(becomes) !== answerOf(decision)) return { at, because, becomes };
  }
  return undefined;
}

/** The same question at another time. What was asked as of a time is asked as of that one. */
function askedAt(input: DecideInput, at: number): DecideInput {
  const { eligibility } = input;
  const notAfter = eligibility.notAfter === undefined ? undefined : at;
  return { ...input, eligibility: { ...eligibility, now: at, notAfter } };
}

/** What is compared: how long something is held, and by what, is not. */
function answerOf(decision: Decision): string {
  const word = wordFor(decision);
  if (decision.kind === 'stuck') return `${word} ${decision.code}`;
  const replacement = replacementOf(decision);
  return replacement ? `${word} ${replacement.direction} ${replacementText(replacement)}` : word;
}

/** Of two at one time the first is told. */
function turnsOf(decision: Decision): Turn[] {
  return [...timingTurns(decision), ...listTurns(decision)];
}

/** What begins when a hold ends. */
const ENDS: Readonly<Partial<Record<Hold['reason'], ChangeCause>>> = {
  'restart-cooldown': 'cooldown-ends',
  'restart-ceiling': 'ceiling-ends',
};

function timingTurns(decision: Decision): Turn[] {
  const { timing, eligibility } = decision.input;
  if (decision.kind === 'hold') {
    const { until, because } = decision;
    const last = because.find((hold) => hold.until === until);
    // What none of these ends at, a window opens at that closed meanwhile.
    const cause = (last && ENDS[last.reason]) ?? 'window-opens';
    return until === undefined ? [] : [{ at: until, because: cause }];
  }
  if (decision.kind !== 'replace') return [];
  const { window, restarts, restartCooldownMs } = timing;
  const closing = window?.closing(eligibility.now);
  const counting = restarts.flatMap((restart) => [restart - restartCooldownMs, restart - DAY]);
  return [
    ...(closing === undefined ? [] : [{ at: closing, because: 'window-closes' } as const]),
    ...counting.map((at) => ({ at, because: 'restart-counts' }) as const),
  ];
}

/** When a release may be chosen that may not be chosen now, or a list not be used that is used now. */
function listTurns({ input, resolution }: Decision): Turn[] {
  const { list, quarantine, previous, maxIndexAgeMs } = input;
  if (!resolution || 'error' in list) return [];
  const { stale, index } = list;
  const before = previous && index.find(previous);
  return [
    ...(stale
      ? [{ at: stale.confirmedAt + maxIndexAgeMs + 1, because: 'list-too-old' } as const]
      : []),
    ...quarantine.map(
      ({ until = Infinity }) => ({ at: until, because: 'quarantine-ends' }) as const,
    ),
    ...newer(resolution).flatMap((release) => releaseTurns(release, input)),
    ...(before ? releaseTurns(before, input) : []),
  ];
}

/** What the constraint would rather take than what it means now. */
function newer(resolution: Resolution): Release[] {
  const { constraint, index, eligibility } = resolution.input;
  const { minimumAge, notAfter } = eligibility;
  // Time changes nothing about releases that it is not asked of.
  if (!minimumAge && notAfter === undefined) return [];
  const chosen = resolution.kind === 'resolved' ? resolution.release.version.text : undefined;
  const releases: Release[] = [];
  for (const release of index.candidates(constraint)) {
    if (release.version.text === chosen) break;
    releases.push(release);
  }
  return releases;
}

function releaseTurns({ publishedAt }: Release, { eligibility }: DecideInput): Turn[] {
  const { notAfter, minimumAge } = eligibility;
  if (publishedAt === undefined) return [];
  return [
    ...(notAfter === undefined ? [] : [{ at: publishedAt, because: 'release-published' } as const]),
    ...(minimumAge
      ? [{ at: publishedAt + minimumAge.ms, because: 'release-of-age' } as const]
      : []),
  ];
}
