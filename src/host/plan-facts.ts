import type { ActionTarget, Deployed, ModuleState, Result } from '../core/index.ts';
import { supervisedEntries } from '../agent/server.ts';
import { entrySetup } from '../core/plan/entry-setup.ts';
import { factsOf } from '../core/plan/plan-input.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { moduleOf } from '../core/plan/target.ts';
import type { PlanDocuments } from './plan-documents.ts';
import { attemptWords } from './next-attempt.ts';
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
  /** When the agent or poller that runs reads the lists again that it could not read, in words (D419). */
  readonly attempt?: string | undefined;
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
  const [opened, { machineStateIn }, { isPolled, isUnused }, { failingModules }] =
    await Promise.all([
      import('./open-state.ts'),
      import('../store/machine-state.ts'),
      import('../store/claim.ts'),
      import('./version-in-use.ts'),
    ]);
  const read = opened.usingFile(world, 'read', (file) => {
    const state = machineStateIn(file);
    const isNew = isUnused(file, state);
    const { round } = state.poller();
    const now = world.clock();
    const attempt = round && isPolled(file.path) ? attemptWords(round, now) : undefined;
    return { memory: state.memory(), isNew, failing: failingModules(file, now), attempt };
  });
  if (!read.ok) {
    const { isMissing, isAbsent } = read.error;
    if (!isMissing) return read;
    const facts: Facts = ({ kind }) => ({
      deployed: isAbsent && kind === 'module' ? NONE : UNKNOWN,
    });
    return { ok: true, value: { facts, isNew: isAbsent, open: [], failing: new Map() } };
  }
  const { memory, isNew, failing, attempt } = read.value;
  const facts = rememberedIn({ machine, policy }, memory, isNew);
  return { ok: true, value: { facts, isNew, open: memory.open, failing, attempt } };
}

/** What the machine remembers. A command may have made the file, for release lists or a hold (D292): then nothing has run here. */
function rememberedIn(
  { machine, policy }: Pick<PlanDocuments, 'machine' | 'policy'>,
  memory: MachineMemory,
  isNew: boolean,
): Facts {
  const entries = supervisedEntries(machine);
  return (target) => {
    const entry = entries.find(
      ({ name, moduleId }) => name === target.name && moduleId === moduleOf(target),
    );
    const known = factsOf(memory.of(target, entry && entrySetup(entry, { machine, policy })));
    return isNew && target.kind === 'module' ? { ...known, deployed: NONE } : known;
  };
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
