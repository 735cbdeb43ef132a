import type { UpgradeRequest } from '../decision/upgrade-request.ts';
import type { RestartRequest } from '../decision/restart-request.ts';
import type { HeldReplacement } from '../decision/longest-hold.ts';
import type { RecordedHold } from '../decision/operator-hold.ts';
import type { Deployed } from '../decision/deployed.ts';
import type { Quarantined, SkippedFloor } from '../releases/eligibility-policy.ts';
import type { ModuleId } from '../releases/module-id.ts';
import type { Version } from '../version/version.ts';
import type { ActionTarget } from './action.ts';
import type { OpenAction } from './committed-action.ts';
import type { TargetName } from './target.ts';

/** What a machine remembers about one module or subsystem. */
export interface Remembered {
  readonly deployed: Deployed;
  /** The version that was deployed before `deployed`; a rollback prefers it (D13). */
  readonly previous: Version | undefined;
  /** The version that failed last, if no deployed version was reported since (D37). */
  readonly failed: Version | undefined;
  readonly restarts: readonly RememberedRestart[];
  readonly quarantine: readonly Quarantined[];
  /** The restart that an operator requested, until it is done (D41). */
  readonly restartRequest?: RememberedRequest | undefined;
  /** The replacement at once that an operator requested, until it has ended; absent if there is none (D76). */
  readonly upgradeRequest?: UpgradeRequest | undefined;
  /** The floors that it passes without running them; absent if there are none (D92). */
  readonly skippedFloors?: readonly SkippedFloor[] | undefined;
  /** The holds of operators, of it and of the whole machine; absent if there are none (D75). */
  readonly holds?: readonly RecordedHold[] | undefined;
  /** Since when its replacements are held; absent if none is (D79). */
  readonly held?: HeldReplacement | undefined;
}

export interface RememberedRequest {
  readonly request: RestartRequest;
  /** Why the restart failed, which ended the request; undefined while it is open. */
  readonly failure: string | undefined;
}

export interface RememberedRestart {
  /** The id of the action that caused it. */
  readonly action: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface RememberedChange {
  readonly target: TargetName;
  readonly version: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** A snapshot of what a machine remembers. */
export interface MachineMemory {
  /**
   * `setup` is what of the configuration reaches the target's program now. If it was edited since a release failed, its
   * quarantine has a `retry`; without it, none has (D82).
   */
  of(target: ActionTarget, setup?: string): Remembered;
  /** In the order in which they were committed. */
  readonly open: readonly OpenAction[];
  readonly quarantine: readonly QuarantineEntry[];
  /** The holds of operators, also those that have ended meanwhile (D75). */
  readonly holds: readonly RecordedHold[];
  /** The replacements at once that operators requested, also those that have ended meanwhile (D76). */
  readonly upgradeRequests: readonly RequestedUpgrade[];
  /** The floors that operators skipped, by target (D92). */
  readonly skippedFloors: readonly RememberedSkip[];
  /** The targets whose lists an operator wants to be read now (D76). */
  readonly roundRequests: readonly TargetName[];
  /** The targets of which something is held, and for how long (D79). */
  readonly held: readonly (TargetName & HeldReplacement)[];
  /** When pollers recently started on this machine, in milliseconds since the epoch. */
  readonly starts: readonly number[];
  /** The boot of the machine in which each of them was; undefined if it is not known (D85). */
  readonly boots?: readonly (string | undefined)[] | undefined;
  /** The version that was reported as deployed last, and when; absent if none is deployed (D85). */
  readonly lastChange?: RememberedChange | undefined;
  /** Whether no deployed version was ever reported. */
  readonly isBlank: boolean;
}

/** A request for a replacement at once, and the module that its entry had. */
export interface RequestedUpgrade {
  readonly target: TargetName;
  readonly moduleId: string;
  readonly request: UpgradeRequest;
}

/** A skipped floor, and the target and the module that it was skipped for. */
export interface RememberedSkip {
  readonly target: TargetName;
  readonly moduleId: string;
  readonly skip: SkippedFloor;
}

/** An entry in which a release failed. */
export interface FailedEntry {
  /** The key of its target. */
  readonly key: string;
  /** The name of the module entry or the subsystem. */
  readonly name: string;
  /**
   * `failed`: it failed alone. `failed-again`: after another version that failed in the same way had worked again; what fails later
   * says nothing about it. Otherwise the quarantine is suspended (D80). `waiting`: until the other version works.
   * `may-be-tried`: from now on. `kept`: it is the one that is started again and again.
   */
  readonly state: 'failed' | 'failed-again' | 'waiting' | 'may-be-tried' | 'kept';
  /** The version that fails in the same way; undefined if none does, or if it is not known. */
  readonly sameAs: string | undefined;
  /** Present if it is deployed in the entry all the same. */
  readonly isInUse?: true | undefined;
}

/** Whether the quarantine is in force in the entry: it is not suspended. */
export function hasFailed({ state }: FailedEntry): boolean {
  return state === 'failed' || state === 'failed-again';
}

/** An entry in which the quarantine is suspended, if it is in none in force (D80): one that waits, if there is one. */
export function suspensionOf({ entries }: QuarantineEntry): FailedEntry | undefined {
  if (!entries || entries.some(hasFailed)) return undefined;
  return entries.find(({ state }) => state === 'waiting') ?? entries[0];
}

/** A version in quarantine, and why. */
export interface QuarantineEntry extends Quarantined {
  /** Where it failed; absent if it is refused in all entries: by an operator, or by a failure that an earlier modreg recorded (D81). */
  readonly entries?: readonly FailedEntry[] | undefined;
  readonly moduleId: ModuleId;
  /** In milliseconds since the epoch. */
  readonly since: number;
  /** The reason that the consumer or the operator gave. */
  readonly reason: string;
}
