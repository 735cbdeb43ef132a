import type { ModuleId } from '../core/index.ts';
import type { KnownDigest } from './known-digests.ts';
import type { FetchedList } from './remote-registry.ts';

/** A list as a registry gave it, and what is remembered with it. */
export interface SavedList extends FetchedList {
  /** Digests that the registry gave once and that the list does not give. */
  readonly lost: readonly KnownDigest[];
  /** When the registry last said that this is the list, in milliseconds since the epoch. */
  readonly confirmedAt: number;
  /** The sequence of the registry's changes when it said so, where it has one. */
  readonly sequence: number | undefined;
}

/**
 * Where lists outlive the process, by the address of their registry and their module. Every method is
 * done when it returns, and throws a SavedListsError where it cannot be.
 */
export interface SavedLists {
  read(address: string, moduleId: ModuleId): SavedList | undefined;
  /**
   * Another text whenever `read` would give another list, confirmations aside, that ends with the list's digest;
   * undefined without a list.
   */
  stamp(address: string, moduleId: ModuleId): string | undefined;
  /** Another number once any list may have been written, by whichever process. */
  version(): number;
  /** Keeps `list`, unless a list of a higher generation is there. */
  save(address: string, moduleId: ModuleId, list: SavedList): void;
  /** Keeps `list`, whatever is there. */
  replace(address: string, moduleId: ModuleId, list: SavedList): void;
  /** Notes when and as of which sequence lists are still what they were; not of one that is another by now. */
  confirm(address: string, lists: ReadonlyMap<ModuleId, SavedList>): void;
}

/** Lists cannot be saved or read. The message is one escaped line. */
export class SavedListsError extends Error {
  override readonly name = 'SavedListsError';
  readonly kind: 'locked' | 'state-unreadable' | 'state-write';

  constructor(kind: SavedListsError['kind'], message: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}
