import type { ModuleId } from '../core/index.ts';
import type { SignedAnswer } from '../core/trust/answer-text.ts';
import type { WebRegistryAddress } from './address.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { Wanted } from './wanted-release.ts';
import type { SavedList } from './saved-lists.ts';

/** A registry over the network, without a cache: each call sends a request. `httpRegistry` creates one. */
export interface RemoteRegistry {
  /** Its kind, origin and path: `npm:https://registry.example/`. Its lists are saved under this key. */
  readonly address: string;
  /** The address for a person, escaped. */
  readonly from: string;
  /** Present if each release is described in a document of its own, which is read when it is wanted. */
  readonly isDescribedApart?: true | undefined;
  /**
   * The address of the registry of a module, or of modules in general, where each may have another one. Throws a RegistryError if it is not known;
   * absent if `address` is that of all.
   */
  addressFor?(moduleId: ModuleId | undefined): WebRegistryAddress;
  /**
   * The current list of a module; `known` itself if it has not changed. Throws a RegistryError if the registry does
   * not serve a complete list.
   */
  fetch(
    moduleId: ModuleId,
    known: FetchedList | undefined,
    round: RequestContext,
  ): Promise<FetchedList>;
  /**
   * The modules that changed after a sequence number; undefined if the registry has no change feed. With `waitMs` the
   * registry responds at the next change, or after that many milliseconds. If it can, it waits for a change of `modules` only,
   * and names no others.
   */
  changes?(
    sequence: number,
    round: RequestContext,
    waitMs?: number,
    modules?: readonly ModuleId[],
  ): Promise<RemoteChanges | undefined>;
  /** The modules of a namespace, or all modules; undefined if the registry does not list them. */
  modules?(
    namespace: string | undefined,
    round: RequestContext,
  ): Promise<readonly ModuleId[] | undefined>;
  /** The notes of a release; null if it has none, undefined if the registry does not know it, or its protocol has no notes. */
  notes?(
    moduleId: ModuleId,
    version: string,
    round: RequestContext,
  ): Promise<string | null | undefined>;
  /** The texts of the trust documents of the registry, the first version first; undefined if its protocol has none. */
  trust?(round: RequestContext): Promise<readonly string[] | undefined>;
}

/** Shared by the requests of one poll or one command. */
export interface RequestContext {
  /** The number of requests that may be retried. */
  readonly budget: RetryBudget;
  /** Aborts the requests; they then reject with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** What the lists are read for; absent for no query in particular. */
  readonly wanted?: Wanted | undefined;
  /** A change that the response must include: another server at the address may not have it yet. */
  readonly atLeast?: { readonly sequence: number; readonly history: string } | undefined;
  /** Checks that an answer is signed; absent if it need not be. */
  readonly proof?: Proof | undefined;
}

/** A question whose answer the registry has to sign. */
export interface Proof {
  readonly nonce: string;
  /** Rejects with a RegistryError `registry-untrusted` unless `signature` is one of this answer to this question. */
  readonly check: (
    answer: Omit<SignedAnswer, 'nonce'> & { readonly signature: string | null },
  ) => Promise<void>;
}

/** A release list as a registry served it. */
export type FetchedList = Omit<
  SavedList,
  'lost' | 'firstSeen' | 'confirmedAt' | 'certainAt' | 'sequence' | 'history'
> & {
  /** The history that a complete response named; undefined if it named none, or if the list has not changed. */
  readonly servedIn?: string | undefined;
  /** The end of `servedIn` that names the keys of the registry, one of which signed a complete response; absent if none need to. */
  readonly signedBy?: string | undefined;
};

/** The modules of a registry that changed after a sequence number. */
export interface RemoteChanges {
  /** Identifies the series of changes that the numbers count; undefined if the registry does not name it. */
  readonly history?: string | undefined;
  /** The sequence number of the registry's last change. If it decreases, the registry serves another catalogue. */
  readonly sequence: number;
  /** The ids of the changed modules. */
  readonly modules: ReadonlySet<string>;
  /** Clients wait for a random time up to this before they fetch the lists, in milliseconds. */
  readonly spreadMs: number;
}
