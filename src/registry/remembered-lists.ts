import { LRUCache } from 'lru-cache';
import type { ModuleId } from '../core/index.ts';
import { noteOrigin } from './list-origin.ts';
import type { FirstSeen } from '../core/releases/publish-time.ts';
import { pack } from './packed-records.ts';
import { SavedListsError, type SavedList, type SavedLists } from './saved-lists.ts';

/** The total size of the responses whose lists stay in memory: 1,000 modules with 1,000 releases each fit. */
const MOST_BYTES = 512 * 1024 * 1024;
/** The least size that a list counts with, which limits the cache to 10,000 lists: `max` would allocate them at once. */
const LEAST_BYTES = MOST_BYTES / 10_000;
/** The additional size of each missing digest, and of each release that was not in the first list. */
const LOST_BYTES = 150;
const SEEN_BYTES = 150;
/**
 * Confirmations of a list are written at most this often, so that after a restart the list seems older by up to this.
 * The interval is longer for a list that this process wrote itself.
 */
const CONFIRM_MS = 1000;
const CONFIRM_OWN_MS = 10 * 60_000;

/** What is on disk about a list in memory. */
interface Written {
  readonly list: SavedList;
  readonly stamp: string | undefined;
  readonly isOwn: boolean;
  /** False if the disk did not take the list: `stamp` is then that of the list which it would have replaced. */
  readonly isSaved: boolean;
}

/** The lists of one registry, in memory and, with `saved`, on disk. */
export class RememberedLists {
  readonly #address: string;
  readonly #saved: SavedLists | undefined;
  readonly #onTrouble: (error: SavedListsError) => void;
  readonly #inMemory = new LRUCache<ModuleId, SavedList>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ size, lost, firstSeen }) => {
      const history = lost.length * LOST_BYTES + firstSeen.added.size * SEEN_BYTES;
      return Math.ceil(Math.max(LEAST_BYTES, size + history));
    },
  });
  /** For each list in memory, the version of it on disk and that version's stamp. */
  readonly #written = new WeakMap<SavedList, Written>();
  /** Lists in memory that equal those on disk at `#version`. */
  #current = new WeakSet<SavedList>();
  #version: number | undefined;

  /** `onTrouble` is called when saved lists cannot be used. The lists in memory are then used alone. */
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
   * The list that any process remembered last; undefined if another process has removed it. If the disk cannot be
   * read, the list in memory.
   */
  get(moduleId: ModuleId): SavedList | undefined {
    this.#checkVersion();
    return this.#get(moduleId);
  }

  /** The same for several modules, with one check whether another process has written. */
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
    const disk = this.#withSaved((saved) => ({ version: saved.version() }));
    if (disk && disk.version === this.#version) return;
    this.#version = disk?.version;
    this.#current = new WeakSet();
  }

  #get(moduleId: ModuleId): SavedList | undefined {
    const list = this.#inMemory.get(moduleId);
    const written = list && this.#written.get(list);
    if (list && !written) return list;
    if (list && this.#current.has(list)) return list;
    const disk = this.#withSaved((saved) => ({ stamp: saved.stamp(this.#address, moduleId) }));
    if (!disk) return list;
    if (list && written?.stamp === disk.stamp) {
      this.#current.add(list);
      return list;
    }
    this.#inMemory.delete(moduleId);
    return disk.stamp === undefined ? undefined : this.#load(moduleId, disk.stamp);
  }

  /** The list in memory, even if another process has replaced it; if there is none, the list on disk. */
  inMemory(moduleId: ModuleId): SavedList | undefined {
    return this.#inMemory.get(moduleId) ?? this.get(moduleId);
  }

  /** When releases of a module were first seen, although its list is no longer saved. */
  firstSeen(moduleId: ModuleId): FirstSeen | undefined {
    return this.#withSaved((saved) => saved.firstSeen(this.#address, moduleId));
  }

  set(moduleId: ModuleId, list: SavedList): void {
    this.#put(moduleId, list, 'save');
  }

  /** The same for a list whose number may be lower. */
  replace(moduleId: ModuleId, list: SavedList): void {
    this.#put(moduleId, list, 'replace');
  }

  #put(moduleId: ModuleId, list: SavedList, how: 'save' | 'replace'): void {
    this.#inMemory.set(moduleId, list);
    noteOrigin(list.records, { address: this.#address, digest: list.digest });
    this.#withSaved((saved) => {
      const before = saved.version();
      const replaced = saved.stamp(this.#address, moduleId);
      this.#note(list, { stamp: replaced, isOwn: true, isSaved: false });
      saved[how](this.#address, moduleId, list);
      // A write of this process is no reason to check every list again.
      if (before === this.#version) this.#version = saved.version();
      const stamp = saved.stamp(this.#address, moduleId);
      // If a later list on disk was kept instead, it is read next time.
      const own = stamp?.endsWith(list.digest) === true ? stamp : undefined;
      this.#note(list, { stamp: own, isOwn: true, isSaved: true });
    });
  }

  /** Remembers that `lists` are unchanged. Returns them with the confirmation. */
  confirm(
    lists: ReadonlyMap<ModuleId, SavedList>,
    confirmation: Pick<SavedList, 'confirmedAt' | 'certainAt' | 'sequence' | 'history'>,
  ): ReadonlyMap<ModuleId, SavedList> {
    const confirmed = new Map<ModuleId, SavedList>();
    const due = new Map<ModuleId, SavedList>();
    for (const [moduleId, list] of lists) {
      const next = { ...list, ...confirmation };
      const written = this.#written.get(list);
      confirmed.set(moduleId, next);
      if (written?.isSaved !== true) this.set(moduleId, next);
      else {
        this.#inMemory.set(moduleId, next);
        this.#written.set(next, written);
        if (this.#current.has(list)) this.#current.add(next);
        if (!isRecent(written, next)) due.set(moduleId, next);
      }
    }
    if (due.size === 0) return confirmed;
    this.#withSaved((saved) => {
      saved.confirm(this.#address, due);
      for (const list of due.values()) {
        const stamp = this.#written.get(list)?.stamp;
        this.#note(list, { stamp, isOwn: true, isSaved: true });
      }
    });
    return confirmed;
  }

  #load(moduleId: ModuleId, stamp: string): SavedList | undefined {
    const read = this.#withSaved((saved) => saved.read(this.#address, moduleId));
    if (!read) return undefined;
    const list = { ...read, records: pack(read.records) };
    noteOrigin(list.records, { address: this.#address, digest: list.digest });
    this.#note(list, { stamp, isOwn: false, isSaved: true });
    this.#inMemory.set(moduleId, list);
    return list;
  }

  #note(list: SavedList, written: Omit<Written, 'list'>): void {
    this.#written.set(list, { list, ...written });
  }

  /** Undefined without storage, or if it fails. */
  #withSaved<T>(work: (saved: SavedLists) => T): T | undefined {
    try {
      return this.#saved && work(this.#saved);
    } catch (error) {
      if (!(error instanceof SavedListsError)) throw error;
      this.#onTrouble(error);
      return undefined;
    }
  }
}

/** Whether the confirmation on disk is recent enough not to be written again. */
function isRecent(
  { list: before, isOwn }: Written,
  { confirmedAt, sequence, history }: SavedList,
): boolean {
  const most = isOwn ? CONFIRM_OWN_MS : CONFIRM_MS;
  return (
    before.sequence === sequence &&
    before.history === history &&
    before.confirmedAt <= confirmedAt &&
    confirmedAt - before.confirmedAt < most
  );
}
