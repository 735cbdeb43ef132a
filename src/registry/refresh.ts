import { scheduler } from 'node:timers/promises';
import type { ModuleId } from '../core/index.ts';
import type { Clock } from './clock.ts';
import { checkProgress } from './progress.ts';
import { RegistryError } from './registry-error.ts';
import type { RememberedLists } from './remembered-lists.ts';
import type { FetchedList, RemoteRegistry, RequestContext } from './remote-registry.ts';
import type { SavedList } from './saved-lists.ts';

/** A registry, and what is remembered of it. */
export interface Memory {
  readonly remote: RemoteRegistry;
  readonly lists: RememberedLists;
  readonly clock: Clock;
}

/** The list of a module as the registry has it now, or why it cannot be had. */
export type Refreshed = SavedList | RegistryError;

/**
 * Asks for the list of a module, and remembers it with the sequence of the registry's changes at which it
 * is asked for. A list that cannot follow the one before is an error. Rejects only with the reason of the
 * round's signal.
 */
export async function refresh(
  moduleId: ModuleId,
  memory: Memory,
  round: RequestContext,
  sequence?: number,
): Promise<Refreshed> {
  try {
    return await refreshed(moduleId, memory, round, sequence);
  } catch (error) {
    if (error instanceof RegistryError) return error;
    throw error;
  }
}

async function refreshed(
  moduleId: ModuleId,
  { remote, lists, clock }: Memory,
  round: RequestContext,
  sequence: number | undefined,
): Promise<SavedList> {
  // What it is good for is its entity tag.
  const known = lists.atHand(moduleId);
  const fetched = await fetchOnceMore(moduleId, known, remote, round);
  const last = lists.get(moduleId);
  // What was true of an earlier list at a sequence is true of a later one.
  const confirmation = { confirmedAt: clock.now(), sequence: sequence ?? last?.sequence };
  if (last?.digest === fetched.digest) {
    const same = fetched.etag === last.etag ? last : { ...last, etag: fetched.etag };
    return lists.confirm(new Map([[moduleId, same]]), confirmation).get(moduleId) ?? same;
  }
  // Another process asked later and was answered sooner.
  const isLate = last !== undefined && last.digest !== known?.digest;
  if (isLate && (fetched === known || isOlder(fetched, last))) return last;
  // Holding a large list to the one before takes its time, and so does saving it.
  await scheduler.yield();
  const what = `the list of ${moduleId} at ${remote.from}`;
  const lost = last ? checkProgress(last, fetched, what) : [];
  await scheduler.yield();
  const list = { ...fetched, lost, ...confirmation };
  lists.set(moduleId, list);
  return list;
}

function isOlder(fetched: FetchedList, last: SavedList): boolean {
  const { generation = Infinity } = fetched;
  return last.generation !== undefined && generation < last.generation;
}

/**
 * What is known where that is still the list. An entity tag that stands for two different answers says
 * nothing, and is not used any more.
 */
async function fetchOnceMore(
  moduleId: ModuleId,
  known: SavedList | undefined,
  remote: RemoteRegistry,
  round: RequestContext,
): Promise<FetchedList> {
  const fetched = await remote.fetch(moduleId, known, round);
  const isDoubtful =
    known?.etag !== undefined && fetched.etag === known.etag && fetched.digest !== known.digest;
  if (!isDoubtful) return fetched;
  return { ...(await remote.fetch(moduleId, undefined, round)), etag: undefined };
}
