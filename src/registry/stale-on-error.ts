import { changedDigests } from './known-digests.ts';
import { describeDuration } from '../core/text/duration.ts';
import { RegistryError } from './registry-error.ts';
import type { ListResult, ReleaseList } from './registry.ts';
import type { SavedList } from './saved-lists.ts';

/** A saved list as an answer, from the registry that is called `from`. */
export function answerOf(list: SavedList, from: string, source: 'network' | 'saved'): ReleaseList {
  const { records, dropped, lost, confirmedAt } = list;
  const changed = changedDigests(records, lost);
  return { records, dropped, source, from, fetchedAt: confirmedAt, changedDigests: changed };
}

/** Whether and how long ago a list was confirmed, and who asks. */
export interface StandingIn {
  readonly list: SavedList | undefined;
  readonly from: string;
  readonly now: number;
  readonly maxIndexAgeMs: number;
}

/**
 * The saved list in place of the registry's, which could not be had because of `error`. It is `error` that
 * stays where none is saved or where the registry went backwards, and `list-stale` where the list was
 * confirmed too long ago.
 */
export function staleOnError(
  error: RegistryError,
  { list, from, now, maxIndexAgeMs }: StandingIn,
): ListResult {
  // A registry that went backwards is an error; one that cannot be reached is replaced by its saved list (D21, D22).
  if (!list || error.kind === 'registry-regressed') return { ok: false, error };
  const age = now - list.confirmedAt;
  if (age <= maxIndexAgeMs) {
    return { ok: true, value: { ...answerOf(list, from, 'saved'), stale: error } };
  }
  const since = `confirmed ${describeDuration(age)} ago, and at most ${describeDuration(maxIndexAgeMs)} counts`;
  const message = `${error.message}; the list that is saved was ${since}`;
  const stale = new RegistryError('list-stale', message, { cause: error, hint: error.hint });
  return { ok: false, error: stale };
}
