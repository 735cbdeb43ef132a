import type { ModuleId, ModuleList, Platform } from '../core/index.ts';
import { termInForce } from '../core/releases/quarantine.ts';
import type { Machine, ModuleEntry } from '../core/machine/machine.ts';
import { needsOf } from '../core/plan/needs.ts';
import type { MachineMemory, OpenAction } from '../store/index.ts';

/** What an action's needs are judged by. */
export interface Surroundings {
  readonly machine: Machine;
  readonly memory: MachineMemory;
  readonly platform: Platform;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly listOf: (entry: ModuleEntry) => ModuleList;
}

/**
 * The name of a module entry that the target of an action needs, and that is about to change, in the middle of that, or
 * known not to work; undefined where there is none. (T62)
 *
 * Whoever needs something waits for each open action of it, whenever that was committed; in a circle what was committed
 * first comes first. So there is always one that waits for none of the others. What was delivered before and may be
 * half done waits alike: as long as what it needs is stopped or broken it cannot work, whoever starts it then has its
 * release blamed for that, and what it waits for never waits for it. A rollback waits for nothing (I15, D13), and a
 * subsystem needs no module.
 */
export function blockingDependency(
  { action }: OpenAction,
  surroundings: Surroundings,
): string | undefined {
  const { target, direction } = action;
  if (target.kind === 'subsystem' || direction === 'rollback') return undefined;
  const { machine, memory } = surroundings;
  const needs = needsOf(machine.components);
  const { places, firsts } = orderOf(memory.open);
  const own = places.get(action.id);
  for (const moduleId of needs.of(target.moduleId)) {
    const first = firsts.get(moduleId);
    const comesLater = own !== undefined && first !== undefined && own < first.place;
    const later = comesLater && needs.leadTo(moduleId, target.moduleId) ? first : undefined;
    if (first && !later) return first.name;
    const broken = machine.modules.find(
      (entry) => entry.moduleId === moduleId && isBroken(entry, later, surroundings),
    );
    if (broken) return broken.name;
  }
  return undefined;
}

/** The first of the open actions of a module. */
interface First {
  readonly place: number;
  readonly name: string;
}

/** In which order the open actions were committed. */
interface Order {
  /** By the ids of the actions. */
  readonly places: ReadonlyMap<string, number>;
  readonly firsts: ReadonlyMap<ModuleId, First>;
}

const ORDERS = new WeakMap<readonly OpenAction[], Order>();

/** Made once for what is open: each of a thousand that wait asks for it. */
function orderOf(open: readonly OpenAction[]): Order {
  const known = ORDERS.get(open);
  if (known) return known;
  const places = new Map(open.map(({ action }, place) => [action.id, place]));
  const firsts = new Map<ModuleId, First>();
  for (const [place, { action }] of open.entries()) {
    const { target } = action;
    if (target.kind === 'subsystem' || firsts.has(target.moduleId)) continue;
    firsts.set(target.moduleId, { place, name: target.name });
  }
  const order = { places, firsts };
  ORDERS.set(open, order);
  return order;
}

/** `later` is an action of a circle that waits for the one that is judged. */
function isBroken(
  entry: ModuleEntry,
  later: First | undefined,
  { memory, platform, now, listOf }: Surroundings,
): boolean {
  const { name, moduleId, type } = entry;
  // What is on the machine only is not ours to know.
  if (type === 'local') return false;
  const { deployed, restarts, quarantine } = memory.of({ kind: 'module', name, moduleId });
  switch (deployed.kind) {
    case 'none':
      return later === undefined;
    case 'unknown':
      // Of what nobody touched nothing speaks against it.
      return later !== undefined || restarts.length > 0;
    case 'version': {
      if (quarantine.length === 0) return false;
      const list = listOf(entry);
      const artifacts = 'error' in list ? undefined : list.index.find(deployed.version)?.artifacts;
      return termInForce(deployed.version, artifacts, { now, platform, quarantine }) !== undefined;
    }
    case 'url':
    case 'other':
      return false;
  }
}
