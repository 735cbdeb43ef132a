import { scheduler } from 'node:timers/promises';
import {
  indexReleases,
  type ModuleId,
  type ModuleList,
  type ReleaseIndex,
  type ReleaseRecords,
} from '../core/index.ts';
import { noteOrigin, originOf } from './list-origin.ts';
import type { ListResult } from './registry.ts';

/** A list result as a plan needs it. */
export function moduleListOf(result: ListResult): ModuleList {
  if (!result.ok) return result;
  // A plan shows why a saved list is used instead of the registry's, and when it was last confirmed (D21).
  const { records, changedDigests, firstSeen, trust, clock, stale, fetchedAt } = result.value;
  const { isDescribedApart } = result.value;
  return {
    index: indexOf(records),
    changedDigests,
    firstSeen,
    trust,
    clock,
    readAt: fetchedAt,
    ...(isDescribedApart && { isDescribedApart }),
    stale: stale && { confirmedAt: fetchedAt ?? 0, message: stale.message, words: stale.words },
  };
}

/**
 * List results as a plan needs them. Each new list is sorted here, followed by one event-loop turn, so that the plan
 * does not have to sort them all at once.
 */
export async function moduleListsOf(
  results: ReadonlyMap<ModuleId, ListResult>,
): Promise<ReadonlyMap<ModuleId, ModuleList>> {
  const lists = new Map<ModuleId, ModuleList>();
  for (const [moduleId, result] of results) {
    const isNew = result.ok && !INDEXES.has(result.value.records);
    const list = moduleListOf(result);
    lists.set(moduleId, list);
    if (!isNew || 'error' in list) continue;
    // Sorting a new list before the plan keeps the plan from blocking the process (T67).
    list.index.releases();
    await scheduler.yield();
  }
  return lists;
}

/** By release list, so that an unchanged list is not sorted again. */
const INDEXES = new WeakMap<ReleaseRecords, ReleaseIndex>();

function indexOf(records: ReleaseRecords): ReleaseIndex {
  const index = INDEXES.get(records) ?? indexReleases(records);
  noteOrigin(index, originOf(records));
  INDEXES.set(records, index);
  return index;
}
