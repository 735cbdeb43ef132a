import type { Result } from '../../core/index.ts';
import { neededLists, type NeededList } from '../../core/plan/configuration.ts';
import { readAll } from '../../registry/pollable-registry.ts';
import type { ListResult } from '../../registry/registry.ts';
import { registryOf, type ListOptions } from '../resolve/list-options.ts';
import type { PlanDocuments } from './plan-documents.ts';
import type { Facts } from './plan-facts.ts';
import type { Problem } from '../problem.ts';
import { noRegistry, registryBy, type RegistryChoice } from '../registry/registry-choice.ts';
import type { World } from '../world.ts';

/** What came of asking for the lists of a machine. */
export interface PlanLists {
  /** By the name of the module entry. */
  readonly modules: ReadonlyMap<string, ListResult>;
  readonly subsystems: ReadonlyMap<string, ListResult>;
  /** What an operator should know of how they were had. */
  readonly warnings: readonly Problem[];
}

/** Lists that are asked for together. */
interface Group {
  readonly choice: RegistryChoice;
  readonly needed: NeededList[];
}

/** Asks for every list that the plan of a machine needs, each registry for all of its own at once. */
export async function readPlanLists(
  { documents, facts }: { readonly documents: PlanDocuments; readonly facts: Facts },
  options: ListOptions & { readonly maxAgeMs: number },
  world: World,
): Promise<Result<PlanLists, Problem[]>> {
  const groups = groupsOf(neededLists(documents, facts), options, world);
  if (!groups.ok) return { ok: false, error: [groups.error] };
  const modules = new Map<string, ListResult>();
  const subsystems = new Map<string, ListResult>();
  const warnings: Problem[] = [];
  for (const { choice, needed } of groups.value) {
    const registry = await registryOf(choice, { ...options, warnings }, world);
    if (!registry.ok) return { ok: false, error: [registry.error] };
    const ids = [...new Set(needed.map(({ moduleId }) => moduleId))];
    const readings = await readAll(registry.value, ids);
    for (const { of, moduleId } of needed) {
      const reading = readings.get(moduleId);
      if (reading) (of.kind === 'module' ? modules : subsystems).set(of.name, reading);
    }
  }
  return { ok: true, value: { modules, subsystems, warnings } };
}

/** A list that no registry is named for is a mistake: samples never decide on a machine. */
function groupsOf(
  all: readonly NeededList[],
  options: ListOptions,
  world: World,
): Result<Group[], Problem> {
  const groups = new Map<string, Group>();
  for (const needed of all) {
    const choice = registryBy(needed.terms, options, world);
    if (!choice.ok) return choice;
    const { address, terms } = choice.value;
    if (!address) return { ok: false, error: noRegistry(world) };
    const key = JSON.stringify([address, terms.allowHttp, terms.maxIndexAgeMs]);
    const group = groups.get(key) ?? { choice: choice.value, needed: [] };
    group.needed.push(needed);
    groups.set(key, group);
  }
  return { ok: true, value: [...groups.values()] };
}
