import { expectMembers, FLAG, MAP, NUMBER } from '../text/argument.ts';
import type { Constraint } from '../version/constraint.ts';
import { decideChecked } from '../decision/decide.ts';
import {
  replacementOf,
  type Decision,
  type DecideInput,
  type Requirement,
} from '../decision/decision.ts';
import type { ModuleList } from '../decision/module-list.ts';
import { nextChange, type NextChange } from '../decision/next-change.ts';
import { decisionWarnings, type Warning } from '../decision/warning.ts';
import { withUrlAsText } from '../decision/deployed.ts';
import { expectPolicyNames } from '../machine/spelling-of-policy.ts';
import { expectSpelling, type Members } from '../text/spelling.ts';
import { MACHINE, type Component, type ModuleEntry } from '../machine/machine.ts';
import type { ModuleId } from '../releases/module-id.ts';
import { PLATFORM } from '../releases/platform.ts';
import { unknownFieldsOf } from '../machine/unknown-field.ts';
import { termsIn, UPDATE_POLICY } from '../machine/update-policy.ts';
import type { Version } from '../version/version.ts';
import { actionsIn } from './action.ts';
import { decideInputFor } from './decide-input.ts';
import { expectState, expectStateNames } from './expected-state.ts';
import { restartsFor, type Restart } from './restarts.ts';
import { machineFactsIn } from './required.ts';
import { withRequirements } from './requirement-rows.ts';
import type { AfterActions } from '../decision/after-actions.ts';
import { latestOf } from './latest.ts';
import { stopsOf, type Stop } from './stops.ts';
import { vetoesAgainst } from './vetoes.ts';
import { SUBSYSTEM_MODULES, subsystemTargets, type SubsystemTarget } from './subsystem.ts';
import type { ModuleState, PlanInput } from './plan-state.ts';

export type { ModuleState, PlanInput } from './plan-state.ts';

/** What a machine should do now. */
export interface Plan {
  /** In the order of the machine config. */
  readonly modules: readonly (PlanRow & {
    /** The name of the entry. */
    readonly name: string;
    /** The module. */
    readonly moduleId: ModuleId;
  })[];
  /** The agent and the server, and other subsystems if they are disabled. */
  readonly subsystems: readonly (PlanRow & {
    /** The subsystem, and what the agent configuration requires of it. */
    readonly target: SubsystemTarget;
  })[];
  /** All due actions, in the order in which they are carried out, and the components that stop for them. */
  readonly restarts: readonly Restart[];
}

/** The decision about a module or a subsystem, with further facts for people. */
export interface PlanRow {
  /** What to do, and why. */
  readonly decision: Decision;
  /** The newest release, whatever the constraint and whatever this machine refuses; undefined if there is none (D31). */
  readonly latest: Version | undefined;
  /** The components that stop when it restarts; empty if no replacement is due or held. */
  readonly stops: readonly Stop[];
  /** @internal What is decided once other actions of the plan are done, which meet what a release requires; absent if that is the same (D88). */
  readonly afterActions?: AfterActions | undefined;
  /** When the passing of time alone changes the decision; undefined if no such time is known. */
  readonly nextChange: NextChange | undefined;
  /** What an operator should know. */
  readonly warnings: readonly Warning[];
}

/** The row of a module entry. */
type ModulePlan = Plan['modules'][number];

/** The row of a subsystem. */
export type SubsystemPlan = Plan['subsystems'][number];

/** Used instead of a release list that was not requested. */
export const NOT_ASKED: ModuleList = {
  error: { kind: 'not-asked', message: 'its release list was not requested' },
};

const UNKNOWN_STATE: ModuleState = { list: NOT_ASKED, deployed: { kind: 'unknown' } };
const LATEST = { kind: 'latest' } as const;
const NO_COMPONENTS: readonly Component[] = [];
const PLAN_INPUT = {
  machine: MACHINE,
  policy: UPDATE_POLICY,
  platform: PLATFORM,
  now: NUMBER,
  modules: MAP,
  subsystems: MAP,
  isServerBusy: FLAG,
};

/** The other members, none of which has a type that anyone mistakes. */
const PLAN_MEMBERS: Members<PlanInput> = {
  ...PLAN_INPUT,
  machineId: true,
  group: true,
  clock: true,
  requirements: true,
  laterReleases: true,
  answer: true,
  vetoes: true,
};

