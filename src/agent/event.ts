import type { PollerEvent } from '../poller/index.ts';
import type { DatabaseError } from '../store/index.ts';
import type { InstallStep } from './install/install-step.ts';

/** An event in an agent, for a log: those of its poller, and its own. */
export type AgentEvent =
  | PollerEvent
  | {
      /** The state of a module changed. */
      readonly kind: 'module';
      /** The name of the entry. */
      readonly name: string;
      /** Its state now. */
      readonly state:
        | ('idle' | 'held' | 'starting' | 'running' | 'backing-off' | 'stopping')
        /** A new version was started, or is ready and must stay healthy for a while, or failed and is replaced. */
        | ('trying' | 'probation' | 'rolling-back');
      /** The version that this state is about, or the one that failed; undefined if there is none. */
      readonly version: string | undefined;
      /** Why the version failed, if this state follows from that. */
      readonly reason: string | undefined;
      /** How long the module waits in this state before its next start, or is on probation, in milliseconds. */
      readonly waitMs: number | undefined;
    }
  | {
      /** A process of a module was started. */
      readonly kind: 'started';
      /** The name of the entry. */
      readonly name: string;
      /** The version. */
      readonly version: string;
      /** Its process. */
      readonly pid: number;
      /** The folder of the cgroup that it and what it starts have; absent if they have none of their own. */
      readonly cgroup?: string | undefined;
    }
  | {
      /** A process of a module that ran was stopped, with all that it had started. */
      readonly kind: 'stopped';
      /** The name of the entry. */
      readonly name: string;
      /** The version. */
      readonly version: string;
      /** Set if only SIGKILL ended it: so long after SIGTERM, in milliseconds. */
      readonly killedAfterMs: number | undefined;
    }
  | {
      /** What the config or the policy says about how a module is run has changed. It applies from its next start. */
      readonly kind: 'setup-changed';
      /** The name of the entry. */
      readonly name: string;
    }
  | {
      /** A module ends because of a change of the config. Its package and its data stay. */
      readonly kind: 'leaves';
      /** The name of the entry. */
      readonly name: string;
      /** Its entry was removed, has another `module_id` or type now, or platform-server is disabled. */
      readonly because: 'removed' | 'replaced' | 'server-disabled';
    }
  | {
      /** What a module kept before is in other folders than the one that it uses: nothing is moved by itself. */
      readonly kind: 'earlier-data';
      /** The name of the entry. */
      readonly name: string;
      /** The folder that it uses. */
      readonly folder: string;
      /** The others, below `module-data`: `local/lidar`. */
      readonly earlier: readonly string[];
    }
  | {
      /** An installation has reached a step. */
      readonly kind: 'installing';
      /** The name of the entry. */
      readonly name: string;
      /** The version. */
      readonly version: string;
      /** The step. */
      readonly step: InstallStep;
    }
  | {
      /** A release that is held was downloaded and unpacked, for the time when nothing holds it. */
      readonly kind: 'prefetched';
      /** The name of the entry. */
      readonly name: string;
      /** The version. */
      readonly version: string;
      /** The fields of its `meta.json` that modreg does not read. */
      readonly ignored: readonly string[];
    }
  | {
      /** A release that is held could not be downloaded or unpacked: once for each reason. It is tried again. */
      readonly kind: 'prefetch-failed';
      /** The name of the entry. */
      readonly name: string;
      /** The version. */
      readonly version: string;
      /** Why, in one escaped line. */
      readonly reason: string;
      /** When it is tried again, in milliseconds from now. */
      readonly retryMs: number;
    }
  | {
      /** A module waits until the modules that it depends on are ready. */
      readonly kind: 'waiting';
      /** The name of the entry. */
      readonly name: string;
      /** The entries that it waits for. */
      readonly for: readonly string[];
    }
  | {
      /** Processes that an earlier agent left behind were killed. */
      readonly kind: 'orphans';
      /** How many. */
      readonly count: number;
      /** Whether some have not ended yet. The agent starts no module before they have. */
      readonly areLeft: boolean;
    }
  | {
      /** Packages and downloads that nothing uses any more could not be removed. The next start tries again. */
      readonly kind: 'not-removed';
      /** What the system answered. */
      readonly error: unknown;
    }
  | {
      /** A release of the agent is installed. It is used after a restart of the agent. */
      readonly kind: 'restart-required';
      /** Its version. */
      readonly installed: string;
      /** The version that runs. */
      readonly running: string;
    }
  | {
      /** A change of a module waits until the machine's file can be written. */
      readonly kind: 'module-waits-for-file';
      /** The name of the entry. */
      readonly name: string;
      /** Why it cannot be written. */
      readonly error: DatabaseError;
    }
  | {
      /** An action was not begun once it was prepared: its version may not be selected any more, or it waits for a module. */
      readonly kind: 'not-begun';
      /** The name of the module entry or the subsystem. */
      readonly name: string;
      /** The version, or the address of a `pin_url`. */
      readonly version: string;
      /** Why, in one escaped line. */
      readonly reason: string;
    }
  | {
      /** A program does not say whether it may be restarted. Again if the reason changes. */
      readonly kind: 'restart-status';
      /** The name of the server, or of a module entry. */
      readonly name: string;
      /** The address, and what it answered. */
      readonly reason: string;
      /** Whether it is therefore not stopped. */
      readonly isHeld: boolean;
    }
  | {
      /** A managed file of the system was changed, or could not be, or was left alone. */
      readonly kind: 'system-file';
      /** The file. */
      readonly path: string;
      /** What has become of it. */
      readonly state: 'written' | 'restored' | 'removed' | 'left-alone' | 'failed';
      /** Why it was left alone, or has failed. */
      readonly reason: string | undefined;
    }
  | {
      /** The settings of the system cannot be applied, or are not in force. */
      readonly kind: 'system-trouble';
      /** Why, in one line. */
      readonly reason: string;
    }
  | {
      /** NetworkManager was told to connect to a network, or to open or close the hotspot. */
      readonly kind: 'network';
      /** What it was told. */
      readonly change: 'connect' | 'open-hotspot' | 'close-hotspot';
      /** The name of the network or of the hotspot. */
      readonly ssid: string;
      /** Why it did not. */
      readonly reason: string | undefined;
    };
