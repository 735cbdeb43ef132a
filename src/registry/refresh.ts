import { scheduler } from 'node:timers/promises';
import type { ModuleId } from '../core/index.ts';
import type { Clock } from './clock.ts';
import type { Feed, FeedPosition } from './feed.ts';
import type { KnownTime } from './certain-clock.ts';
import { firstSeenAfter, firstSeenOf, settled } from './first-seen.ts';
import { checkFirst, checkProgress } from './progress.ts';
import { RegistryError } from './registry-error.ts';
import type { RememberedLists } from './remembered-lists.ts';
import type { FetchedList, RemoteRegistry, RequestContext } from './remote-registry.ts';
import type { SavedList } from './saved-lists.ts';

/** A registry and its remembered lists. */
export interface Memory {
  readonly remote: RemoteRegistry;
  readonly lists: RememberedLists;
  readonly feed: Feed;
  readonly clock: Clock;
  /** What is known about the time, for the modules with the terms of this registry. */
  readonly time: () => KnownTime;
}

/** When a list is confirmed: by the clock, and by the time that is certain. An earlier certain time stays (D57). */
export function confirmedNow(
  clock: Clock,
  time: KnownTime,
): Pick<SavedList, 'confirmedAt' | 'certainAt'> {
  const confirmedAt = clock.now();
  return time.kind === 'certain' ? { confirmedAt, certainAt: time.at } : { confirmedAt };
}

/**
 * The list with first-seen times that do not lie after the certain time; the same object if none does (D59). Releases that were in
 * a list before a time was certain, and claim to be later, stay known as those when the list is lost.
 */
export function settledList(list: SavedList, time: KnownTime): SavedList {
  const firstSeen = settled(list.firstSeen, time);
  if (firstSeen === list.firstSeen) return list;
  const isFirst = firstSeen.since < list.firstSeen.since;
  return { ...list, firstSeen: isFirst ? firstSeenOf(list.records, firstSeen, time) : firstSeen };
}

/** The current list of a module, or why it could not be fetched. */
export type Refreshed = SavedList | RegistryError;

/**
 * Fetches the list of a module and remembers it with `position`, that of the change feed before the request. A list that
 * is older than the previous one, contradicts it or is too far ahead is an error. Rejects only with the reason of the
 * round's signal.
 */
export async function refresh(
  moduleId: ModuleId,
  memory: Memory,
  round: RequestContext,
  position?: FeedPosition,
): Promise<Refreshed> {
  try {
    return await refreshed(moduleId, memory, round, position);
  } catch (error) {
    if (error instanceof RegistryError) return error;
    throw error;
  }
}

async function refreshed(
  moduleId: ModuleId,
  { remote, lists, clock, time: knownTime }: Memory,
  round: RequestContext,
  position: FeedPosition | undefined,
): Promise<SavedList> {
  // Only its entity tag matters here, so a list in memory that another process has replaced will do.
  const known = lists.inMemory(moduleId);
  const atLeast = atLeastIn(position);
  const fetched = await fetchUnambiguous(moduleId, known, remote, { ...round, atLeast });
  const last = lists.get(moduleId);
  // A later list includes every change that the previous one includes, so its position still holds.
  const { servedIn, signedBy, ...served } = fetched;
  const { sequence, history } = positionIn(servedIn, position ?? last);
  const time = knownTime();
  const confirmation = { ...confirmedNow(clock, time), sequence, history };
  if (last?.digest === fetched.digest && !last.isPartlyRead) {
    const tagged = fetched.etag === last.etag ? last : { ...last, etag: fetched.etag };
    const same = settledList(tagged, time);
    return lists.confirm(new Map([[moduleId, same]]), confirmation).get(moduleId) ?? same;
  }
  // Another process has saved a later list while this request was under way.
  const isLate = last !== undefined && last.digest !== known?.digest;
  if (isLate && (fetched === known || isOlder(fetched, last))) return last;
  // Comparing a large list with the previous one takes long, and so does saving it.
  await scheduler.yield();
  const name = { moduleId, from: remote.from };
  const isOtherKeys = isOfOtherKeys(last, signedBy);
  const before = isOtherKeys ? { ...last, generation: undefined } : last;
  const lost = before ? checkProgress(before, fetched, name) : checkFirst(fetched, name);
  await scheduler.yield();
  const firstSeen = last
    ? firstSeenAfter(last, fetched.records, time)
    : firstSeenOf(fetched.records, lists.firstSeen(moduleId), time);
  const unsettled = { ...served, lost, firstSeen, certainAt: last?.certainAt, ...confirmation };
  const list = settledList(unsettled, time);
  if (isOtherKeys) lists.replace(moduleId, list);
  else lists.set(moduleId, list);
  return list;
}

/** Whether the root keys of a registry have replaced the keys that signed `last`: who had those may have raised its number (D196). */
function isOfOtherKeys(
  last: SavedList | undefined,
  signedBy: string | undefined,
): last is SavedList {
  if (last?.history === undefined || signedBy === undefined) return false;
  return !last.history.endsWith(signedBy);
}

/** Another server at the address may not have yet what the feed has named: an older list would look like a regression. */
function atLeastIn({ sequence, history }: Partial<FeedPosition> = {}): RequestContext['atLeast'] {
  return sequence === undefined || history === undefined ? undefined : { sequence, history };
}

/** The registry may have been replaced between the response of its feed and that with the list (D43). The history of the list stays (D196). */
function positionIn(
  servedIn: string | undefined,
  position: Partial<FeedPosition> = {},
): Partial<FeedPosition> {
  const { history } = position;
  const isOther = servedIn !== undefined && history !== undefined && servedIn !== history;
  return { sequence: isOther ? undefined : position.sequence, history: servedIn ?? history };
}

function isOlder(fetched: FetchedList, last: SavedList): boolean {
  const { generation = Infinity } = fetched;
  return last.generation !== undefined && generation < last.generation;
}

/**
 * Fetches the list; returns `known` if it is unchanged. If two different lists have the same entity tag, the list is
 * fetched again and its tag discarded.
 */
async function fetchUnambiguous(
  moduleId: ModuleId,
  known: SavedList | undefined,
  remote: RemoteRegistry,
  round: RequestContext,
): Promise<FetchedList> {
  const fetched = await remote.fetch(moduleId, known, round);
  const isAmbiguous =
    known?.etag !== undefined && fetched.etag === known.etag && fetched.digest !== known.digest;
  if (!isAmbiguous) return fetched;
  return { ...(await remote.fetch(moduleId, undefined, round)), etag: undefined };
}
