import type { ModuleId } from '../core/index.ts';
import type { CachedRegistry, ListResult, Registry } from './registry.ts';
import { RegistryError } from './registry-error.ts';
import type { Wanted } from './wanted-release.ts';

/** A registry that can be polled. With `readAll` a round needs fewer requests; with `awaitChange` it starts sooner. */
export type PollableRegistry = Registry & Partial<CachedRegistry>;

/** The list or RegistryError of each module. Rejects with any other error. */
export async function readAll(
  registry: PollableRegistry,
  moduleIds: readonly ModuleId[],
  signal?: AbortSignal,
  wanted?: Wanted,
): Promise<ReadonlyMap<ModuleId, ListResult>> {
  if (registry.readAll) return await registry.readAll(moduleIds, signal, wanted);
  const results = new Map<ModuleId, ListResult>();
  for (const moduleId of moduleIds) {
    signal?.throwIfAborted();
    try {
      results.set(moduleId, { ok: true, value: await registry.read(moduleId, signal, wanted) });
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      results.set(moduleId, { ok: false, error });
    }
  }
  return results;
}
