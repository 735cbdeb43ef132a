import type { ActionTarget, Deployed, ModuleState, Result } from '../core/index.ts';
import { supervisedEntries } from '../agent/server.ts';
import { entrySetup } from '../core/plan/entry-setup.ts';
import { factsOf } from '../core/plan/plan-input.ts';
import { moduleOf } from '../core/plan/target.ts';
import type { PlanDocuments } from './plan-documents.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';

/** What is known of a module or a subsystem, without its list. */
export type Facts = (target: ActionTarget) => Omit<ModuleState, 'list'>;

const UNKNOWN: Deployed = { kind: 'unknown' };

/** The facts of the report if there is one, else of the machine's file. A missing file means that nothing is known. */
export async function factsFor(
  { machine, policy, deployed }: PlanDocuments,
  world: World,
): Promise<Result<Facts, Problem>> {
  if (deployed) {
    const modules = new Set(machine.modules.map(({ name }) => name));
    return {
      ok: true,
      value: ({ kind, name }) => {
        // A reported name that a module has does not apply to a subsystem of the same name.
        const isReported = kind === 'module' || !modules.has(name);
        return { deployed: (isReported ? deployed.get(name) : undefined) ?? UNKNOWN };
      },
    };
  }
  // Imported here, so that SQLite is loaded only when it is needed.
  const { usingState } = await import('./open-state.ts');
  const memory = usingState(world, 'read', (state) => state.memory());
  if (!memory.ok && !memory.error.isMissing) return memory;
  const entries = supervisedEntries(machine);
  return {
    ok: true,
    value: (target) => {
      if (!memory.ok) return { deployed: UNKNOWN };
      const entry = entries.find(
        ({ name, moduleId }) => name === target.name && moduleId === moduleOf(target),
      );
      return factsOf(memory.value.of(target, entry && entrySetup(entry, { machine, policy })));
    },
  };
}
