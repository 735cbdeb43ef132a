import type {
  Constraint,
  DigestChange,
  Eligibility,
  ModuleId,
  ModuleList,
  ReleaseRecords,
  Result,
} from '../core/index.ts';
import type { RegistryError } from './registry-error.ts';

/** A source of release lists: a folder, a registry over the network, or another. */
export interface Registry {
  /**
   * Reads the list of one module. Throws a RegistryError if no complete list can be read; it never returns an empty
   * list instead. Rejects with the reason of `signal` if it aborts. An OCI registry describes each release in a document of its own:
   * only what `wanted` may select is read.
   */
  read(
    moduleId: ModuleId,
    signal?: AbortSignal,
    wanted?: (moduleId: ModuleId) => readonly {
      readonly constraint: Constraint;
      readonly eligibility: Eligibility;
      /** @internal The queries of the releases whose files the decision may need, when the whole list is known (D140). */
      readonly needed?: (
        list: ModuleList,
      ) => readonly { readonly constraint: Constraint; readonly eligibility: Eligibility }[];
    }[],
  ): Promise<ReleaseList>;
}

/** The releases of one module and the source of the list. */
export interface ReleaseList {
  /** The entries in the order of the list, including those that are not releases. */
  readonly records: ReleaseRecords;
  /** One escaped line for each part of the list that could not be read. May be computed when it is first read. */
  readonly dropped: readonly string[];
  /** A number that grows with each change of the list; undefined if the format has none. */
  readonly generation?: number | undefined;
  /** The source of the list. `saved`: a registry over the network served it earlier. */
  readonly source: 'network' | 'saved' | 'folder' | 'database' | 'sample';
  /** The address or folder for a person, escaped. */
  readonly from: string;
  /** When the list was read or last confirmed, in milliseconds since the epoch; undefined for the sample. */
  readonly fetchedAt: number | undefined;
  /**
   * Releases with a file whose digest differs from the one first served, by version as published. Pass it to
   * `resolve` as part of the eligibility. Absent if no history is kept.
   */
  readonly changedDigests?: ReadonlyMap<string, DigestChange>;
  /**
   * When this machine first saw the releases, which limits the publish times that they claim. Pass it to `resolve` as
   * part of the eligibility. A list without a history counts as a first list. Absent for the sample.
   */
  readonly firstSeen?: Eligibility['firstSeen'];
  /** Checks the signatures of its releases; absent if the policy names no trust document. Pass it to `resolve` as `trust` (D133). */
  readonly trust?: Eligibility['trust'];
  /** What is known to be wrong with this machine's clock; absent if nothing is. Pass it to `resolve` as `clock`. */
  readonly clock?: Eligibility['clock'];
  /** @internal Present if the registry describes each release in a document of its own, and not all of them were read (D140). */
  readonly isDescribedApart?: true | undefined;
  /** Why the saved list is used instead of the registry's; undefined for a current list. */
  readonly stale?: RegistryError | undefined;
}

/** The list of one of several modules, or why it could not be read. */
export type ListResult = Result<ReleaseList, RegistryError>;

/** A registry that keeps the lists it has read, and uses them when the registry cannot be reached. */
export interface CachedRegistry extends Registry {
  /**
   * Reads the lists of several modules, one result each. With a change feed, one request finds the lists that have
   * changed, and only those are fetched. Rejects only with the reason of `signal`.
   */
  readAll(
    moduleIds: readonly ModuleId[],
    signal?: AbortSignal,
    wanted?: Parameters<Registry['read']>[2],
  ): Promise<ReadonlyMap<ModuleId, ListResult>>;
  /**
   * What is known to be wrong with this machine's clock now; undefined if nothing is. A poller that plans again later needs
   * it, because the clock may have been set since the lists were read.
   */
  clockFault?(): Eligibility['clock'];
  /**
   * Waits until one of the lists changes, for at most `waitMs` milliseconds. Call `readAll` for the modules first: it asks
   * the change feed which modules it names, and `read` does not. Undefined, mostly at once, if there is nothing to wait for:
   * the registry has no change feed, the feed is not known to name one of the modules, nor to lack one of which there is no list, it does not
   * wait, or the registries are offline. Throws a RegistryError if the registry cannot be reached, and the reason of `signal` if it aborts the wait.
   */
  awaitChange(
    moduleIds: readonly ModuleId[],
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<
    | {
        /** Whether one of the lists has changed; false if the wait ended without a change. */
        readonly hasChanged: boolean;
        /** The longest random delay before reading the lists, in milliseconds: it spreads the clients that waited. */
        readonly spreadMs: number;
      }
    | undefined
  >;
}

/** The result of waiting for a change of some lists. */
export type ChangeWait = NonNullable<Awaited<ReturnType<CachedRegistry['awaitChange']>>>;
