import type { ModuleList } from '../decision/module-list.ts';
import type { Machine, ModuleEntry } from '../machine/machine.ts';
import type { ModuleId } from '../releases/module-id.ts';
import type { Platform } from '../releases/platform.ts';
import { termInForce } from '../releases/quarantine.ts';
import type { OpenAction } from './committed-action.ts';
import type { MachineMemory } from './machine-memory.ts';
import { needsOf } from './needs.ts';

/** The facts that determine whether an action has to wait. */
export interface DependencyFacts {
  readonly machine: Machine;
  readonly memory: MachineMemory;
  readonly platform: Platform;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly listOf: (entry: ModuleEntry) => ModuleList;
}

/**
 * The name of a module entry that an action has to wait for; undefined if there is none. An action waits for a module
 * that its target depends on, and that is about to be replaced, is being replaced, or is known not to work (T62).
 *
 * An action waits for every open action of such a module, whenever it was committed. In a cycle, the action that was
 * committed first goes first, so one of them never waits. A delivered action, which may be half done, waits too: while
 * a dependency is stopped or broken, the new version cannot work and its release would be blamed. The action of the
 * dependency never waits for it. A rollback waits for nothing (D13, I15), and a subsystem depends on no module.
 */
export function blockingDependency(
  { action }: OpenAction,
  facts: DependencyFacts,
): string | undefined {
  const { target, direction } = action;
  if (target.kind === 'subsystem' || direction === 'rollback') return undefined;
  const { machine, memory } = facts;
  const needs = needsOf(machine.components);
  const { places, firsts } = orderOf(memory.open);
  const own = places.get(action.id);
  for (const moduleId of needs.of(target.moduleId)) {
    const first = firsts.get(moduleId);
    const comesLater = own !== undefined && first !== undefined && own < first.place;
    const later = comesLater && needs.leadTo(moduleId, target.moduleId) ? first : undefined;
    if (first && !later) return first.name;
    const broken = machine.modules.find(
      (entry) => entry.moduleId === moduleId && isBroken(entry, later, facts),
    );
    if (broken) return broken.name;
  }
  return undefined;
}

/** The first open action of a module. */
interface First {
  readonly place: number;
  readonly name: string;
}

/** The order in which the open actions were committed. */
interface Order {
  /** By action id. */
  readonly places: ReadonlyMap<string, number>;
  readonly firsts: ReadonlyMap<ModuleId, First>;
}

const ORDERS = new WeakMap<readonly OpenAction[], Order>();

/** Computed once for each list of open actions, because every waiting action needs it. */
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

/** `later` is an action in a cycle that waits for the one being checked. */
function isBroken(
  entry: ModuleEntry,
  later: First | undefined,
  { memory, platform, now, listOf }: DependencyFacts,
): boolean {
  const { name, moduleId, type } = entry;
  // The state of a local module is not known.
  if (type === 'local') return false;
  const { deployed, restarts, quarantine } = memory.of({ kind: 'module', name, moduleId });
  switch (deployed.kind) {
    case 'none':
      return later === undefined;
    case 'unknown':
      // A module that was never replaced on this machine is assumed to work.
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
