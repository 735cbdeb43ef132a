import type { DigestChange, ModuleId, ReleaseRecord, Result } from '../core/index.ts';
import type { RegistryError } from './registry-error.ts';

/** A source of release lists: a folder, a registry over the network, or another. */
export interface Registry {
  /**
   * Reads the list of one module. Throws a RegistryError where no complete list can be read, and never
   * returns an empty list instead; rejects with the reason of `signal` when that aborts.
   */
  read(moduleId: ModuleId, signal?: AbortSignal): Promise<ReleaseList>;
}

/** The releases of one module, and where the list comes from. */
export interface ReleaseList {
  /** The entries in the order of the list, including those that are not releases. */
  readonly records: readonly ReleaseRecord[];
  /** One escaped line for each part of the list that could not be read. */
  readonly dropped: readonly string[];
  /** A number that grows with each change of the list; undefined where the format has none. */
  readonly generation?: number | undefined;
  /** Where the list comes from. `saved` is one that a registry over the network served earlier. */
  readonly source: 'network' | 'saved' | 'folder' | 'database' | 'sample';
  /** The address or folder for a person, escaped. */
  readonly from: string;
  /** When the list was read or last confirmed, in milliseconds since the epoch; undefined for the sample. */
  readonly fetchedAt: number | undefined;
  /**
   * Releases with a file whose digest differs from the one first served, by version as published. Pass it to
   * `resolve` as part of the eligibility. Absent where no history is kept.
   */
  readonly changedDigests?: ReadonlyMap<string, DigestChange>;
  /** Why the saved list is used in place of the registry's; undefined for a current list. */
  readonly stale?: RegistryError | undefined;
}

/** The list of one module out of several, or why it could not be read. */
export type ListResult = Result<ReleaseList, RegistryError>;
