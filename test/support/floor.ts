import type { ReleaseRecord } from '../../src/core/index.ts';

/** A release that a machine has to run before any higher one. */
export function floor(
  version: string,
  more: Omit<ReleaseRecord, 'version' | 'floor'> = {},
): ReleaseRecord {
  return { version, floor: true, ...more };
}
