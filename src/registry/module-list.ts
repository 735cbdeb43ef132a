import { indexReleases, type ModuleList } from '../core/index.ts';
import type { Reading } from './registry.ts';

/** What a reading says of a module, as a plan asks for it. (D21) */
export function moduleListOf(reading: Reading): ModuleList {
  if (!reading.ok) return reading;
  const { records, changedDigests, stale, fetchedAt = 0 } = reading.value;
  return {
    index: indexReleases(records),
    changedDigests,
    stale: stale && { confirmedAt: fetchedAt, message: stale.message },
  };
}
