import type { CrashPoints } from './crash-points.ts';
import type { Disk } from './disk.ts';
import type { Judge } from './judge.ts';
import type { Ledger } from './ledger.ts';
import type { Link } from './network.ts';
import type { SimulatedRegistry } from './simulated-registry.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';
import type { Wish } from './wish.ts';

/** What a machine's process is given, and what stays when it is gone. */
export interface World {
  readonly seed: number;
  readonly line: Timeline;
  readonly trace: Trace;
  readonly points: CrashPoints;
  readonly disk: Disk;
  readonly sites: readonly Site[];
  readonly ledger: Ledger;
  readonly judge: Judge;
  readonly complain: (invariant: string, found: string) => void;
  readonly isBroken: () => boolean;
  readonly habits: Habits;
  readonly mood: Mood;
  /** What truly runs, by the key of the target. */
  readonly running: Map<string, string | null>;
  /** What was carried out, and how often, by the id of the action. */
  readonly effects: Map<string, number>;
}

export interface Site {
  readonly registry: SimulatedRegistry;
  readonly link: Link;
}

/** What does not change while a seed is played. */
export interface Habits {
  readonly intervalMs: number;
  readonly acknowledgeWithinMs: number;
  /** Whether the agent is asked for maintenance. */
  readonly asksForMaintenance: boolean;
  readonly isFastStart: boolean;
}

/** How people and programs behave at the moment. */
export interface Mood {
  wish: Wish;
  /** What reading the configuration comes to. */
  configuration: 'there' | 'throws' | 'hangs';
  maintenance: 'allowed' | 'not allowed' | 'junk' | 'throws' | 'hangs' | 'nothing';
  isServerBusy: boolean;
  deployedVersion: 'known' | 'unknown' | 'throws' | 'hangs';
  consumer: 'prompt' | 'slow' | 'forgets' | 'stands' | 'throws' | 'babbles';
  /** The share of releases that do not work here, and of actions that the machine fails. */
  broken: number;
  obstructed: number;
  /** How long the registries' answers are kept from the poller, whether or not it still waits. */
  lateMs: number;
}

/** How an agent fails that is used to it. */
export class AgentMistake extends Error {
  override readonly name = 'AgentMistake';
}
