import type { ModuleId, ReleaseRecord } from '../core/index.ts';

/** Where release lists are read. */
export interface Registry {
  /**
   * The list of one module. Throws a RegistryError when there is no whole list to be had: never an
   * empty list in its place.
   */
  read(moduleId: ModuleId): Promise<ReleaseList>;
}

export interface ReleaseList {
  readonly records: readonly ReleaseRecord[];
  /** One line for each part of the list that was not readable and was left out, escaped. */
  readonly dropped: readonly string[];
  /** What kind of registry it came from. */
  readonly source: 'folder' | 'database' | 'sample';
  /** Where from, for a person, escaped. */
  readonly from: string;
  /** Milliseconds since the epoch; undefined for a list that was never fetched. */
  readonly fetchedAt: number | undefined;
}
