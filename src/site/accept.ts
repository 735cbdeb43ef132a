import type { ModuleId, Result } from '../core/index.ts';
import { registryProblem, usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { commandRegistries } from '../host/command-registries.ts';
import { openMachineLists, type ListsTrouble } from '../host/machine-lists.ts';
import { noRegistry, readTerms, type RegistryOptions } from '../host/registry-choice.ts';
import { acceptList, type Acceptance } from '../registry/acceptance.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { SavedListsError, type SavedLists } from '../registry/saved-lists.ts';
import { moduleIdIn } from './named-release.ts';

/** How the list of a module differs from the saved one. */
export interface AcceptedList {
  readonly moduleId: ModuleId;
  /** Undefined if none was saved before. */
  readonly acceptance: Acceptance | undefined;
}

/** Saves the list of a module on this machine even if it regressed, unless it is a dry run (D22). */
export async function acceptModule(
  moduleText: string,
  options: RegistryOptions & { readonly dryRun?: true },
  world: World,
): Promise<Result<AcceptedList, Problem>> {
  const named = moduleIdIn(moduleText);
  const terms = await readTerms(options);
  if (!named.ok) return named;
  if (!terms.ok) return terms;
  const { value: moduleId } = named;
  const registries = commandRegistries(options, world);
  const registry = registries.open(terms.value);
  if (!registry.ok) return registry;
  if (!registry.value) return { ok: false, error: noRegistry(world) };
  const { value: opened } = registry;
  const { remote } = opened;
  if (!remote) {
    const message =
      'lists are saved only from registries on the network, so this registry has nothing to accept';
    return { ok: false, error: usage(message) };
  }
  const isDryRun = options.dryRun ?? false;
  return await withSavedLists(world, isDryRun, async (saved) => {
    const acceptance = await registries.requesting(opened, moduleId, async () => {
      return await acceptList(moduleId, remote, { saved, isDryRun, time: opened.knownTime });
    });
    return { moduleId, acceptance };
  });
}

/** Runs `work` with the saved lists of this machine. They must be writable, except for a dry run. */
async function withSavedLists<T>(
  world: World,
  isDryRun: boolean,
  work: (saved: SavedLists) => Promise<T>,
): Promise<Result<T, Problem>> {
  const memory = openMachineLists(world);
  const { saved, trouble } = memory;
  try {
    if (!saved || (trouble && !isDryRun)) {
      return { ok: false, error: troubleProblem(trouble) };
    }
    return { ok: true, value: await work(saved) };
  } catch (error) {
    if (error instanceof RegistryError) {
      return { ok: false, error: registryProblem(error) };
    }
    if (error instanceof SavedListsError) {
      return { ok: false, error: troubleProblem(error) };
    }
    throw error;
  } finally {
    memory.close();
  }
}

function troubleProblem(trouble: ListsTrouble | undefined): Problem {
  if (trouble) return { severity: 'error', kind: trouble.kind, message: trouble.message };
  const message = 'this machine has no saved lists: neither PLATFORM_HOME nor HOME is set';
  return { severity: 'error', kind: 'usage', message };
}
