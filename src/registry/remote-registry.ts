import type { ModuleId } from '../core/index.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { SavedList } from './saved-lists.ts';

/** A registry over the network, without a cache: each call sends a request. `httpRegistry` makes one. */
export interface RemoteRegistry {
  /** Its kind, origin and path, by which its lists are saved: `npm:https://registry.example/`. */
  readonly address: string;
  /** The address for a person, escaped. */
  readonly from: string;
  /**
   * The current list of a module; `known` itself where it has not changed. Throws a RegistryError where the
   * registry does not serve a complete list.
   */
  fetch(
    moduleId: ModuleId,
    known: FetchedList | undefined,
    round: RequestContext,
  ): Promise<FetchedList>;
  /**
   * The modules that changed after a sequence number; undefined where the registry has no change feed. With
   * `waitMs` the registry answers at the next change, or after that many milliseconds.
   */
  changes?(
    sequence: number,
    round: RequestContext,
    waitMs?: number,
  ): Promise<RemoteChanges | undefined>;
  /** The modules of a namespace, or all of them; undefined where the registry does not list them. */
  modules?(
    namespace: string | undefined,
    round: RequestContext,
  ): Promise<readonly ModuleId[] | undefined>;
}

/** What requests that belong together share: those of one poll, or of one command. */
export interface RequestContext {
  /** How many of the requests may be retried. */
  readonly budget: RetryBudget;
  /** Aborts the requests; they then reject with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A release list as a registry served it. */
export type FetchedList = Omit<SavedList, 'lost' | 'confirmedAt' | 'sequence'>;

/** The modules of a registry that changed after a sequence number. */
export interface RemoteChanges {
  /** The sequence number of the registry's last change; a lower one than before is another catalogue's. */
  readonly sequence: number;
  /** The ids of the changed modules. */
  readonly modules: ReadonlySet<string>;
  /** Clients wait for a random time up to this before they fetch the lists, in milliseconds. */
  readonly spreadMs: number;
}
