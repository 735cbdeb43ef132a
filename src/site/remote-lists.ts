import type { ModuleId } from '../core/index.ts';
import { DEFAULT_TERMS } from '../core/machine/update-policy.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { OpenRegistry } from '../registries/open-registries.ts';
import { retryBudget } from '../registry/retry-budget.ts';
import { failed, registryProblem, usage, type Outcome } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { commandRegistries, type CommandRegistries } from '../host/command-registries.ts';
import type { ChangeOptions } from './remote-registry.ts';

/** A registry that a command reads over the network, or at a path. */
export interface ReadRegistry {
  readonly registry: OpenRegistry;
  readonly registries: CommandRegistries;
}

/** Returns the outcome of `work` on the registry that `--registry` names, or why it cannot be read. Nothing is saved. */
export async function withReadRegistry(
  { db, registry: named, json }: ChangeOptions & { readonly registry: string },
  world: World,
  work: (read: ReadRegistry) => Promise<Outcome>,
): Promise<Outcome> {
  if (db !== undefined)
    return failed(usage('--db and --registry name two registries, expected one'));
  const options = { registry: named, isUnsaved: true, ...(json ? { json } : {}) } as const;
  const registries = commandRegistries(options, world);
  try {
    const opened = registries.open(DEFAULT_TERMS);
    if (!opened.ok) return failed(opened.error);
    if (!opened.value) return failed(usage('--registry is empty'));
    return await work({ registry: opened.value, registries });
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return failed(registryProblem(error));
  } finally {
    registries.close();
  }
}

/** How many releases each module of a namespace has, or each of all modules; undefined if the registry does not list its modules. */
export async function countsIn(
  { registry, registries }: ReadRegistry,
  namespace: string | undefined,
): Promise<{ readonly moduleId: ModuleId; readonly count: number }[] | undefined> {
  const ids = await registry.remote?.modules?.(namespace, { budget: retryBudget() });
  if (!ids) return undefined;
  const lists = await registries.readAll(registry, ids);
  return ids.map((moduleId) => {
    const list = lists.get(moduleId);
    if (list?.ok === false) throw list.error;
    return { moduleId, count: list?.value.records.length ?? 0 };
  });
}
