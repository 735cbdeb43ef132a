import type { DigestChange, ModuleId } from '../core/index.ts';
import { systemClock, type Clock } from './clock.ts';
import { changedDigests, lostDigests } from './known-digests.ts';
import type { FetchedList, RemoteRegistry } from './remote-registry.ts';
import { retryBudget } from './retry.ts';
import type { SavedList, SavedLists } from './saved-lists.ts';

/** How the list that a registry gives differs from the one that was known. */
export interface Acceptance {
  /** The generations that were known and that are given now, where there are some. */
  readonly generations: readonly [known: number | undefined, now: number | undefined];
  /** Entries that are not in the list any more, and those that are new in it, as published. */
  readonly gone: readonly string[];
  readonly added: readonly string[];
  readonly changedDigests: ReadonlyMap<string, DigestChange>;
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
  const known = saved.read(remote.address, moduleId);
  const now = await remote.fetch(moduleId, undefined, { budget: retryBudget(), signal });
  const acceptance = known && acceptanceOf(known, now);
  if (!isTrial) {
    saved.forget(remote.address, moduleId);
    const list = { ...now, lost: [], confirmedAt: clock.now(), sequence: undefined };
    saved.save(remote.address, moduleId, list);
  }
  return acceptance;
}

function acceptanceOf(known: SavedList, now: FetchedList): Acceptance {
  const before = new Set(known.records.map(({ version }) => version));
  const after = new Set(now.records.map(({ version }) => version));
  return {
    generations: [known.generation, now.generation],
    gone: [...before].filter((version) => !after.has(version)),
    added: [...after].filter((version) => !before.has(version)),
    changedDigests: changedDigests(now.records, lostDigests(known, now.records)),
  };
}
