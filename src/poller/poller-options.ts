import type { moduleEnvironment } from '../config/module-environment.ts';
import type { ActionTarget, Platform } from '../core/index.ts';
import type { Timing } from '../core/decision/timing-policies.ts';
import type { UpdateTerms } from '../core/machine/update-policy.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import type { Clock } from '../registry/clock.ts';
import type { PollableRegistry } from '../registry/pollable-registry.ts';
import type { ClaimedFile } from '../store/index.ts';
import type { PollerEvent } from './event.ts';
import type { Upcoming } from './upcoming.ts';

/** @internal What of the configuration reaches a program, as one text that `entrySetup` makes. */
export interface ProgramSetup {
  readonly now: string;
  /** Absent if it was not started. */
  readonly started?: string | undefined;
}

/** The required and optional inputs of a `Poller`. */
export interface PollerOptions {
  /** The machine's file, opened with `openForPoller` of `modreg/store`. */
  readonly file: ClaimedFile;
  /** The machine's configuration, read before each round, and while no round is due. If it throws, the last configuration stays in force. */
  readonly configuration: () => Configuration | Promise<Configuration>;
  /** Returns the registry for these terms, as `openRegistries` does. The same registry must be the same object each time. */
  readonly registryFor: (terms: UpdateTerms) => PollableRegistry;
  /** The platform of the machine. */
  readonly platform: Platform;
  /** What the machine's system is tagged with, for releases that require a tag: nothing by default (D87). */
  readonly systemTags?: (() => readonly string[]) | undefined;
  /**
   * Called for a target whose deployed version is not in the machine's file. Returns the version, `null` if nothing is
   * deployed, undefined if the agent does not know.
   */
  readonly deployedVersion?: ((target: ActionTarget) => unknown) | undefined;
  /** Whether the server is processing changes of its config. Nothing is restarted while it is. */
  readonly isServerBusy?: (() => boolean) | undefined;
  /**
   * Whether maintenance is allowed now. Called only if something would be replaced; anything except true forbids it. A
   * `false` ends with the policy's `longest_hold`, and `'forbidden'` does not (D79).
   */
  readonly isMaintenanceAllowed?: (() => unknown) | undefined;
  /**
   * Which of the module entries `names` must not be stopped now. Called only if something would be replaced or restarted
   * that stops them. If it throws, or takes longer than ten seconds, maintenance is not allowed (D77). With `isExact`, each
   * reason must be the one of now, because an operator who passes a veto names it (D76).
   */
  readonly vetoes?:
    | ((
        names: readonly string[],
        terms: {
          /** Whether an operator requested a replacement at once. */
          readonly isExact: boolean;
        },
      ) => NonNullable<Timing['vetoes']> | Promise<NonNullable<Timing['vetoes']>>)
    | undefined;
  /**
   * The agent's environment variables, which the `env` of modules may read; also for `PLATFORM_HOME` and
   * `PLATFORM_AGENT_FAST_START`. Empty by default.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The value of `${secret.NAME}` in the `env` of a module, which a site holds; by default such text stays as it is. */
  readonly secretOf?: Parameters<typeof moduleEnvironment>[1]['secretOf'];
  /**
   * The machine's id, which determines its place in rollouts and is a part of `PLATFORM_MODULE_DATA`: `PLATFORM_PART_ID` of
   * `environment` by default. A machine without an id has `local` in that path, and only 100 % of a rollout include it.
   */
  readonly machineId?: string;
  /** The machine's group, which a rollout may include first; by default `group` of the policy. */
  readonly group?: string;
  /** The time between rounds in milliseconds, plus or minus 10 %: a minute by default, five seconds to a day. */
  readonly intervalMs?: number;
  /**
   * How long, in milliseconds, a consumer has to acknowledge an action before it is overdue: half an hour by default, at
   * least a second.
   */
  readonly acknowledgeWithinMs?: number;
  /** The source of time; `systemClock` by default. */
  readonly clock?: Clock;
  /** Random numbers from 0 to 1, for intervals and back-off; `Math.random` by default. */
  readonly random?: () => number;
  /**
   * @internal What of the configuration reaches the program of a target: as it is now, and when its program was started last;
   * undefined if that is not known. An edit gives a release that failed another try; without this, none does (D82).
   */
  readonly programSetup?: (target: ActionTarget) => ProgramSetup | undefined;
  /** @internal Whether the first round begins at once. */
  readonly isUrgent?: () => boolean;
  /** @internal Of the boot of the machine: a start in the same boot as the one before is no reboot (D85). */
  readonly bootId?: string;
  /** @internal Called with what each plan deploys. Must not throw. */
  readonly onUpcoming?: (upcoming: readonly Upcoming[]) => void;
  /** Called with each event, for a log. An error that it throws is reported as an event too. */
  readonly onEvent?: (event: PollerEvent) => void;
}
