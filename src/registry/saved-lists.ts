import type { Eligibility, ModuleId } from '../core/index.ts';
import type { ReleaseList } from './registry.ts';

/** A release list as a registry served it, with its known history. */
export interface SavedList extends Pick<ReleaseList, 'records' | 'dropped' | 'generation'> {
  /** The SHA-256 of the response body, in hexadecimal. */
  readonly digest: string;
  /** Present if an earlier modreg saved it, which does not read all fields of releases: it is read again (T391). */
  readonly isPartlyRead?: true | undefined;
  /** The length of the response body, in bytes. */
  readonly size: number;
  /** The entity tag of the response, for a conditional request; undefined if it has none. */
  readonly etag: string | undefined;
  /** Digests that the registry served earlier and that this list lacks. Releases with other digests are refused. */
  readonly lost: readonly {
    /** The version as published. */
    readonly version: string;
    /** The platform by its canonical name: `linux/arm64`. */
    readonly platform: string;
    /** The digest that was served first: `sha256:…`. */
    readonly digest: string;
  }[];
  /** When releases were first seen in a list of this module. */
  readonly firstSeen: NonNullable<Eligibility['firstSeen']>;
  /** When the registry last confirmed that this list is current, in milliseconds since the epoch. */
  readonly confirmedAt: number;
  /** The last such time that was certain; undefined if none was (D57). */
  readonly certainAt?: number | undefined;
  /** The registry's sequence number at that time; undefined unless its change feed has named the module. */
  readonly sequence: number | undefined;
  /** The history that the sequence number belongs to; undefined without a number, or if the feed does not name it. */
  readonly history: string | undefined;
}

/**
 * Storage in which release lists outlive the process, by registry address and module. `savedListsIn` of `modreg/store`
 * creates it. A change is on disk when the method returns. Methods throw a SavedListsError if the storage fails.
 */
export interface SavedLists {
  /** The list of a module; undefined if none is saved. */
  read(address: string, moduleId: ModuleId): SavedList | undefined;
  /**
   * Text that changes whenever the list that `read` returns changes, except for confirmations. It ends with the
   * list's digest; undefined if none is saved. Cheaper than `read`.
   */
  stamp(address: string, moduleId: ModuleId): string | undefined;
  /** When releases of a module were first seen, even if its list is no longer saved; undefined if none ever was. */
  firstSeen(address: string, moduleId: ModuleId): Eligibility['firstSeen'];
  /** A number that changes whenever a process may have written a list. */
  version(): number;
  /** Saves `list`, unless the saved list has a higher generation. */
  save(address: string, moduleId: ModuleId, list: SavedList): void;
  /** Saves `list`, whatever is saved already. */
  replace(address: string, moduleId: ModuleId, list: SavedList): void;
  /** The text that was saved for this pin of a trust document; undefined if none was. Without this method, none is saved. */
  trust?(pin: string): string | undefined;
  /** Saves the text of the trust document with this pin. */
  saveTrust?(pin: string, text: string): void;
  /** Updates `confirmedAt`, `certainAt`, `sequence` and `history` of the saved lists whose digest equals that of the given list. */
  confirm(address: string, lists: ReadonlyMap<ModuleId, SavedList>): void;
}

/**
 * Release lists cannot be saved or read. The message is one escaped line.
 *
 * @example
 * ```ts
 * import { openRegistries, type SavedListsError } from 'modreg/registry';
 * import { openMachineFile, savedListsIn } from 'modreg/store';
 *
 * const saved = savedListsIn(openMachineFile('machine.db'));
 * const onTrouble = ({ kind, message }: SavedListsError): void => console.error(kind, message);
 * export const registries = openRegistries({ saved, onTrouble });
 * ```
 */
export class SavedListsError extends Error {
  override readonly name = 'SavedListsError';
  /** Another process locks the storage for too long, it cannot be read, or it cannot be written. */
  readonly kind: 'locked' | 'state-unreadable' | 'state-write';

  /** `cause` is the error of the storage. */
  constructor(kind: SavedListsError['kind'], message: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}
