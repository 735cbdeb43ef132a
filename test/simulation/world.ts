import type { CrashPoints } from './crash-points.ts';
import type { Disk } from './disk.ts';
import type { Host } from './host.ts';
import type { Judge } from './judge.ts';
import type { Ledger } from './ledger.ts';
import type { Link } from './network.ts';
import type { SimulatedRegistry } from './simulated-registry.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';
import type { Wire } from './wire.ts';
import type { Desired } from './desired.ts';

/** The environment of a machine's processes, and the state that outlives them. */
export interface World {
  readonly seed: number;
  readonly line: Timeline;
  readonly wire: Wire;
  readonly trace: Trace;
  readonly points: CrashPoints;
  readonly disk: Disk;
  readonly sites: readonly Site[];
  readonly ledger: Ledger;
  readonly judge: Judge;
  readonly complain: (invariant: string, found: string) => void;
  readonly isBroken: () => boolean;
  readonly settings: Settings;
  /** The machine that modreg's own agent runs; undefined if another agent consumes the deliveries. */
  readonly host: Host | undefined;
  readonly conditions: Conditions;
  /** The version that is really deployed, by the key of the target. */
  readonly running: Map<string, string | null>;
  /** The actions that were carried out. */
  readonly effects: Set<string>;
  /** The targets whose version the agent changed without telling modreg, or for an action that had been withdrawn. */
  readonly strays: Set<string>;
}

export interface Site {
  readonly registry: SimulatedRegistry;
  readonly link: Link;
}

/** The settings that stay fixed during a play. */
export interface Settings {
  readonly intervalMs: number;
  readonly acknowledgeWithinMs: number;
  /** Whether the agent has a maintenance callback. */
  readonly asksForMaintenance: boolean;
  readonly isFastStart: boolean;
}

/** The current behavior of operators, agent and consumer; incidents change it. */
export interface Conditions {
  desired: Desired;
  /** The result of reading the configuration. */
  configuration: 'available' | 'throws' | 'hangs';
  maintenance: 'allowed' | 'not allowed' | 'junk' | 'throws' | 'hangs' | 'nothing';
  isServerBusy: boolean;
  deployedVersion: 'known' | 'unknown' | 'throws' | 'hangs';
  consumer: 'prompt' | 'slow' | 'forgets' | 'blocks' | 'throws' | 'repeats';
  /** The share of releases that fail on this machine, and of actions that fail because of the machine. */
  broken: number;
  obstructed: number;
  /** How long a version takes to be downloaded by modreg's own agent, at most. */
  longestDownloadMs: number;
  /** Whether the clock is synchronized, as its system says. It may still be set. */
  isClockRight: boolean;
  /** How long the lists are kept from the poller, even if it no longer waits. */
  lateMs: number;
}

/** An error that a callback of the simulated agent throws on purpose. */
export class CallbackError extends Error {
  override readonly name = 'CallbackError';
}
