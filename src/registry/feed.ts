import type { ModuleId } from '../core/index.ts';
import { RegistryError } from './registry-error.ts';
import type { RemoteChanges, RemoteRegistry, RequestContext } from './remote-registry.ts';
import type { SavedList } from './saved-lists.ts';

/** A sequence number of a change feed and its history; no number if the feed did not name the module. */
export type FeedPosition = Pick<SavedList, 'sequence' | 'history'>;

/** A position with a number. */
type KnownPosition = Pick<RemoteChanges, 'sequence' | 'history'>;

/** What a change feed says about the known lists. */
export interface FeedNews {
  /** The position of the feed, for the lists that it confirms and for those that are requested after this. */
  readonly position: FeedPosition;
  /** Whether the feed has named a module. */
  readonly names: (moduleId: ModuleId) => boolean;
  /** Whether the feed confirms that a list is still current. */
  readonly confirms: (moduleId: ModuleId, list: SavedList) => boolean;
  /** Whether earlier positions have become void, because they count the changes of another catalogue. */
  readonly hasBegunAgain: boolean;
}

/** The change feed of a registry: a list is confirmed only by a history that has named its module (D40). */
export class Feed {
  readonly #remote: RemoteRegistry;
  /** The position of the last response. A list that was refused keeps an earlier one, or one of another catalogue (D42). */
  #last: KnownPosition | undefined;
  #hasBegunAgain = false;
  #quietUntil = -Infinity;
  /** Whether the history of `#last` has named a module. Modules are added by a response with all changes. */
  readonly #isNamed = new Map<ModuleId, boolean>();
  #isTooLarge = false;

  constructor(remote: RemoteRegistry) {
    this.#remote = remote;
  }

  /**
   * Whether another catalogue that is found while waiting for a change may start a round. Only one may until `dueAt`, when
   * the next round begins anyway: two catalogues behind one address would alternate (D42). Times are monotonic.
   */
  mayReportOther(now: number, dueAt: number): boolean {
    if (now < this.#quietUntil) return false;
    this.#quietUntil = dueAt;
    return true;
  }

  /**
   * The position after which to wait for changes; undefined if the feed has named none of `moduleIds`, and will name none: it cannot be
   * read, or there is a list of each all the same. It names a module without a list once that is published (T425).
   */
  positionFor(
    moduleIds: readonly ModuleId[],
    known: ReadonlyMap<ModuleId, SavedList>,
  ): KnownPosition | undefined {
    // Each wait would end at once, because no answer moves the position (T591).
    if (this.#isTooLarge) return undefined;
    const last = this.#last ?? latestPosition([...known.values()]);
    const isOrWillBeNamed = (moduleId: ModuleId): boolean => {
      const isNamed = this.#isNamed.get(moduleId);
      const list = known.get(moduleId);
      return isNamed === true || (list ? isIn(last, list) : isNamed === false);
    };
    return moduleIds.some(isOrWillBeNamed) ? last : undefined;
  }

  /**
   * Asks for the changes after the last response, or in a new process after the latest position of the `known` lists. Asks
   * once for all changes, to learn which of `moduleIds` the feed names. Undefined if there is no feed. Throws a
   * RegistryError.
   */
  async news(
    moduleIds: readonly ModuleId[],
    known: ReadonlyMap<ModuleId, SavedList>,
    round: RequestContext,
  ): Promise<FeedNews | undefined> {
    if (this.#isTooLarge) return undefined;
    const last = this.#last ?? latestPosition([...known.values()]);
    const changes = last && (await this.#changes(last.sequence, moduleIds, round));
    if (last && !changes) return undefined;
    const isSame = changes !== undefined && !isOtherHistory(changes, last);
    this.#hasBegunAgain = changes !== undefined && !isSame;
    const isKnown = (moduleId: ModuleId): boolean =>
      this.#isNamed.has(moduleId) || isIn(changes, known.get(moduleId));
    if (isSame && moduleIds.every(isKnown)) return this.#newsIn(changes, last?.sequence, known);
    const all = await this.#changes(0, moduleIds, round);
    if (!all) return undefined;
    if (isSame && !isOtherHistory(all, changes)) {
      return this.#newsIn(changes, last?.sequence, known);
    }
    this.#hasBegunAgain = changes !== undefined;
    return this.#newsIn(all, undefined, known);
  }

  async #changes(
    after: number,
    moduleIds: readonly ModuleId[],
    round: RequestContext,
  ): Promise<RemoteChanges | undefined> {
    const changes = await this.#remote.changes?.(after, round).catch((error: unknown) => {
      // All changes are too many to be requested in each round.
      if (error instanceof RegistryError) this.#isTooLarge = error.kind === 'list-too-large';
      throw error;
    });
    if (!changes) return undefined;
    if (isOtherHistory(changes, this.#last)) this.#isNamed.clear();
    this.#last = { sequence: changes.sequence, history: changes.history };
    for (const moduleId of moduleIds) {
      if (changes.modules.has(moduleId)) this.#isNamed.set(moduleId, true);
      else if (after === 0) this.#isNamed.set(moduleId, false);
    }
    return changes;
  }

  /** Without `after`, no known list is confirmed. */
  #newsIn(
    changes: RemoteChanges,
    after: number | undefined,
    known: ReadonlyMap<ModuleId, SavedList>,
  ): FeedNews {
    const { sequence, history, modules } = changes;
    return {
      position: { sequence, history },
      names: (moduleId) =>
        this.#isNamed.get(moduleId) === true || isIn(changes, known.get(moduleId)),
      confirms: (moduleId, list) =>
        list.sequence === after && isIn(changes, list) && !modules.has(moduleId),
      hasBegunAgain: this.#hasBegunAgain,
    };
  }
}

/** The highest sequence number of `lists` in the history that was confirmed last; undefined if none has one. */
function latestPosition(lists: readonly SavedList[]): KnownPosition | undefined {
  let latest: (KnownPosition & { readonly confirmedAt: number }) | undefined;
  for (const { sequence, history, confirmedAt } of lists) {
    if (sequence === undefined) continue;
    const isLater =
      latest === undefined || history === latest.history
        ? sequence > (latest?.sequence ?? -1)
        : confirmedAt > latest.confirmedAt;
    if (isLater) latest = { sequence, history, confirmedAt };
  }
  return latest;
}

/** Whether the numbers of a response and of an earlier position cannot be compared. */
export function isOtherHistory(
  { history, sequence }: RemoteChanges,
  earlier: KnownPosition | undefined,
): boolean {
  if (!earlier) return false;
  // Within one history the number never decreases, so a lower one belongs to another catalogue.
  return history !== earlier.history || sequence < earlier.sequence;
}

/** Whether the position of a list is one in the history of `now`, which has then named its module. */
function isIn(now: KnownPosition | undefined, list: SavedList | undefined): boolean {
  return (
    now !== undefined &&
    list?.sequence !== undefined &&
    list.sequence <= now.sequence &&
    list.history === now.history
  );
}
