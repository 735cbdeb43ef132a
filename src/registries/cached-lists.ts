import { MODULE_ID } from '../core/releases/module-id.ts';
import { expectArgument, LIST, optional, SIGNAL } from '../core/text/argument.ts';
import { memoizeUntilError } from '../registry/memoize-until-error.ts';
import type { CachedRegistry } from '../registry/registry.ts';

/** The lists of a registry over the network, whose code loads with the first of them. */
export function cachedLists(load: () => Promise<CachedRegistry>): CachedRegistry {
  const cached = memoizeUntilError(load);
  return {
    read: async (moduleId, signal, wanted) => {
      expectArgument('read()', 'moduleId', moduleId, MODULE_ID);
      expectArgument('read()', 'signal', signal, optional(SIGNAL));
      return await (await cached()).read(moduleId, signal, wanted);
    },
    async readAll(moduleIds, signal, wanted) {
      expectArgument('readAll()', 'moduleIds', moduleIds, LIST);
      return await (await cached()).readAll(moduleIds, signal, wanted);
    },
    awaitChange: async (...args) => await (await cached()).awaitChange(...args),
  };
}
