import type { Constraint } from '../version/constraint.ts';
import { decide } from '../decision/decide.ts';
import {
  replacementOf,
  type Decision,
  type ModuleList,
  type DecideInput,
  type Requirement,
} from '../decision/decision.ts';
import { nextChange, type NextChange } from '../decision/next-change.ts';
import { decisionWarnings, type Warning } from '../decision/warning.ts';
import type { Deployed } from '../decision/deployed.ts';
import type { Quarantined } from '../releases/eligibility-policy.ts';
import type { Machine, ModuleEntry } from '../machine/machine.ts';
import type { ModuleId } from '../releases/module-id.ts';
import type { Platform } from '../releases/platform.ts';
import { resolve } from '../releases/resolve.ts';
import type { MaintenanceAnswer } from '../decision/timing-policies.ts';
import { termsFor, type UpdatePolicy, type UpdateTerms } from '../machine/update-policy.ts';
import type { Version } from '../version/version.ts';
import { actionOf } from './action.ts';
import { restartsFor, type Restart } from './restarts.ts';
import { stopsOf, type Stop } from './stops.ts';
import { subsystemTargets, type SubsystemTarget } from './subsystem.ts';

/** What is known of a module or a subsystem, besides what is configured. */
export interface ModuleState {
  /** The releases of the module. */
  readonly list: ModuleList;
  /** What is deployed now. */
  readonly deployed: Deployed;
  /** The version that was deployed before; absent where it is not known. A rollback prefers it. */
  readonly previous?: Version | undefined;
  /** When it was restarted to be replaced, in milliseconds since the epoch, in any order. */
  readonly restarts?: readonly number[] | undefined;
  /** Its versions that failed on this machine, or were rolled back. */
  readonly quarantine?: readonly Quarantined[] | undefined;
}

/** Everything that a plan depends on. The same input gives the same plan. */
export interface PlanInput {
  /** The machine config. */
  readonly machine: Machine;
  /** The update policy. */
  readonly policy: UpdatePolicy;
  /** The platform of the machine. */
  readonly platform: Platform;
  /** The time of the plan, in milliseconds since the epoch. */
  readonly now: number;
  /** `refuse` refuses what was published later than `now`; `allow` is the default. */
  readonly laterReleases?: 'refuse' | 'allow' | undefined;
  /** By the name of the module entry. The deployed version of an entry without a state is not known. */
  readonly modules: ReadonlyMap<string, ModuleState>;
  /** By name; likewise. */
  readonly subsystems: ReadonlyMap<SubsystemTarget['name'], ModuleState>;
  /** Whether the agent allows maintenance; absent where it is not asked. */
  readonly answer?: MaintenanceAnswer | undefined;
  /** Whether the server processes changes of its config: nothing restarts meanwhile. */
  readonly isServerBusy: boolean;
}

/** What a machine should do now. */
export interface Plan {
  /** In the order of the machine config. */
  readonly modules: readonly ModulePlan[];
  /** The agent and the server, and other subsystems that are disabled. */
  readonly subsystems: readonly SubsystemPlan[];
  /** All actions that are due, in the order in which they are carried out, and what stops for them. */
  readonly restarts: readonly Restart[];
}

/** The decision on a module or a subsystem, and what else a person wants to know of it. */
export interface PlanRow {
  /** What to do, and why. */
  readonly decision: Decision;
  /** The newest release that may be chosen, whatever the constraint; undefined without one. (Versioning, rule 2) */
  readonly latest: Version | undefined;
  /** What stops while it restarts, where it is to be replaced now or later; else empty. */
  readonly stops: readonly Stop[];
  /** When the decision changes by itself; undefined where no such time is known. */
  readonly nextChange: NextChange | undefined;
  /** What a person should know. */
  readonly warnings: readonly Warning[];
}

/** The row of a module entry. */
export interface ModulePlan extends PlanRow {
  /** The name of the entry. */
  readonly name: string;
  /** The module. */
  readonly moduleId: ModuleId;
}

/** The row of a subsystem. */
export interface SubsystemPlan extends PlanRow {
  /** What the agent configuration says of it. */
  readonly target: SubsystemTarget;
}

/** In the place of a list that nobody asked for. */
export const NOT_ASKED: ModuleList = {
  error: { kind: 'not-asked', message: 'its release list was not asked for' },
};

const NOTHING: ModuleState = { list: NOT_ASKED, deployed: { kind: 'unknown' } };

const LATEST = { kind: 'latest' } as const;

