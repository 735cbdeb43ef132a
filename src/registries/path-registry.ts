import { MODULE_ID } from '../core/releases/module-id.ts';
import { expectArgument, LIST, optional, SIGNAL } from '../core/text/argument.ts';
import type { RegistryAddress } from '../registry/address.ts';
import { timeOf, type CertainClock, type KnownTime } from '../registry/certain-clock.ts';
import type { Clock } from '../registry/clock.ts';
import { firstSeenNow } from '../registry/first-list.ts';
import { readAll } from '../registry/pollable-registry.ts';
import type { CachedRegistry, Registry } from '../registry/registry.ts';
import type { RegistryError } from '../registry/registry-error.ts';

/** The code of each kind loads with the first list, because it loads much of Node with it. */
const PATH_REGISTRIES = {
  folder: async () => (await import('../registry/folder-registry.ts')).folderRegistry,
  database: async () =>
    (await import('../server/catalogue/catalogue-registry.ts')).catalogueRegistry,
} as const;

interface PathRegistry extends CachedRegistry {
  readonly address: RegistryAddress;
  readonly remote: undefined;
  readonly knownTime: () => KnownTime;
}

/** The registry at a path: a folder of lists, or the file of a catalogue. */
export function pathRegistry(
  address: Exclude<RegistryAddress, { readonly url: URL }>,
  clock: Clock,
  {
    certain,
    trustClock,
  }: { readonly certain: CertainClock; readonly trustClock: boolean | undefined },
): PathRegistry {
  const { kind, path } = address;
  const time = timeOf(certain, trustClock);
  const registry: Registry = {
    async read(moduleId, signal) {
      expectArgument('read()', 'moduleId', moduleId, MODULE_ID);
      expectArgument('read()', 'signal', signal, optional(SIGNAL));
      signal?.throwIfAborted();
      const opened = await PATH_REGISTRIES[kind]();
      const list = await opened(path, () => clock.now()).read(moduleId);
      // A file has no history, and nothing in it says what time it is (D58). A copy would decode all entries.
      const firstSeen = firstSeenNow(time.knownTime());
      return Object.assign(list, { firstSeen, clock: time.clockFault() });
    },
  };
  return { address, remote: undefined, ...withoutFeed(registry), ...time };
}

/** Replaces a registry that cannot be opened: every read rejects with `error`. */
export function withoutLists(error: RegistryError): CachedRegistry {
  return withoutFeed({
    async read() {
      throw error;
    },
  });
}

function withoutFeed(registry: Registry): CachedRegistry {
  return {
    read: async (moduleId, signal) => await registry.read(moduleId, signal),
    async readAll(moduleIds, signal) {
      expectArgument('readAll()', 'moduleIds', moduleIds, LIST);
      return await readAll(registry, moduleIds, signal);
    },
    awaitChange: async () => await Promise.resolve(undefined),
  };
}
