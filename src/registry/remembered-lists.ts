import { LRUCache } from 'lru-cache';
import type { ModuleId } from '../core/index.ts';
import { SavedListsError, type SavedList, type SavedLists } from './saved-lists.ts';

/** Bytes of answers whose lists are kept at hand. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_LISTS = 10_000;
/** A confirmation is not written more often than this: a restart then believes the list to be that much older. */
const CONFIRM_MS = 1000;

/** The lists of one registry: at hand, and saved where there is a place for them. */
export class RememberedLists {
  readonly #address: string;
  readonly #saved: SavedLists | undefined;
  readonly #onTrouble: (error: SavedListsError) => void;
  readonly #atHand = new LRUCache<ModuleId, SavedList>({
    max: MOST_LISTS,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ size }) => Math.max(1, size),
  });
  /** What the disk holds of lists at hand. */
  readonly #written = new WeakMap<SavedList, SavedList>();

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

  get(moduleId: ModuleId): SavedList | undefined {
    return this.#atHand.get(moduleId) ?? this.#load(moduleId);
  }

  /** The list that the next one must follow, whichever process remembered it. */
  last(moduleId: ModuleId): SavedList | undefined {
    const list = this.#atHand.peek(moduleId);
    if (!this.#saved || (list && !this.#written.has(list))) return list;
    const digest = this.#trying((saved) => saved.digest(this.#address, moduleId));
    return digest !== undefined && digest === list?.digest ? list : this.#load(moduleId);
  }

  set(moduleId: ModuleId, list: SavedList): void {
    this.#atHand.set(moduleId, list);
    this.#trying((saved) => {
      saved.save(this.#address, moduleId, list);
      this.#written.set(list, list);
    });
  }

  /** Remembers that `lists` are still what they were, and gives them back so. */
  confirm(
    lists: ReadonlyMap<ModuleId, SavedList>,
    confirmation: Pick<SavedList, 'confirmedAt' | 'sequence'>,
  ): ReadonlyMap<ModuleId, SavedList> {
    const confirmed = new Map<ModuleId, SavedList>();
    const due: ModuleId[] = [];
    for (const [moduleId, list] of lists) {
      const next = { ...list, ...confirmation };
      const before = this.#written.get(list);
      if (before && isRecent(before, next)) this.#written.set(next, before);
      else due.push(moduleId);
      this.#atHand.set(moduleId, next);
      confirmed.set(moduleId, next);
    }
    if (due.length > 0) this.#writeConfirmation(due, confirmed, confirmation);
    return confirmed;
  }

  #writeConfirmation(
    due: readonly ModuleId[],
    confirmed: ReadonlyMap<ModuleId, SavedList>,
    confirmation: Pick<SavedList, 'confirmedAt' | 'sequence'>,
  ): void {
    this.#trying((saved) => {
      saved.confirm(this.#address, due, confirmation);
      for (const moduleId of due) {
        const list = confirmed.get(moduleId);
        if (list) this.#written.set(list, list);
      }
    });
  }

  #load(moduleId: ModuleId): SavedList | undefined {
    const list = this.#trying((saved) => saved.read(this.#address, moduleId));
    if (!list) return undefined;
    this.#written.set(list, list);
    this.#atHand.set(moduleId, list);
    return list;
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
function isRecent(before: SavedList, { confirmedAt, sequence }: SavedList): boolean {
  return (
    before.sequence === sequence &&
    before.confirmedAt <= confirmedAt &&
    confirmedAt - before.confirmedAt < CONFIRM_MS
  );
}
