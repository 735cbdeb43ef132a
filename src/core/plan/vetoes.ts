import type { Timing } from '../decision/timing-policies.ts';
import type { Machine, ModuleEntry } from '../machine/machine.ts';
import type { Plan, PlanInput } from './plan.ts';
import { isAskedAbout } from './plan-input.ts';
import type { Stop } from './stops.ts';

/** The names of the entries that stop for what is due, and have to allow it (D77). */
export function stoppedBy({ modules, subsystems }: Plan, machine: Machine): string[] {
  const isServerDue = subsystems.some(
    (row) => row.target.name === 'platform-server' && isAskedAbout(row),
  );
  const due = modules.filter(isAskedAbout);
  const names = new Set(due.map(({ name }) => name));
  const ids = new Set(due.flatMap(({ stops }) => stops.map(({ moduleId }) => moduleId)));
  return machine.modules
    .filter(({ name, moduleId }) => isServerDue || names.has(name) || ids.has(moduleId))
    .map(({ name }) => name);
}

/** The vetoes of what stops when a module restarts: itself, and the entries whose components stop. */
export function vetoesAgainst(
  { name, moduleId }: ModuleEntry,
  stopping: readonly Stop[],
  vetoes: NonNullable<PlanInput['vetoes']>,
): Timing['vetoes'] {
  const own = vetoes.get(moduleId)?.filter(({ by }) => by === name) ?? [];
  const others = new Set(stopping.map((stop) => stop.moduleId));
  others.delete(moduleId);
  return [...own, ...[...others].flatMap((id) => (id && vetoes.get(id)) ?? [])];
}
