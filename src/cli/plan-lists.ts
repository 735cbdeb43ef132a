import { SUBSYSTEM_MODULES, subsystemTargets, type ModuleId, type Result } from '../core/index.ts';
import { termsFor, type UpdateTerms } from '../core/update-policy.ts';
import type { CachedRegistry } from '../registry/cached-registry.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { Reading, Registry } from '../registry/registry.ts';
import { registryOf, type ListOptions } from './list-options.ts';
import type { PlanDocuments } from './plan-documents.ts';
import type { Problem } from './problem.ts';
import { noRegistry, registryBy, type RegistryChoice } from './registry-choice.ts';
import type { World } from './world.ts';

/** What came of asking for the lists of a machine. */
export interface PlanLists {
  /** By the name of the module entry. */
  readonly modules: ReadonlyMap<string, Reading>;
  readonly subsystems: ReadonlyMap<string, Reading>;
  /** What an operator should know of how they were had. */
  readonly warnings: readonly Problem[];
}

/** A list that a plan needs: whose it is, and by which terms. */
interface Needed {
  readonly of: { readonly kind: 'module' | 'subsystem'; readonly name: string };
  readonly moduleId: ModuleId;
  readonly terms: UpdateTerms;
}

/** Lists that are asked for together. */
interface Group {
  readonly choice: RegistryChoice;
  readonly needed: Needed[];
}

/** Asks for every list that the plan of a machine needs, each registry for all of its own at once. */
export async function readPlanLists(
  documents: PlanDocuments,
  options: ListOptions & { readonly maxAgeMs: number },
  world: World,
): Promise<Result<PlanLists, Problem[]>> {
  const groups = groupsOf(neededFor(documents), options, world);
  if (!groups.ok) return { ok: false, error: [groups.error] };
  const modules = new Map<string, Reading>();
  const subsystems = new Map<string, Reading>();
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

function neededFor({ machine, policy, deployed }: PlanDocuments): Needed[] {
  const { disableSubsystem } = machine.agent.platformServer;
  const entries = disableSubsystem ? [] : machine.modules.filter(({ type }) => type === 'registry');
  const modules = entries.map(({ name, moduleId }): Needed => {
    return { of: { kind: 'module', name }, moduleId, terms: termsFor(policy, name) };
  });
  const versioned = subsystemTargets(machine.agent).flatMap((target): Needed[] => {
    // A registry need not have subsystems: those are asked for of which something is known to run.
    if (target.option === 'disable_subsystem' || target.option === 'pin_url') return [];
    const { name } = target;
    if (!deployed.has(name)) return [];
    const moduleId = SUBSYSTEM_MODULES[name];
    return [{ of: { kind: 'subsystem', name }, moduleId, terms: termsFor(policy, name) }];
  });
  return [...modules, ...versioned];
}

/** A list that no registry is named for is a mistake: samples never decide on a machine. */
function groupsOf(
  all: readonly Needed[],
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

async function readAll(
  registry: Registry & Partial<CachedRegistry>,
  moduleIds: readonly ModuleId[],
): Promise<ReadonlyMap<ModuleId, Reading>> {
  if (registry.readAll) return await registry.readAll(moduleIds);
  const readings = new Map<ModuleId, Reading>();
  for (const moduleId of moduleIds) {
    try {
      readings.set(moduleId, { ok: true, value: await registry.read(moduleId) });
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      readings.set(moduleId, { ok: false, error });
    }
  }
  return readings;
}
