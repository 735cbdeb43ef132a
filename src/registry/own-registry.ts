import { createHash } from 'node:crypto';
import {
  expectMembers,
  FUNCTION,
  having,
  numberIn,
  optional,
  TEXT,
} from '../core/text/argument.ts';
import { expectSpelling } from '../core/text/spelling.ts';
import { excerpt } from '../core/text/quote.ts';
import { harmless } from '../core/text/thenable.ts';
import { cachedRegistry } from './cached-registry.ts';
import { CLOCK, systemClock, wholeMilliseconds, type Clock } from './clock.ts';
import { jsonOf } from './packed-records.ts';
import type { PollableRegistry } from './pollable-registry.ts';
import type { CachedRegistry, ReleaseList } from './registry.ts';
import { RegistryError } from './registry-error.ts';
import type { FetchedList, RemoteRegistry } from './remote-registry.ts';
import type { SavedLists, SavedListsError } from './saved-lists.ts';

const MILLISECONDS = numberIn((ms) => ms >= 0, 'milliseconds from 0');
const REGISTRY = { read: FUNCTION };
const OPTIONS = {
  address: TEXT,
  saved: optional(having('SavedLists', 'read', 'version', 'save')),
  clock: optional(CLOCK),
  maxAgeMs: optional(MILLISECONDS),
  maxIndexAgeMs: optional(MILLISECONDS),
  onTrouble: optional(FUNCTION),
};

/**
 * Gives a `Registry` of your own what those of `openRegistries` have: lists that are saved and used, marked `stale`, while it fails;
 * the times at which its releases were first seen; and digests that changed (D343). An error that is no `RegistryError` counts as
 * `registry-unreachable`. Its lists are read one by one. Numbers of its lists (`generation`) are not compared.
 *
 * @example
 * ```ts
 * import { cached, type Registry } from 'modreg/registry';
 * import { openMachineFile, savedListsIn } from 'modreg/store';
 *
 * const own: Registry = {
 *   read: async (moduleId) => {
 *     const response = await fetch(`https://builds.example/${moduleId}.json`);
 *     const records = (await response.json()) as { version: string }[];
 *     return { records, dropped: [], source: 'network', from: 'builds', fetchedAt: Date.now() };
 *   },
 * };
 * const saved = savedListsIn(openMachineFile('machine.db'));
 * export const registry = cached(own, { address: 'https://builds.example', saved });
 * ```
 */
export function cached(
  registry: PollableRegistry,
  options: {
    /** Names the registry: its lists are saved under it, and messages say it. Two registries must not have the same. */
    readonly address: string;
    /** Where lists outlive the process; in memory only by default. */
    readonly saved?: SavedLists | undefined;
    /** The source of time; `systemClock` by default. */
    readonly clock?: Clock | undefined;
    /** A list that was confirmed less than this many milliseconds ago is used without reading the registry. 0 by default. */
    readonly maxAgeMs?: number | undefined;
    /** The maximum age of a list that is used while the registry fails, in milliseconds: seven days by default. */
    readonly maxIndexAgeMs?: number | undefined;
    /** Called when saved lists cannot be read or written. */
    readonly onTrouble?: ((error: SavedListsError) => void) | undefined;
  },
): CachedRegistry {
  expectMembers('cached()', 'registry', registry, REGISTRY);
  expectMembers('cached()', 'options', options, OPTIONS);
  expectSpelling('cached()', 'options', options, OPTIONS);
  const { address, saved, clock = systemClock, maxAgeMs, maxIndexAgeMs, onTrouble } = options;
  const lists = cachedRegistry(remoteOf(registry, address), {
    saved,
    clock: wholeMilliseconds(clock),
    ...(maxAgeMs !== undefined && { maxAgeMs }),
    ...(maxIndexAgeMs !== undefined && { maxIndexAgeMs }),
    ...(onTrouble && { onTrouble: harmless(onTrouble) }),
  });
  // It knows itself how to wait for a change.
  const own = registry.awaitChange?.bind(registry);
  return own ? { ...lists, awaitChange: own } : lists;
}

function remoteOf(registry: PollableRegistry, address: string): RemoteRegistry {
  return {
    // No address of another kind of registry begins with this.
    address: `own:${address}`,
    from: excerpt(address),
    async fetch(moduleId, known, { signal, wanted }) {
      const list = fetchedFrom(await reading(registry.read(moduleId, signal, wanted)));
      return known?.digest === list.digest ? known : list;
    },
  };
}

/** The list, or a RegistryError that says why there is none. */
async function reading(list: Promise<ReleaseList>): Promise<ReleaseList> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new RegistryError('registry-unreachable', excerpt(message), { cause: error });
  }
}

function fetchedFrom({ records, dropped }: ReleaseList): FetchedList {
  const text = JSON.stringify([jsonOf(records), dropped]);
  const digest = createHash('sha256').update(text).digest('hex');
  return { records, dropped, digest, size: Buffer.byteLength(text), etag: undefined };
}
