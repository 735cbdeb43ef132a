import type { DigestChange, ModuleId, ReleaseRecord } from '../core/index.ts';
import { systemClock, type Clock } from './clock.ts';
import { changedDigests, lostDigests } from './known-digests.ts';
import type { FetchedList, RemoteRegistry } from './remote-registry.ts';
import { retryBudget } from './retry-budget.ts';
import { SavedListsError, type SavedList, type SavedLists } from './saved-lists.ts';

/** How the list that a registry gives differs from the one that was known. */
export interface Acceptance {
  /** The generations that were known and that are given now, where there are some. */
  readonly generations: readonly [known: number | undefined, now: number | undefined];
  /** Entries that are not in the list any more, and those that are new in it, as published. */
  readonly gone: readonly string[];
  readonly added: readonly string[];
  readonly changedDigests: ReadonlyMap<string, DigestChange>;
  /** The fields that are not what they were of the entries that are in both, by the version as published. */
  readonly changedFields: ReadonlyMap<string, readonly string[]>;
  /** Whether the answer has other bytes, whatever they say. */
  readonly isOther: boolean;
}

export interface AcceptOptions {
  readonly saved: SavedLists;
  readonly clock?: Clock;
  /** Says what differs, and changes nothing. */
  readonly isTrial?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Takes the list of a module as the registry gives it now, and forgets what was known before: generation and
 * digests. Undefined where nothing was known. Throws a RegistryError where there is no list to be had, and
 * a SavedListsError where it cannot be saved. (D22)
 */
export async function acceptList(
  moduleId: ModuleId,
  remote: RemoteRegistry,
  { saved, clock = systemClock, isTrial = false, signal }: AcceptOptions,
): Promise<Acceptance | undefined> {
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
