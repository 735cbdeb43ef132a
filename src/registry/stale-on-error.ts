import { changedDigests } from './known-digests.ts';
import { isTooOld } from '../core/releases/list-age.ts';
import { describeDuration } from '../core/text/duration.ts';
import { passing, say, toldAs } from '../core/text/time-words.ts';
import { RegistryError } from './registry-error.ts';
import type { ListResult, ReleaseList } from './registry.ts';
import type { SavedList } from './saved-lists.ts';

/** A saved list as a release list; `from` names its registry. */
export function releaseListOf(
  list: SavedList,
  from: string,
  source: 'network' | 'saved',
): ReleaseList {
  const { records, dropped, lost, confirmedAt, firstSeen } = list;
  const changed = CHANGED.get(lost) ?? changedDigests(records, lost);
  CHANGED.set(lost, changed);
  const seen = { fetchedAt: confirmedAt, changedDigests: changed, firstSeen };
  return { records, dropped, source, from, ...seen };
}

/** By the lost digests of a list, which are those of its records: comparing them decodes the whole list. */
const CHANGED = new WeakMap<SavedList['lost'], ReleaseList['changedDigests'] & object>();

/** The saved list and the limit on its age, in milliseconds. */
export interface StaleContext {
  readonly list: SavedList | undefined;
  readonly from: string;
  readonly now: number;
  readonly maxIndexAgeMs: number;
}

/**
 * The saved list, marked `stale`, for use after the registry failed with `error`. The result is `error` itself if no
 * list is saved or the registry's list went backwards or too far ahead, and a `list-stale` error if the saved list is too old, or was
 * confirmed too far in the future.
 */
export function staleOnError(
  error: RegistryError,
  { list, from, now, maxIndexAgeMs }: StaleContext,
): ListResult {
  // The saved list is used while the registry is unreachable (D21), but not instead of one that was refused (D22, D40).
  if (!list || isRefusal(error)) return { ok: false, error };
  if (!isTooOld(list.confirmedAt, now, maxIndexAgeMs)) {
    return { ok: true, value: { ...releaseListOf(list, from, 'saved'), stale: error } };
  }
  const age = now - list.confirmedAt;
  const passed = passing(describeDuration(Math.abs(age)));
  const confirmed =
    age < 0
      ? say`confirmed by a clock that was ${passed} ahead of this one`
      : say`confirmed ${passed} ago (limit ${describeDuration(maxIndexAgeMs)})`;
  const { text, words } = toldAs(
    say`${error.words ?? error.message}; the saved list was ${confirmed}`,
  );
  const { hint, retryAfterMs } = error;
  const stale = new RegistryError('list-stale', text, { cause: error, words, hint, retryAfterMs });
  return { ok: false, error: stale };
}

function isRefusal({ kind }: RegistryError): boolean {
  return kind === 'registry-regressed' || kind === 'registry-implausible';
}
