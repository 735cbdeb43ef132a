import { scheduler } from 'node:timers/promises';
import {
  indexReleases,
  type ModuleId,
  type ModuleList,
  type ReleaseIndex,
  type ReleaseRecord,
} from '../core/index.ts';
import type { ListResult } from './registry.ts';

/** What a reading says of a module, as a plan asks for it. */
export function moduleListOf(reading: ListResult): ModuleList {
  if (!reading.ok) return reading;
  // A plan shows since when a saved list is used in place of the registry's, and why (D21).
  const { records, changedDigests, stale, fetchedAt = 0 } = reading.value;
  return {
    index: indexOf(records),
    changedDigests,
    stale: stale && { confirmedAt: fetchedAt, message: stale.message },
  };
}

/**
 * What readings say of their modules. A list that is new is sorted, which takes its time, with a turn for everything
 * else after each: a plan of all of them does not have to.
 */
export async function moduleListsOf(
  readings: ReadonlyMap<ModuleId, ListResult>,
): Promise<ReadonlyMap<ModuleId, ModuleList>> {
  const lists = new Map<ModuleId, ModuleList>();
  for (const [moduleId, reading] of readings) {
    const isNew = reading.ok && !INDEXES.has(reading.value.records);
    const list = moduleListOf(reading);
    lists.set(moduleId, list);
    if (!isNew || 'error' in list) continue;
    // Sorting a new list before the plan keeps the plan from blocking the process (T67).
    list.index.releases();
    await scheduler.yield();
  }
  return lists;
}

/** By the list that they are made of: one that did not change is not sorted again. */
const INDEXES = new WeakMap<readonly ReleaseRecord[], ReleaseIndex>();

function indexOf(records: readonly ReleaseRecord[]): ReleaseIndex {
  const index = INDEXES.get(records) ?? indexReleases(records);
  INDEXES.set(records, index);
  return index;
}
