import type { ModuleId, Result } from '../core/index.ts';
import { DEFAULT_TERMS } from '../core/machine/update-policy.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { OpenRegistry } from '../registries/open-registries.ts';
import { retryBudget } from '../registry/retry-budget.ts';
import { registryProblem, usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import type { RegistryOptions } from '../host/registry-choice.ts';
import { commandRegistries, type CommandRegistries } from '../host/command-registries.ts';
import { TWO_REGISTRIES, type ChangeOptions } from './remote-registry.ts';

/** A registry that is read over the network, or at a path. */
export interface ReadRegistry {
  readonly registry: OpenRegistry;
  readonly registries: CommandRegistries;
}

/** Which registry is read: a file, or one over HTTP. */
export type ReadOptions = ChangeOptions & Pick<RegistryOptions, 'json'>;

/** The result of `work` on the registry that `--registry` names, or why it cannot be read. Nothing is saved. */
export async function withReadRegistry<T>(
  { db, ...options }: ReadOptions & { readonly registry: string },
  world: World,
  work: (read: ReadRegistry) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  if (db !== undefined) return { ok: false, error: TWO_REGISTRIES };
  const registries = commandRegistries({ ...options, isUnsaved: true }, world);
  try {
    const opened = registries.open(DEFAULT_TERMS);
    if (!opened.ok) return opened;
    if (!opened.value) return { ok: false, error: usage('--registry is empty') };
    return await work({ registry: opened.value, registries });
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { ok: false, error: registryProblem(error) };
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
