import type { AgentEvent } from '../../agent/event.ts';
import { cgroupUse } from '../../agent/process/cgroup.ts';
import type { PollerEvent } from '../../poller/index.ts';

/** The events of an agent that are not its poller's. */
export type OwnEvent = Exclude<AgentEvent, PollerEvent>;

/** What has happened to a module since the start of the agent. */
export interface ModuleTally {
  readonly isUp: boolean;
  readonly starts: number;
  readonly crashes: number;
  readonly rollbacks: number;
  /** Of its newest process; undefined if that has none of its own. */
  readonly cgroup: string | undefined;
}

export const NO_EVENTS: ModuleTally = {
  isUp: false,
  starts: 0,
  crashes: 0,
  rollbacks: 0,
  cgroup: undefined,
};

interface ModuleMetric {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  /** Undefined if it is not known. */
  readonly valueOf: (tally: ModuleTally) => number | undefined;
}

/** What is measured of each module. */
export const MODULE_METRICS: readonly ModuleMetric[] = [
  {
    type: 'gauge',
    name: 'modreg_agent_module_up',
    help: '1 if the module is ready, else 0',
    valueOf: ({ isUp }) => (isUp ? 1 : 0),
  },
  {
    type: 'counter',
    name: 'modreg_agent_restarts_total',
    help: 'Starts of its process after the first one by this agent, for any reason',
    valueOf: ({ starts }) => Math.max(starts - 1, 0),
  },
  {
    type: 'counter',
    name: 'modreg_agent_crashes_total',
    help: 'Times that a version ended, could not be started, was not ready in time, or failed its probes',
    valueOf: ({ crashes }) => crashes,
  },
  {
    type: 'counter',
    name: 'modreg_agent_rollbacks_total',
    help: 'Times that the version before was started again because a new one failed',
    valueOf: ({ rollbacks }) => rollbacks,
  },
  {
    type: 'gauge',
    name: 'modreg_agent_module_memory_bytes',
    help: 'Memory that the cgroup of its process uses',
    valueOf: (tally) => useOf(tally)?.memoryBytes,
  },
  {
    type: 'counter',
    name: 'modreg_agent_module_cpu_seconds_total',
    help: 'CPU time that the cgroup of its process has used; from 0 with each process',
    valueOf: (tally) => useOf(tally)?.cpuSeconds,
  },
];

function useOf({ cgroup }: ModuleTally): ReturnType<typeof cgroupUse> | undefined {
  return cgroup === undefined ? undefined : cgroupUse(cgroup);
}

const UP: ReadonlySet<string> = new Set(['running', 'probation']);

/** A tally with one more event of its module. */
export function tallied(tally: ModuleTally, event: OwnEvent): ModuleTally {
  if (event.kind === 'started') return { ...tally, starts: tally.starts + 1, cgroup: event.cgroup };
  if (event.kind !== 'module') return tally;
  const { crashes, rollbacks } = tally;
  return {
    ...tally,
    isUp: UP.has(event.state),
    crashes: event.reason === undefined ? crashes : crashes + 1,
    rollbacks: event.state === 'rolling-back' ? rollbacks + 1 : rollbacks,
  };
}
