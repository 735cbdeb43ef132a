import { existsSync } from 'node:fs';
import { Poller, type PollerOptions } from '../poller/index.ts';
import { removeUnused } from './install/retention.ts';
import { moduleProcess } from './module-process.ts';
import { prepared } from './prepare.ts';
import { killMarked } from './process/orphans.ts';
import { runnableFor, whyNotStarted } from './runnable.ts';

/** What the agent does to the machine, and the poller that decides. The simulator replaces them. */
export interface AgentPorts {
  readonly poller: (options: PollerOptions) => Pick<Poller, keyof Poller>;
  readonly killMarked: typeof killMarked;
  readonly removeUnused: typeof removeUnused;
  /** Whether a package folder exists. */
  readonly isInstalled: (root: string) => boolean;
  readonly prepared: typeof prepared;
  readonly runnableFor: typeof runnableFor;
  readonly whyNotStarted: typeof whyNotStarted;
  readonly moduleProcess: typeof moduleProcess;
}

/** A Linux machine. */
export const LINUX: AgentPorts = {
  poller: (options) => new Poller(options),
  killMarked,
  removeUnused,
  isInstalled: existsSync,
  prepared,
  runnableFor,
  whyNotStarted,
  moduleProcess,
};
