import type { OpenRegistry } from '../registries/open-registries.ts';
import type { ListResult } from '../registry/registry.ts';
import type { ModuleId, Result } from '../core/index.ts';
import { neededLists, type NeededList } from '../core/plan/configuration.ts';
import type { Problem } from '../base/problem.ts';
import {
  commandRegistries,
  type CommandRegistries,
  type ReadingOptions,
} from './command-registries.ts';
import { noRegistry } from './registry-choice.ts';
import { platformOf, type ListOptions } from './list-options.ts';
import { wantedBy } from '../registry/wanted.ts';
import type { World } from '../base/world.ts';
import type { PlanDocuments } from './plan-documents.ts';
import type { Facts } from './plan-facts.ts';

/** The result of reading each list of a machine. */
export interface PlanLists {
  /** By the name of the module entry. */
  readonly modules: ReadonlyMap<string, ListResult>;
  readonly subsystems: ReadonlyMap<string, ListResult>;
  /** Warnings about how the lists were read. */
  readonly warnings: readonly Problem[];
}

/** The documents and facts of a machine at one moment. */
export interface Site {
  readonly documents: PlanDocuments;
  readonly facts: Facts;
}

/** Reads every list that the plan of the machine at `path` needs, with one round for each registry. */
export async function readPlanLists(
  path: string,
  site: Site,
  options: ListOptions & Pick<ReadingOptions, 'isUnsaved'> & { readonly maxAgeMs: number },
  world: World,
): Promise<Result<PlanLists, Problem>> {
  const registries = commandRegistries({ ...options, machinePath: path }, world);
  const groups = listsByRegistry(site, registries, world);
  if (!groups.ok) return groups;
  try {
    const lists = {
      modules: new Map<string, ListResult>(),
      subsystems: new Map<string, ListResult>(),
    };
    const platform = platformOf(options, world);
    const now = world.clock();
    for (const [registry, needed] of groups.value) {
      const ids = [...new Set(needed.map(({ moduleId }) => moduleId))];
      const wanted = platform.ok
        ? wantedBy(needed, { now, platform: platform.value }, site.facts)
        : undefined;
      const results = await registries.readAll(registry, ids, undefined, wanted);
      fill(lists, needed, results);
    }
    return { ok: true, value: { ...lists, warnings: registries.warnings } };
  } finally {
    registries.close();
  }
}

function fill(
  { modules, subsystems }: Record<'modules' | 'subsystems', Map<string, ListResult>>,
  needed: readonly NeededList[],
  results: ReadonlyMap<ModuleId, ListResult>,
): void {
  for (const { of, moduleId } of needed) {
    const result = results.get(moduleId);
    if (result) (of.kind === 'module' ? modules : subsystems).set(of.name, result);
  }
}

/**
 * The lists that decisions on a machine need, by their registry. A list without a named registry is an error:
 * the sample catalogue is never used for a machine.
 */
export function listsByRegistry(
  { documents, facts }: Site,
  registries: CommandRegistries,
  world: World,
): Result<ReadonlyMap<OpenRegistry, readonly NeededList[]>, Problem> {
  const groups = new Map<OpenRegistry, NeededList[]>();
  for (const needed of neededLists(documents, facts)) {
    const registry = registries.open(needed.terms);
    if (!registry.ok) return registry;
    if (!registry.value) return { ok: false, error: noRegistry(world) };
    const group = groups.get(registry.value) ?? [];
    group.push(needed);
    groups.set(registry.value, group);
  }
  return { ok: true, value: groups };
}
