import type { DigestChange, ModuleId, ReleaseRecord } from '../core/index.ts';
import { systemClock, type Clock } from './clock.ts';
import type { KnownTime } from './certain-clock.ts';
import { firstSeenAfter, firstSeenOf } from './first-seen.ts';
import { changedDigests, lostDigests } from './known-digests.ts';
import { confirmedNow, settledList } from './refresh.ts';
import type { FetchedList, RemoteRegistry } from './remote-registry.ts';
import { retryBudget } from './retry-budget.ts';
import { SavedListsError, type SavedList, type SavedLists } from './saved-lists.ts';

/** How a registry's current list differs from the saved one. */
export interface Acceptance {
  /** The generations of the saved and the current list; undefined if the format has none. */
  readonly generations: readonly [known: number | undefined, now: number | undefined];
  /** Versions that only the saved list contains, as published. */
  readonly gone: readonly string[];
  /** Versions that only the current list contains, as published. */
  readonly added: readonly string[];
  /** Releases with a file whose digest differs from the one first served, by version as published. */
  readonly changedDigests: ReadonlyMap<string, DigestChange>;
  /** The fields that differ, by version as published. */
  readonly changedFields: ReadonlyMap<string, readonly FieldChange[]>;
  /** Whether the response body differs from the saved one. */
  readonly isOther: boolean;
}

/** A field of a release in the saved list and in the current one. */
export type FieldChange =
  | {
      /** Its name, as the registry spells it. */
      readonly field: 'yanked' | 'deprecated' | 'floor';
      /** The reason, `""` if none was given; undefined if the release was not yanked or deprecated, or no floor. */
      readonly before: string | undefined;
      readonly now: string | undefined;
    }
  | {
      readonly field: 'published_at';
      /** In milliseconds since the epoch; undefined if it is not known. */
      readonly before: number | undefined;
      readonly now: number | undefined;
    }
  | { readonly field: 'artifacts' }
  | { readonly field: 'signatures' };

/** Options of `acceptList`. */
export interface AcceptOptions {
  /** Where the accepted list replaces the saved one. */
  readonly saved: SavedLists;
  /** The time at which the list was fetched; `systemClock` by default. */
  readonly clock?: Clock;
  /** What is known about that time; by default, the clock is assumed to be right. */
  readonly time?: () => KnownTime;
  /** Reports the differences without saving the list. False by default. */
  readonly isDryRun?: boolean;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches the list of a module and replaces the saved one. Later lists are checked against its generation and digests.
 * Use it after an operator has checked a `registry-regressed` or `registry-implausible` error, or a changed digest.
 *
 * Returns how the lists differ; undefined if no readable list was saved. Throws a RegistryError if the list cannot be
 * fetched, and a SavedListsError if it cannot be saved.
 */
export async function acceptList(
  moduleId: ModuleId,
  remote: RemoteRegistry,
  { saved, clock = systemClock, time: knownTime, isDryRun = false, signal }: AcceptOptions,
): Promise<Acceptance | undefined> {
  // A list that the operator accepts replaces the known generation and digests (D22).
  const known = readableList(moduleId, remote, saved);
  const context = { budget: retryBudget(), signal };
  const { servedIn: _, ...now } = await remote.fetch(moduleId, undefined, context);
  const acceptance = known && acceptanceOf(known, now);
  if (!isDryRun) {
    const time = knownTime?.() ?? ({ kind: 'assumed', at: clock.now() } as const);
    // Accepting a list does not make its releases older: only the known generation and digests are replaced (D34).
    const firstSeen = known
      ? firstSeenAfter(known, now.records, time)
      : firstSeenOf(now.records, saved.firstSeen(remote.address, moduleId), time);
    const confirmed = { certainAt: known?.certainAt, ...confirmedNow(clock, time) };
    const position = { ...confirmed, sequence: undefined, history: undefined };
    const list = { ...now, lost: [], firstSeen, ...position };
    saved.replace(remote.address, moduleId, settledList(list, time));
  }
  return acceptance;
}

/** The saved list; undefined if none is saved or it is damaged: a damaged list is replaced. */
function readableList(
  moduleId: ModuleId,
  { address }: RemoteRegistry,
  saved: SavedLists,
): SavedList | undefined {
  try {
    return saved.read(address, moduleId);
  } catch (error) {
    if (error instanceof SavedListsError && error.kind === 'state-unreadable') return undefined;
    throw error;
  }
}

function acceptanceOf(known: SavedList, now: FetchedList): Acceptance {
  const before = new Map(Array.from(known.records, (record) => [record.version, record]));
  const after = new Map(Array.from(now.records, (record) => [record.version, record]));
  return {
    generations: [known.generation, now.generation],
    gone: [...before.keys()].filter((version) => !after.has(version)),
    added: [...after.keys()].filter((version) => !before.has(version)),
    changedDigests: changedDigests(now.records, lostDigests(known, now.records)),
    changedFields: new Map(
      [...after].flatMap(([version, record]) => {
        const fields = differingFields(before.get(version) ?? record, record);
        return fields.length === 0 ? [] : [[version, fields]];
      }),
    ),
    isOther: known.digest !== now.digest,
  };
}

function differingFields(before: ReleaseRecord, now: ReleaseRecord): FieldChange[] {
  const { publishedAt, artifacts, yanked, deprecated, floor } = before;
  const isOther = JSON.stringify(artifacts) !== JSON.stringify(now.artifacts);
  const isSigned = JSON.stringify(before.signatures) !== JSON.stringify(now.signatures);
  const changes: readonly FieldChange[] = [
    { field: 'published_at', before: publishedAt, now: now.publishedAt },
    ...(isOther ? [{ field: 'artifacts' } as const] : []),
    ...(isSigned ? [{ field: 'signatures' } as const] : []),
    { field: 'yanked', before: yanked, now: now.yanked },
    { field: 'deprecated', before: deprecated, now: now.deprecated },
    { field: 'floor', before: floor && '', now: now.floor && '' },
  ];
  return changes.filter((change) => !('before' in change) || change.before !== change.now);
}
