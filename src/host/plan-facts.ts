import type { ActionTarget, Deployed, ModuleState, Result } from '../core/index.ts';
import { supervisedEntries } from '../agent/server.ts';
import { entrySetup } from '../core/plan/entry-setup.ts';
import { factsOf } from '../core/plan/plan-input.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import { moduleOf } from '../core/plan/target.ts';
import type { PlanDocuments } from './plan-documents.ts';
import type { Failing } from './recent-failures.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';

/** What is known of a module or a subsystem, without its list. */
export type Facts = (target: ActionTarget) => Omit<ModuleState, 'list'>;

const UNKNOWN: Deployed = { kind: 'unknown' };
const NONE: Deployed = { kind: 'none' };

/** The facts of a plan. */
export interface PlanFacts {
  readonly facts: Facts;
  /** Whether no agent or poller has run here: then no module counts as deployed (D292). */
  readonly isNew: boolean;
  /** What the agent has, or gets next: what fails is in a plan (D387). Empty with a report. */
  readonly open: readonly OpenAction[];
  /** By the name of the entry: the modules whose version in use ends again and again; empty with a report. */
  readonly failing: ReadonlyMap<string, Failing>;
}

/** The facts of the report if there is one, else of the machine's file. */
export async function factsFor(
  { machine, policy, deployed }: PlanDocuments,
  world: World,
): Promise<Result<PlanFacts, Problem>> {
  if (deployed) {
    const facts = reportedIn(deployed, machine);
    return { ok: true, value: { facts, isNew: false, open: [], failing: new Map() } };
  }
  // Imported here, so that SQLite is loaded only when it is needed.
  const [{ usingFile }, { machineStateIn }, { isUnused }, { failingModules }] = await Promise.all([
    import('./open-state.ts'),
    import('../store/machine-state.ts'),
    import('../store/claim.ts'),
    import('./version-in-use.ts'),
  ]);
  const read = usingFile(world, 'read', (file) => {
    const state = machineStateIn(file);
    const isNew = isUnused(file, state);
    return { memory: state.memory(), isNew, failing: failingModules(file, world.clock()) };
  });
  if (!read.ok) {
    const { isMissing, isAbsent } = read.error;
    if (!isMissing) return read;
    const facts: Facts = ({ kind }) => ({
      deployed: isAbsent && kind === 'module' ? NONE : UNKNOWN,
    });
    return { ok: true, value: { facts, isNew: isAbsent, open: [], failing: new Map() } };
  }
  const { memory, isNew, failing } = read.value;
  const entries = supervisedEntries(machine);
  const facts: Facts = (target) => {
    const entry = entries.find(
      ({ name, moduleId }) => name === target.name && moduleId === moduleOf(target),
    );
    const known = factsOf(memory.of(target, entry && entrySetup(entry, { machine, policy })));
    // A command has made the file, for release lists or a hold (D292).
    return isNew && target.kind === 'module' ? { ...known, deployed: NONE } : known;
  };
  return { ok: true, value: { facts, isNew, open: memory.open, failing } };
}

function reportedIn(
  deployed: ReadonlyMap<string, Deployed>,
  machine: PlanDocuments['machine'],
): Facts {
  const modules = new Set(machine.modules.map(({ name }) => name));
  return ({ kind, name }) => {
    // A reported name that a module has does not apply to a subsystem of the same name.
    const isReported = kind === 'module' || !modules.has(name);
    return { deployed: (isReported ? deployed.get(name) : undefined) ?? UNKNOWN };
  };
}
