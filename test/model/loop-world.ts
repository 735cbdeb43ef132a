import type { ActionTarget } from '../../src/core/index.ts';
import type { Delivery, Poller } from '../../src/poller/index.ts';
import type { ClaimedFile } from '../../src/store/index.ts';
import { moduleNamed } from '../support/claimed.ts';
import type { Judge } from './loop-judge.ts';
import type { Rows } from './machine-store.ts';
import type { ModelClock, Times } from './model-clock.ts';

export const NAMES = ['camera', 'arm'] as const;
export type Name = (typeof NAMES)[number];
export const VERSIONS = ['1.0.0', '1.1.0', '1.2.0'] as const;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** Between two rounds. */
export const INTERVAL_MS = 10 * MINUTE;

/** A release of the registry. */
export interface Published {
  readonly version: string;
  readonly yanked?: string;
}

/** What is outside of the process. */
export interface World {
  readonly releases: Readonly<Record<Name, readonly Published[]>>;
  /** What is deployed of each module, in truth. */
  readonly running: Readonly<Record<Name, string>>;
  /** The ids of the actions that were begun and have no outcome. */
  readonly begun: readonly string[];
  /** How far the wall clock was set. */
  readonly clockSetMs: number;
}

/** A machine without a process. */
export interface Base {
  readonly rows: Rows;
  readonly world: World;
  readonly times: Times;
}

/** A delivered action that the consumer has. */
export interface Hand {
  readonly name: Name;
  readonly delivery: Delivery;
  /** Whether it was allowed, and something was changed. */
  isBegun: boolean;
}

/** A running process. */
export interface Life {
  world: World;
  readonly clock: ModelClock;
  readonly file: ClaimedFile;
  readonly poller: Poller;
  readonly judge: Judge;
  readonly hands: Hand[];
  /** Ends the consumer; undefined if there is none. */
  consumer: AbortController | undefined;
  /** What the registry had when it was asked last; undefined before. */
  heard: World['releases'] | undefined;
  /** How often it was asked. */
  rounds: number;
  /** The ids of the actions that this process delivered. */
  readonly delivered: Set<string>;
  /** Whether it has ended: it writes nothing any more. */
  isOver: boolean;
  /** The targets whose last action failed because of the machine, in this process. */
  readonly failedHere: Set<Name>;
}

export const TARGETS: Readonly<Record<Name, ActionTarget>> = {
  camera: moduleNamed('camera'),
  arm: moduleNamed('arm'),
};