/**
 * Plans a machine: what to do about each module and subsystem now, and which components stop. Pure. Throws a RangeError
 * unless `now` is a time.
 *
 * @example
 * ```ts
 * import { indexReleases, planMachine, readDeployed } from 'modreg';
 * import { DEFAULT_POLICY, readMachine } from 'modreg/config';
 *
 * const machine = readMachine(
 *   '{"modules": [{"type": "registry", "name": "cam", "module_id": "acme:cam", "version": "1.*"}]}',
 * );
 * if (!machine.ok) throw new Error(machine.problems.map(({ message }) => message).join('\n'));
 * const list = { index: indexReleases([{ version: '1.3.0' }]) };
 * const plan = planMachine({
 *   machine: machine.value,
 *   policy: DEFAULT_POLICY,
 *   platform: 'linux/arm64',
 *   now: Date.now(),
 *   modules: new Map([['cam', { list, deployed: readDeployed('1.0.4') }]]),
 *   subsystems: new Map(),
 *   isServerBusy: false,
 * });
 * for (const { actions } of plan.restarts) console.log(actions.map(({ to }) => to)); // [ '1.3.0' ]
 * ```
 */
export function planMachine(input: PlanInput): Plan {
  expectMembers('planMachine()', 'input', input, PLAN_INPUT);
  expectSpelling('planMachine()', 'input', input, PLAN_MEMBERS);
  const { machine, policy } = input;
  expectPolicyNames('planMachine()', 'input.policy', policy);
  expectStateNames(input.modules);
  expectStateNames(input.subsystems);
  // If the server is not managed, its components are not stopped.
  const isManaged = !machine.agent.platformServer.disableSubsystem;
  const stops = stopsOf(isManaged ? machine.components : NO_COMPONENTS);
  const entries = Map.groupBy(machine.modules, ({ moduleId }) => moduleId);
  const facts = machineFactsIn(input);
  const unknownFields = unknownFieldsOf(input);

  const modules = machine.modules.map((entry): ModulePlan => {
    const { name, moduleId } = entry;
    const requirement = isManaged ? requirementOf(entry) : ({ kind: 'disabled' } as const);
    const state = withUrlAsText(stateIn(input.modules, name));
    const vetoes = input.vetoes && vetoesAgainst(entry, stops.ofModule(moduleId), input.vetoes);
    const terms = termsIn(policy, name);
    const needs = { requirement, terms, moduleId, vetoes, unknownFields, machine: facts() };
    const decideInput = decideInputFor(state, needs, input);
    const channel = requirement.kind === 'latest-with-prerelease' ? requirement : LATEST;
    const row = rowOf(decideInput, channel, () => stops.ofModule(moduleId));
    // Two entries with one module_id are resolved separately, with a warning (D24).
    const isShared = (entries.get(moduleId)?.length ?? 0) > 1;
    const shared = isShared ? [{ kind: 'conflicting-constraints' } as const] : [];
    return { name, moduleId, ...row, warnings: [...row.warnings, ...shared] };
  });
  const subsystems = Array.from(subsystemTargets(machine.agent), (target): SubsystemPlan => {
    const state = stateIn(input.subsystems, target.name);
    // All modules stop with the server; the agent replaces itself without stopping any.
    const all = target.name === 'platform-server' ? input.vetoes : undefined;
    const vetoes = all && [...all.values()].flat();
    const [terms, { requirement }] = [termsIn(policy, target.name), target];
    const own = { requirement, terms, moduleId: moduleIdOf(target), machine: facts() };
    const needs = { ...own, vetoes, unknownFields };
    const decideInput = decideInputFor(state, needs, input);
    const row = rowOf(decideInput, target.channel, () => stops.ofServer());
    return { target, ...row };
  });
  const all = withRequirements({ modules, subsystems });
  return { ...all, restarts: restartsFor(actionsIn(all), stops) };
}

/** The module of a subsystem that has versions; undefined if it is disabled. */
function moduleIdOf(target: SubsystemTarget): ModuleId | undefined {
  return target.option === 'disable_subsystem' ? undefined : SUBSYSTEM_MODULES[target.name];
}

function stateIn<K extends string>(states: ReadonlyMap<K, ModuleState>, name: K): ModuleState {
  const state = states.get(name) ?? UNKNOWN_STATE;
  expectState(name, state);
  return state;
}

function requirementOf(entry: ModuleEntry): Requirement {
  return entry.type === 'local' ? { kind: 'local' } : entry.constraint;
}

function rowOf(
  input: DecideInput,
  channel: Constraint,
  componentsToStop: () => readonly Stop[],
): PlanRow {
  const decision = decideChecked(input);
  const replacement = replacementOf(decision);
  // Before a first install, no component of the target is running.
  const isRunning = replacement !== undefined && replacement.direction !== 'install';
  return {
    decision,
    latest: latestOf(input, channel),
    stops: isRunning ? componentsToStop() : [],
    nextChange: nextChange(decision),
    warnings: decisionWarnings(decision),
  };
}
