import type { DigestChange, ModuleId, ReleaseRecord } from '../core/index.ts';
import { systemClock, type Clock } from './clock.ts';
import { changedDigests, lostDigests } from './known-digests.ts';
import type { FetchedList, RemoteRegistry } from './remote-registry.ts';
import { retryBudget } from './retry-budget.ts';
import { SavedListsError, type SavedList, type SavedLists } from './saved-lists.ts';

/** How a registry's current list differs from the saved one. */
export interface Acceptance {
  /** The generation of the saved list and of the current one; undefined where its format has none. */
  readonly generations: readonly [known: number | undefined, now: number | undefined];
  /** Versions that only the saved list has, as published. */
  readonly gone: readonly string[];
  /** Versions that only the current list has, as published. */
  readonly added: readonly string[];
  /** Releases with a file whose digest differs from the one first served, by version as published. */
  readonly changedDigests: ReadonlyMap<string, DigestChange>;
  /** Names of the fields that differ, as the registry spells them, by version as published. */
  readonly changedFields: ReadonlyMap<string, readonly string[]>;
  /** Whether the response has other bytes than the saved one. */
  readonly isOther: boolean;
}

/** How `acceptList` works. */
export interface AcceptOptions {
  /** Where the accepted list replaces the saved one. */
  readonly saved: SavedLists;
  /** Tells when the list was fetched; `systemClock` by default. */
  readonly clock?: Clock;
  /** Reports the differences, and saves nothing. False by default. */
  readonly isTrial?: boolean;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches the list of a module and saves it in place of any other: its generation and digests become those that
 * later lists are held to. Use it after a `registry-regressed` error or a changed digest that an operator has
 * checked.
 *
 * Returns how the lists differ; undefined where no list was saved, or none that can be read. Throws a RegistryError
 * where the list cannot be fetched, and a SavedListsError where it cannot be saved.
 */
export async function acceptList(
  moduleId: ModuleId,
  remote: RemoteRegistry,
  { saved, clock = systemClock, isTrial = false, signal }: AcceptOptions,
): Promise<Acceptance | undefined> {
  // The operator's word replaces the generation and digests that were known (D22).
  const known = knownList(moduleId, remote, saved);
  const now = await remote.fetch(moduleId, undefined, { budget: retryBudget(), signal });
  const acceptance = known && acceptanceOf(known, now);
  if (!isTrial) {
    const list = { ...now, lost: [], confirmedAt: clock.now(), sequence: undefined };
    saved.replace(remote.address, moduleId, list);
  }
  return acceptance;
}

/** A saved list that is damaged is replaced, as one is that nobody knows. */
function knownList(
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
  const before = new Map(known.records.map((record) => [record.version, record]));
  const after = new Map(now.records.map((record) => [record.version, record]));
  return {
    generations: [known.generation, now.generation],
    gone: [...before.keys()].filter((version) => !after.has(version)),
    added: [...after.keys()].filter((version) => !before.has(version)),
    changedDigests: changedDigests(now.records, lostDigests(known, now.records)),
    changedFields: new Map(
      [...after].flatMap(([version, record]) => {
        const fields = fieldsThatDiffer(before.get(version) ?? record, record);
        return fields.length === 0 ? [] : [[version, fields]];
      }),
    ),
    isOther: known.digest !== now.digest,
  };
}

const FIELDS = {
  publishedAt: 'published_at',
  artifacts: 'artifacts',
  yanked: 'yanked',
  deprecated: 'deprecated',
} as const;

function fieldsThatDiffer(before: ReleaseRecord, after: ReleaseRecord): string[] {
  return Object.entries(FIELDS).flatMap(([key, name]) => {
    const field = key as keyof typeof FIELDS;
    return JSON.stringify(before[field]) === JSON.stringify(after[field]) ? [] : [name];
  });
}
