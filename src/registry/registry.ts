import type { DigestChange, ModuleId, Result } from '../core/index.ts';
import type { DecodedList } from './formats/decoded-list.ts';
import type { RegistryError } from './registry-error.ts';

/** Where release lists are read. */
export interface Registry {
  /**
   * The list of one module. Throws a RegistryError when there is no whole list to be had: never an
   * empty list in its place.
   */
  read(moduleId: ModuleId, signal?: AbortSignal): Promise<ReleaseList>;
}

export interface ReleaseList extends DecodedList {
  /** What it came from: `saved` is what a registry over the network said earlier. */
  readonly source: 'network' | 'saved' | 'folder' | 'database' | 'sample';
  /** Where from, for a person, escaped. */
  readonly from: string;
  /** When that said so last, in milliseconds since the epoch; undefined for a list that is built in. */
  readonly fetchedAt: number | undefined;
  /** The releases of which a file is not what it was at first, by the text of the version. (D22) */
  readonly changedDigests?: ReadonlyMap<string, DigestChange>;
  /** Why a saved list stands in for that of the registry. (D21) */
  readonly stale?: RegistryError | undefined;
}

/** The list of one module of many, or why there is none. */
export type ListResult = Result<ReleaseList, RegistryError>;
