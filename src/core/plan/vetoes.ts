import type { Timing, Veto } from '../decision/timing-policies.ts';
import type { ModuleEntry } from '../machine/machine.ts';
import type { ModuleId } from '../releases/module-id.ts';
import type { Stop } from './stops.ts';

/** The vetoes (D77) of what stops when a module restarts: itself, and the entries whose components stop. */
export function vetoesAgainst(
  { name, moduleId }: ModuleEntry,
  stopping: readonly Stop[],
  vetoes: ReadonlyMap<ModuleId, readonly Veto[]>,
): Timing['vetoes'] {
  const own = vetoes.get(moduleId)?.filter(({ by }) => by === name) ?? [];
  const others = new Set(stopping.map((stop) => stop.moduleId));
  others.delete(moduleId);
  return [...own, ...[...others].flatMap((id) => (id && vetoes.get(id)) ?? [])];
}
