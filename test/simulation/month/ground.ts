import type { Chance } from '../chance.ts';
import type { Wanted } from './documents.ts';
import type { Judge } from './judge.ts';
import type { Radio } from './radio.ts';
import type { Rover } from './rover.ts';
import type { Site } from './site.ts';

/** What a happening is about. */
export interface Ground {
  readonly site: Site;
  readonly rover: Rover;
  readonly radio: Radio;
  readonly judge: Judge;
  readonly isPinned: boolean;
  readonly chance: Chance;
  /** The right time. */
  readonly now: () => number;
  readonly pass: (ms: number) => Promise<void>;
  /** The process of the machine is killed at the nth next step. */
  readonly killAfter: (steps: number) => void;
  /** What people want the machine to run. */
  readonly mind: Mind;
}

/** What people have in mind. */
interface Mind {
  wanted: Wanted;
  /** The newest minor version of each module, by its id. */
  readonly published: Map<string, number>;
  isOnline: boolean;
  keys: number;
}

export type Happening = (ground: Ground) => Promise<string | undefined> | string | undefined;

/** The names of the module entries. */
export const NAMES = ['acme_lidar', 'acme_arm'] as const;
/** The patch number of a version that does not work. */
export const BROKEN = 9;

/** In half of all cases the process is killed at one of the next steps. */
export function maybeKilled({ chance, killAfter }: Ground): void {
  if (chance.is(0.5)) killAfter(1 + chance.below(16));
}
