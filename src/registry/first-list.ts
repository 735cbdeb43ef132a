import type { FirstSeen } from '../core/releases/publish-time.ts';
import type { KnownTime } from './certain-clock.ts';

export const NONE: FirstSeen['added'] = new Map();

/** The time and the first-seen times of a list without a history: it is trusted up to the moment when it was read. */
export function firstList(now: number): {
  readonly fetchedAt: number;
  readonly firstSeen: FirstSeen;
} {
  return { fetchedAt: now, firstSeen: { since: now, added: NONE } };
}

/**
 * The first-seen times of a list without a history that was just read. While the time is not certain, they limit nothing: a
 * limit that is too early would make a release older (D58).
 */
export function firstSeenNow(time: KnownTime): FirstSeen {
  return { since: time.kind === 'certain' ? time.at : Infinity, added: NONE };
}