/**
 * Plans a machine: what to do about each module and subsystem now, and what stops for that. Pure. Throws a RangeError
 * where `now` is no time. (Versioning)
 *
 * @example
 * ```ts
 * import { indexReleases, planMachine, readDeployed } from 'modreg';
 * import { DEFAULT_POLICY, readMachine } from 'modreg/config';
 *
 * const machine = readMachine(
 *   '{"modules": [{"type": "registry", "name": "cam", "module_id": "acme:cam", "version": "1.*"}]}',
 * );
 * if (!machine.ok) throw new Error(machine.problems[0]?.message);
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
  const { machine, policy } = input;
  // What is not managed is not restarted.
  const isManaged = !machine.agent.platformServer.disableSubsystem;
  const stops = stopsOf(isManaged ? machine.components : []);
  const entries = Map.groupBy(machine.modules, ({ moduleId }) => moduleId);

  const modules = machine.modules.map((entry): ModulePlan => {
    const { name, moduleId } = entry;
    const requirement = isManaged ? requirementOf(entry) : ({ kind: 'disabled' } as const);
    const known = withoutAddress(input.modules.get(name) ?? NOTHING);
    const one = questionOf(known, requirement, termsFor(policy, name), input);
    const channel = requirement.kind === 'latest-with-prerelease' ? requirement : LATEST;
    const row = rowOf(one, channel, () => stops.ofModules(new Set([moduleId])));
    const isShared = (entries.get(moduleId)?.length ?? 0) > 1;
    const shared = isShared ? [{ kind: 'conflicting-constraints' } as const] : [];
    return { name, moduleId, ...row, warnings: [...row.warnings, ...shared] };
  });
  const subsystems = Array.from(subsystemTargets(machine.agent), (target): SubsystemPlan => {
    const known = input.subsystems.get(target.name) ?? NOTHING;
    const one = questionOf(known, target.requirement, termsFor(policy, target.name), input);
    const row = rowOf(one, target.channel, () => stops.ofServer());
    return { target, ...row };
  });
  const actions = [
    ...modules.map(({ name, moduleId, decision, stops: stopping }) =>
      actionOf(decision, { kind: 'module', name, moduleId }, stopping),
    ),
    ...subsystems.map(({ target, decision, stops: stopping }) =>
      target.option === 'disable_subsystem'
        ? undefined
        : actionOf(decision, { kind: 'subsystem', name: target.name }, stopping),
    ),
  ].filter((action) => action !== undefined);
  return { modules, subsystems, restarts: restartsFor(actions, stops) };
}

function requirementOf(entry: ModuleEntry): Requirement {
  return entry.type === 'local' ? { kind: 'local' } : entry.constraint;
}

/** A module has no `pin_url`: an address says no more of it than any other text. (D14) */
function withoutAddress(known: ModuleState): ModuleState {
  const { deployed } = known;
  if (deployed.kind !== 'url') return known;
  return { ...known, deployed: { kind: 'other', text: deployed.url } };
}

function questionOf(
  { list, deployed, previous, restarts = [], quarantine = [] }: ModuleState,
  requirement: Requirement,
  terms: UpdateTerms,
  { now, platform, laterReleases, answer, isServerBusy }: PlanInput,
): DecideInput {
  const { minimumAge, restartCooldownMs, restartCeiling, maxIndexAgeMs, allowDowngrade } = terms;
  return {
    requirement,
    list,
    deployed,
    previous,
    quarantine,
    maxIndexAgeMs,
    allowDowngrade,
    eligibility: {
      now,
      platform,
      notAfter: laterReleases === 'refuse' ? now : undefined,
      minimumAge: minimumAge.ms === 0 ? undefined : minimumAge,
    },
    timing: {
      window: terms.window,
      answer,
      isServerBusy,
      restarts,
      restartCooldownMs,
      restartCeiling,
    },
  };
}

function rowOf(input: DecideInput, channel: Constraint, stopping: () => Stop[]): PlanRow {
  const decision = decide(input);
  const replacement = replacementOf(decision);
  // What is not installed yet does not run.
  const stops = replacement !== undefined && replacement.direction !== 'install';
  return {
    decision,
    latest: latestOf(decision, channel),
    stops: stops ? stopping() : [],
    nextChange: nextChange(decision),
    warnings: decisionWarnings(decision),
  };
}

function latestOf(decision: Decision, channel: Constraint): Version | undefined {
  const { requirement, list, eligibility, quarantine } = decision.input;
  if ('error' in list || requirement.kind === 'local' || requirement.kind === 'disabled')
    return undefined;
  const { index, changedDigests } = list;
  const asked = decision.resolution?.input.eligibility;
  const latest =
    requirement.kind === channel.kind && decision.resolution
      ? decision.resolution
      : resolve(channel, index, asked ?? { ...eligibility, quarantine, changedDigests });
  return latest.kind === 'resolved' ? latest.release.version : undefined;
}
