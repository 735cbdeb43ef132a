import { existsSync } from 'node:fs';
import { Poller, type PollerOptions } from '../poller/index.ts';
import { removeUnused } from './install/retention.ts';
import { earlierData } from './module-data.ts';
import { moduleProcess } from './module-process.ts';
import { prefetched } from './prefetch.ts';
import { prepared } from './prepare.ts';
import { bootId } from './system/boot-id.ts';
import { killMarked } from './process/orphans.ts';
import { restartStatusAt } from './process/restart-status.ts';
import { runnableFor, whyNotStarted } from './runnable.ts';
import { THIS_MACHINE } from './system/host.ts';
import { isMetered } from './system/nmcli.ts';

/** What the agent does to the machine, and the poller that decides. The simulator replaces them. */
export interface AgentPorts {
  readonly poller: (options: PollerOptions) => Pick<Poller, keyof Poller>;
  /** Of the boot of the machine; undefined if it is not known. */
  readonly bootId?: string | undefined;
  readonly killMarked: typeof killMarked;
  readonly removeUnused: typeof removeUnused;
  /** Whether a package folder exists. */
  readonly isInstalled: (root: string) => boolean;
  readonly prepared: typeof prepared;
  readonly prefetched: typeof prefetched;
  /** Whether the connection of the machine is metered. */
  readonly isMetered: (stopping: AbortSignal) => Promise<boolean>;
  /** What a program says about its restart. */
  readonly restartStatusAt: typeof restartStatusAt;
  readonly earlierData: typeof earlierData;
  readonly runnableFor: typeof runnableFor;
  readonly whyNotStarted: typeof whyNotStarted;
  readonly moduleProcess: typeof moduleProcess;
}

/** A Linux machine, where `nmcli` is found in the folders `programs`. */
export function linux(programs: string): AgentPorts {
  return {
    poller: (options) => new Poller(options),
    bootId: bootId(),
    killMarked,
    removeUnused,
    isInstalled: existsSync,
    prepared,
    prefetched,
    isMetered: async (stopping) => await isMetered({ ...THIS_MACHINE, programs, stopping }),
    restartStatusAt,
    earlierData,
    runnableFor,
    whyNotStarted,
    moduleProcess,
  };
}
