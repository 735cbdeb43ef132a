import { type DecideInput } from '../decision/decision.ts';
import type { ModuleList } from '../decision/module-list.ts';
import type { RecordedHold } from '../decision/operator-hold.ts';
import type { HeldReplacement } from '../decision/longest-hold.ts';
import { type Deployed } from '../decision/deployed.ts';
import type { Timing } from '../decision/timing-policies.ts';
import type { Eligibility, Quarantined } from '../releases/eligibility-policy.ts';
import type { MachineFacts } from '../releases/machine-facts.ts';
import { type Machine } from '../machine/machine.ts';
import type { ModuleId } from '../releases/module-id.ts';
import { type Platform } from '../releases/platform.ts';
import { type UpdatePolicy } from '../machine/update-policy.ts';
import type { Version } from '../version/version.ts';
import { type SubsystemTarget } from './subsystem.ts';

/** The state of a module or subsystem, besides its configuration. */
export interface ModuleState {
  /** The releases of the module. */
  readonly list: ModuleList;
  /** The deployed version, as far as it is known. */
  readonly deployed: Deployed;
  /** The version that was deployed before; absent if it is not known. A rollback prefers it. */
  readonly previous?: Version | undefined;
  /** The version that failed last, if no deployed version was reported since; absent if there is none (D37). */
  readonly failed?: Version | undefined;
  /** When it was restarted for a replacement, in milliseconds since the epoch, in any order. */
  readonly restarts?: readonly number[] | undefined;
  /** Its versions that failed on this machine or were rolled back. */
  readonly quarantine?: readonly Quarantined[] | undefined;
  /** The restart that an operator requested; absent if none is open (D41). */
  readonly restartRequest?: DecideInput['restartRequest'];
  /** The replacement at once that an operator requested; absent if none is open (D76). */
  readonly upgradeRequest?: DecideInput['upgradeRequest'];
  /** @internal The floors that it passes without running them; absent if there are none (D92). */
  readonly skippedFloors?: DecideInput['skippedFloors'];
  /** @internal The holds of operators, of it and of the whole machine; absent if there are none (D75). */
  readonly holds?: readonly RecordedHold[] | undefined;
  /** @internal Since when its replacements are held; absent if none is (D79). */
  readonly held?: HeldReplacement | undefined;
}

/** Everything that a plan depends on. The same input results in the same plan. */
export interface PlanInput {
  /** The machine config. */
  readonly machine: Machine;
  /** The update policy. */
  readonly policy: UpdatePolicy;
  /** The platform of the machine. */
  readonly platform: Platform;
  /** The machine's id, which determines its place in rollouts; absent if it has none. */
  readonly machineId?: string | undefined;
  /** The machine's group, as its credentials name it; by default that of the policy. */
  readonly group?: string | undefined;
  /** The time of the plan, in milliseconds since the epoch. */
  readonly now: number;
  /** What is wrong with the machine's clock; absent if nothing is known to be. */
  readonly clock?: Eligibility['clock'];
  /** Judges what releases require; absent to refuse none for it (D86). */
  readonly requirements?:
    | {
        /** `satisfiesRange` of `modreg/registry`. */
        readonly satisfies: (version: string, range: string) => boolean | undefined;
        /** What its system is tagged with: `distro:debian`. Called if a release requires a tag. */
        readonly systemTags: () => readonly string[];
        /** @internal What is deployed, if the plan is not for the whole machine. */
        readonly deployed?: MachineFacts['deployed'];
      }
    | undefined;
  /** `refuse` refuses releases that were published after `now`. The default is `allow`. */
  readonly laterReleases?: 'refuse' | 'allow' | undefined;
  /** By the name of the module entry. If an entry has no state here, its deployed version is unknown. */
  readonly modules: ReadonlyMap<string, ModuleState>;
  /** By the name of the subsystem. If it has no state here, its deployed version is unknown. */
  readonly subsystems: ReadonlyMap<SubsystemTarget['name'], ModuleState>;
  /** Whether the agent allows maintenance; absent if it is not asked. */
  readonly answer?: Timing['answer'];
  /** What must not be stopped now, by the module of its entry; absent if no module was asked (D77). */
  readonly vetoes?: ReadonlyMap<ModuleId, NonNullable<Timing['vetoes']>> | undefined;
  /** Whether the server is processing config changes. Nothing restarts during that time. */
  readonly isServerBusy: boolean;
}
