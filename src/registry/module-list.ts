import {
  indexReleases,
  type ModuleList,
  type ReleaseIndex,
  type ReleaseRecord,
} from '../core/index.ts';
import type { Reading } from './registry.ts';

/** What a reading says of a module, as a plan asks for it. (D21) */
export function moduleListOf(reading: Reading): ModuleList {
  if (!reading.ok) return reading;
  const { records, changedDigests, stale, fetchedAt = 0 } = reading.value;
  return {
    index: indexOf(records),
    changedDigests,
    stale: stale && { confirmedAt: fetchedAt, message: stale.message },
  };
}

/** By the list that they are made of: one that did not change is not sorted again. */
const INDEXES = new WeakMap<readonly ReleaseRecord[], ReleaseIndex>();

function indexOf(records: readonly ReleaseRecord[]): ReleaseIndex {
  const index = INDEXES.get(records) ?? indexReleases(records);
  INDEXES.set(records, index);
  return index;
}
