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
import { subsystemTargets, type SubsystemName, type SubsystemTarget } from './subsystem.ts';

/** What is known of a module or a subsystem, besides what is configured. */
export interface ModuleState {
  readonly list: ModuleList;
  readonly deployed: Deployed;
  /** What was last acknowledged before what is deployed. (D13) */
  readonly previous?: Version | undefined;
  /** When it was restarted to be replaced, in milliseconds since the epoch. (D25) */
  readonly restarts?: readonly number[] | undefined;
  /** Its versions that failed on this machine. (D13) */
  readonly quarantine?: readonly Quarantined[] | undefined;
}

/** What a plan depends on. The same question has the same answer. */
export interface PlanInput {
  readonly machine: Machine;
  readonly policy: UpdatePolicy;
  readonly platform: Platform;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** `refuse`, where it is asked as of `now`, what was published later; `allow` without it. */
  readonly laterReleases?: 'refuse' | 'allow' | undefined;
  /** By the name of the module entry. What is not in here is not known, and never acted upon. */
  readonly modules: ReadonlyMap<string, ModuleState>;
  readonly subsystems: ReadonlyMap<SubsystemName, ModuleState>;
  /** What came of asking whether maintenance is allowed; undefined where nobody is asked. (D29) */
  readonly answer?: MaintenanceAnswer | undefined;
  /** Whether the server processes changes of its config. */
  readonly isServerBusy: boolean;
}

/** What a machine should do now. */
export interface Plan {
  /** In the order of the machine config. */
  readonly modules: readonly ModulePlan[];
  readonly subsystems: readonly SubsystemPlan[];
  /** What is due, and what stops for it: all actions, in the order in which they are carried out. */
  readonly restarts: readonly Restart[];
}

/** The decision on a module or a subsystem, and what else there is to say of it. */
export interface PlanRow {
  readonly decision: Decision;
  /** The newest release that may be chosen, whatever the constraint. (Versioning, rule 2) */
  readonly latest: Version | undefined;
  /** What stops while it restarts, where it is to be replaced now or later. */
  readonly stops: readonly Stop[];
  readonly nextChange: NextChange | undefined;
  readonly warnings: readonly Warning[];
}

export interface ModulePlan extends PlanRow {
  readonly name: string;
  readonly moduleId: ModuleId;
}

export interface SubsystemPlan extends PlanRow {
  readonly target: SubsystemTarget;
}

/** In the place of a list that nobody asked for. */
export const NOT_ASKED: ModuleList = {
  error: { kind: 'not-asked', message: 'its release list was not asked for' },
};

const NOTHING: ModuleState = { list: NOT_ASKED, deployed: { kind: 'unknown' } };

const LATEST = { kind: 'latest' } as const;

/**
 * What each module and subsystem of a machine should become now, and what that stops. Throws a RangeError when
 * `now` is no time. (Versioning)
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
    ...{ requirement, list, deployed, previous, quarantine, maxIndexAgeMs, allowDowngrade },
    eligibility: {
      ...{ now, platform },
      notAfter: laterReleases === 'refuse' ? now : undefined,
      minimumAge: minimumAge.ms === 0 ? undefined : minimumAge,
    },
    timing: {
      ...{
        window: terms.window,
        answer,
        isServerBusy,
        restarts,
        restartCooldownMs,
        restartCeiling,
      },
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
