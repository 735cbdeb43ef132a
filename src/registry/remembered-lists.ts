import { LRUCache } from 'lru-cache';
import type { ModuleId } from '../core/index.ts';
import { SavedListsError, type SavedList, type SavedLists } from './saved-lists.ts';

/** Bytes of answers whose lists are kept at hand: those of 1,000 modules with 1,000 releases are less. */
const MOST_BYTES = 512 * 1024 * 1024;
/** What a list takes at least, so that there are never more than 10,000: a count of its own would take its room at once. */
const LEAST_BYTES = MOST_BYTES / 10_000;
/** What a digest that was lost takes besides. */
const LOST_BYTES = 150;
/**
 * A confirmation is not written more often than this: a restart then believes the list to be that much older. What
 * this process wrote itself, it need not write again for longer.
 */
const CONFIRM_MS = 1000;
const CONFIRM_OWN_MS = 10 * 60_000;

interface Written {
  readonly list: SavedList;
  readonly stamp: string | undefined;
  readonly isOwn: boolean;
}

/** The lists of one registry: at hand, and saved where there is a place for them. */
export class RememberedLists {
  readonly #address: string;
  readonly #saved: SavedLists | undefined;
  readonly #onTrouble: (error: SavedListsError) => void;
  readonly #atHand = new LRUCache<ModuleId, SavedList>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ size, lost }) =>
      Math.ceil(Math.max(LEAST_BYTES, size + lost.length * LOST_BYTES)),
  });
  /** What the disk holds of lists at hand, and its stamp there. */
  readonly #written = new WeakMap<SavedList, Written>();
  /** Lists at hand that are those of the disk, as of this version of it. */
  #current = new WeakSet<SavedList>();
  #version: number | undefined;

  /** `onTrouble` is told where saved lists cannot be used; those at hand are, all the same. */
  constructor(
    address: string,
    saved: SavedLists | undefined,
    onTrouble: (error: SavedListsError) => void,
  ) {
    this.#address = address;
    this.#saved = saved;
    this.#onTrouble = onTrouble;
  }

  /**
   * The list that was remembered last, whichever process did so. The one at hand, where the disk does not tell;
   * none, where another process forgot it.
   */
  get(moduleId: ModuleId): SavedList | undefined {
    this.#checkVersion();
    return this.#get(moduleId);
  }

  /** The same of many: the disk is asked once whether anything was written. */
  getAll(moduleIds: readonly ModuleId[]): ReadonlyMap<ModuleId, SavedList> {
    this.#checkVersion();
    const lists = new Map<ModuleId, SavedList>();
    for (const moduleId of moduleIds) {
      const list = this.#get(moduleId);
      if (list) lists.set(moduleId, list);
    }
    return lists;
  }

  #checkVersion(): void {
    const disk = this.#trying((saved) => ({ version: saved.version() }));
    if (disk && disk.version === this.#version) return;
    this.#version = disk?.version;
    this.#current = new WeakSet();
  }

  #get(moduleId: ModuleId): SavedList | undefined {
    const list = this.#atHand.get(moduleId);
    const written = list && this.#written.get(list);
    if (!this.#saved || (list && !written)) return list;
    if (list && this.#current.has(list)) return list;
    const disk = this.#trying((saved) => ({ stamp: saved.stamp(this.#address, moduleId) }));
    if (!disk) return list;
    if (list && written?.stamp === disk.stamp) {
      this.#current.add(list);
      return list;
    }
    this.#atHand.delete(moduleId);
    return disk.stamp === undefined ? undefined : this.#load(moduleId, disk.stamp);
  }

  /** The list at hand, whatever other processes did since; the one on the disk where none is. */
  atHand(moduleId: ModuleId): SavedList | undefined {
    return this.#atHand.get(moduleId) ?? this.get(moduleId);
  }

  set(moduleId: ModuleId, list: SavedList): void {
    this.#atHand.set(moduleId, list);
    this.#trying((saved) => {
      const before = saved.version();
      saved.save(this.#address, moduleId, list);
      // What this process wrote itself is no reason to look at everything again.
      if (before === this.#version) this.#version = saved.version();
      const stamp = saved.stamp(this.#address, moduleId);
      // A list that gave way to a later one is read anew.
      this.#note(list, stamp?.endsWith(list.digest) === true ? stamp : undefined, true);
    });
  }

  /** Remembers that `lists` are still what they were, and gives them back so. */
  confirm(
    lists: ReadonlyMap<ModuleId, SavedList>,
    confirmation: Pick<SavedList, 'confirmedAt' | 'sequence'>,
  ): ReadonlyMap<ModuleId, SavedList> {
    const confirmed = new Map<ModuleId, SavedList>();
    const due = new Map<ModuleId, SavedList>();
    for (const [moduleId, list] of lists) {
      const next = { ...list, ...confirmation };
      const written = this.#written.get(list);
      confirmed.set(moduleId, next);
      if (!written) this.set(moduleId, next);
      else {
        this.#atHand.set(moduleId, next);
        this.#written.set(next, written);
        if (this.#current.has(list)) this.#current.add(next);
        if (!isRecent(written, next)) due.set(moduleId, next);
      }
    }
    if (due.size === 0) return confirmed;
    this.#trying((saved) => {
      saved.confirm(this.#address, due);
      for (const list of due.values()) this.#note(list, this.#written.get(list)?.stamp, true);
    });
    return confirmed;
  }

  #load(moduleId: ModuleId, stamp: string): SavedList | undefined {
    const list = this.#trying((saved) => saved.read(this.#address, moduleId));
    if (!list) return undefined;
    this.#note(list, stamp, false);
    this.#atHand.set(moduleId, list);
    return list;
  }

  #note(list: SavedList, stamp: string | undefined, isOwn: boolean): void {
    this.#written.set(list, { list, stamp, isOwn });
  }

  #trying<T>(work: (saved: SavedLists) => T): T | undefined {
    try {
      return this.#saved && work(this.#saved);
    } catch (error) {
      if (!(error instanceof SavedListsError)) throw error;
      this.#onTrouble(error);
      return undefined;
    }
  }
}

/** Whether what is on the disk says nearly the same. */
function isRecent({ list: before, isOwn }: Written, { confirmedAt, sequence }: SavedList): boolean {
  const most = isOwn ? CONFIRM_OWN_MS : CONFIRM_MS;
  return (
    before.sequence === sequence &&
    before.confirmedAt <= confirmedAt &&
    confirmedAt - before.confirmedAt < most
  );
}
