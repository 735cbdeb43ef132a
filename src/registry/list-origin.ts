import type { ReleaseIndex, ReleaseRecords } from '../core/index.ts';

/** Where a release list can be found again, and which of its contents it is. */
export interface ListOrigin {
  /** The address of the registry: that of its saved lists, or the path of a folder or a `.db` file. */
  readonly address: string;
  /** Text that differs for other contents. For a registry over the network, the digest of its saved list. */
  readonly digest: string;
}

/** The origins of lists in memory, by their records and by their index. The core does not know where a list is from. */
const ORIGINS = new WeakMap<ReleaseRecords | ReleaseIndex, ListOrigin>();

/** Remembers the origin of `list`; without an `origin`, it stays unknown. */
export function noteOrigin(
  list: ReleaseRecords | ReleaseIndex,
  origin: ListOrigin | undefined,
): void {
  if (origin) ORIGINS.set(list, origin);
}

/** The origin of `list`; undefined if it is not from a registry. */
export function originOf(list: ReleaseRecords | ReleaseIndex): ListOrigin | undefined {
  return ORIGINS.get(list);
}
