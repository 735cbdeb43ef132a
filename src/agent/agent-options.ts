import type { AgentConfiguration } from '../config/index.ts';
import type { Platform } from '../core/index.ts';
import type { UpdateTerms } from '../core/machine/update-policy.ts';
import type { Configuration, PollerOptions } from '../poller/index.ts';
import type { Clock } from '../registry/clock.ts';
import type { ClaimedFile } from '../store/index.ts';
import type { FetchOptions } from './install/fetch-artifact.ts';
import type { AgentEvent } from './event.ts';

/** The required and optional inputs of an `Agent`. */
export interface AgentOptions {
  /** The machine's file, opened with `openForPoller` of `modreg/store`. */
  readonly file: ClaimedFile;
  /** The machine's configuration, read before each round. If it throws, the last configuration stays in force. */
  readonly configuration: () => Configuration | Promise<Configuration>;
  /** Returns the registry for these terms, as `openRegistries` does. */
  readonly registryFor: PollerOptions['registryFor'];
  /** The platform of the machine. */
  readonly platform: Platform;
  /** What the machine's system is tagged with, for releases that require a tag: nothing by default (D87). */
  readonly systemTags?: PollerOptions['systemTags'];
  /** `PLATFORM_HOME`: the folders of packages and of module data are below it. Absolute. */
  readonly home: string;
  /** The agent's environment variables, which the `env` of modules may read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The value of `${secret.NAME}` in the `env` of a module, which a site holds; by default such text stays as it is. */
  readonly secretOf?: PollerOptions['secretOf'];
  /**
   * The machine's id, which determines its place in rollouts and is a part of `PLATFORM_MODULE_DATA`: `PLATFORM_PART_ID`
   * by default. A machine without an id has `local` in that path, and only 100 % of a rollout include it.
   */
  readonly machineId?: string;
  /** The machine's group, which a rollout may include first; by default `group` of the policy. */
  readonly group?: string;
  /** The time between rounds in milliseconds: a minute by default. */
  readonly intervalMs?: number;
  /** How files are fetched: the token of their registry, and what tests replace. */
  readonly fetch?: (
    terms: UpdateTerms,
  ) => Omit<FetchOptions, 'signal' | 'onProgress' | 'allowHttp'>;
  /** Set if the agent applies `agent-provisioning` and `agent-syscfg` to the system, which only root can; by default it does not. */
  readonly system?: {
    /** The manufacturer's configuration, whose provisioning attributes the machine's override. If it throws, nothing is changed. */
    readonly manufacturer?: () => AgentConfiguration | undefined;
    /** For tests: the folder that stands for `/`. */
    readonly root?: string;
    /** For tests: where `nmcli`, `systemctl` and `apt-config` are found, as in PATH. */
    readonly programs?: string;
  };
  /**
   * What the launcher of `modreg agent install-unit` has started; undefined if another program starts the agent. Only then
   * the agent installs its own releases, unless the policy says `self_update: false`.
   */
  readonly launched?:
    | {
        /** The path of the program that runs, without links. */
        readonly program: string;
        /** The version that it says it has. */
        readonly version: string;
      }
    | undefined;
  /** The source of time; `systemClock` by default. */
  readonly clock?: Clock;
  /** Random numbers from 0 to 1; `Math.random` by default. */
  readonly random?: () => number;
  /** Called with each event, for a log. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** Called with each line that a module writes: at most 10,000 in 30 s, then a line that counts the others. */
  readonly onLine?: (
    name: string,
    line: {
      /** Where the module wrote it, or `agent` for what the agent says of its output and its processes. */
      readonly stream: 'stdout' | 'stderr' | 'agent';
      /** Without its end, and cut at 16,384 characters. */
      readonly text: string;
      /** Whether it was cut. */
      readonly isTruncated: boolean;
    },
  ) => void;
}
