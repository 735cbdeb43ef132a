import type { ModuleId } from '../core/index.ts';
import type { CachedRegistry } from './cached-registry.ts';
import { RegistryError } from './registry-error.ts';
import type { ListResult, Registry } from './registry.ts';

/** The list of each module, or why there is none: in one round where `registry` has one, else one after the other. */
export async function readAll(
  registry: Registry & Partial<Pick<CachedRegistry, 'readAll'>>,
  moduleIds: readonly ModuleId[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<ModuleId, ListResult>> {
  if (registry.readAll) return await registry.readAll(moduleIds, signal);
  const results = new Map<ModuleId, ListResult>();
  for (const moduleId of moduleIds) {
    signal?.throwIfAborted();
    try {
      results.set(moduleId, { ok: true, value: await registry.read(moduleId, signal) });
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      results.set(moduleId, { ok: false, error });
    }
  }
  return results;
}
