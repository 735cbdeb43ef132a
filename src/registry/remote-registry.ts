import type { ModuleId } from '../core/index.ts';
import type { DecodedList } from './formats/decoded-list.ts';
import type { RetryBudget } from './retry-budget.ts';

/** A registry at the other end of a network, which is asked anew each time. */
export interface RemoteRegistry {
  /** Names it among others: kind, origin and path. */
  readonly address: string;
  /** The same for a person, escaped. */
  readonly from: string;
  /**
   * The list of a module as it is now: `known` itself when it still is that. Throws a RegistryError when
   * there is no whole list to be had.
   */
  fetch(
    moduleId: ModuleId,
    known: FetchedList | undefined,
    round: RequestContext,
  ): Promise<FetchedList>;
  /**
   * What changed after `sequence`; undefined where the registry has no feed of its changes. With `waitMs` the
   * registry is asked to answer only once something did, or that time is over.
   */
  changes?(
    sequence: number,
    round: RequestContext,
    waitMs?: number,
  ): Promise<RemoteChanges | undefined>;
  /** The modules of a namespace, or all; undefined where the registry does not tell. */
  modules?(
    namespace: string | undefined,
    round: RequestContext,
  ): Promise<readonly ModuleId[] | undefined>;
}

/** Requests that belong together: one poll, or one question of a person. */
export interface RequestContext {
  readonly budget: RetryBudget;
  readonly signal?: AbortSignal | undefined;
}

export interface FetchedList extends DecodedList {
  /** SHA-256 of the answer, in hexadecimal. */
  readonly digest: string;
  /** The length of the answer, in bytes. */
  readonly size: number;
  readonly etag: string | undefined;
}

export interface RemoteChanges {
  /** Of the last change. */
  readonly sequence: number;
  readonly modules: ReadonlySet<string>;
  /** Whoever is told so at the same time as others waits for a random time up to this, in milliseconds. */
  readonly spreadMs: number;
}
