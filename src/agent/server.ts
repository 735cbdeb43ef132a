import type { Action, ActionTarget } from '../core/index.ts';
import type { Machine, ModuleEntry } from '../core/machine/machine.ts';
import { stopsOf } from '../core/plan/stops.ts';
import { SUBSYSTEM_MODULES } from '../core/plan/subsystem.ts';
import { moduleOf } from '../core/plan/target.ts';
import { dependenciesOf, stoppedWith, stopLayers } from './supervision/dependencies.ts';

/** The server, under the name that the agent configuration gives it. */
export const SERVER = 'platform-server';

/** The server runs like a module, before all others. Its releases are those of `platform:server`. */
const ENTRY: ModuleEntry = {
  type: 'registry',
  name: SERVER,
  moduleId: SUBSYSTEM_MODULES[SERVER],
  // Not used: the poller decides on the subsystem.
  constraint: { kind: 'latest' },
  env: {},
  extra: {},
};

/** Whether the agent runs the server of this machine: only if the config names it (D47). */
export function hasServer({ agent: { platformServer } }: Machine): boolean {
  return platformServer.isConfigured && !platformServer.disableSubsystem;
}

/**
 * What the agent supervises: the server if the config names it, and the modules. Nothing if the server is disabled
 * (D23). A module entry that has the name of the server is not run beside it.
 */
export function supervisedEntries(machine: Machine): readonly ModuleEntry[] {
  if (machine.agent.platformServer.disableSubsystem) return [];
  if (!hasServer(machine)) return machine.modules;
  return [ENTRY, ...machine.modules.filter(({ name }) => name !== SERVER)];
}

/** What each supervised entry waits for. All but the server wait for the server. */
export function dependenciesOn(machine: Machine): ReadonlyMap<string, ReadonlySet<string>> {
  const own = dependenciesOf(machine);
  if (!hasServer(machine)) return own;
  const all = Array.from(own, ([name, others]) => [name, new Set([SERVER, ...others])] as const);
  return new Map([...all, [SERVER, new Set()]]);
}

/** The names of what stops for an action, without its target, in the order in which it stops. */
export function stoppedBy({ target, direction }: Action, machine: Machine): string[] {
  const entries = supervisedEntries(machine);
  if (target.name !== SERVER || !hasServer(machine)) {
    // What depends on a module does not stop while none of it runs.
    if (direction === 'install') return [];
    const stops = stopsOf(machine.components).ofModule(moduleOf(target));
    return stoppedWith(target.name, stops, entries);
  }
  const names = entries.map(({ name }) => name).filter((name) => name !== SERVER);
  return stopLayers(names, dependenciesOn(machine)).flat();
}

/** What an action replaces for a supervised entry. */
export function targetOf({ name, moduleId }: Pick<ModuleEntry, 'name' | 'moduleId'>): ActionTarget {
  return moduleId === SUBSYSTEM_MODULES[SERVER] && name === SERVER
    ? { kind: 'subsystem', name }
    : { kind: 'module', name, moduleId };
}
