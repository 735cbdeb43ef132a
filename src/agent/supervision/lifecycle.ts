import type {
  Activation,
  Fault,
  Installed,
  RollingBack,
  Trying,
} from '../../core/machine/activation.ts';
import type { Crashes } from './back-off.ts';

/** A version that is in use: not one that is being tried. */
export interface Serving {
  readonly run: Installed;
  /** The version before it. */
  readonly previous: Installed | undefined;
  readonly crashes: Crashes;
  /** The action of a restart that was requested and has not ended. */
  readonly restart?: string | undefined;
  /** What failed before it, until it has been up for ten minutes (D80). */
  readonly failed?: Installed | undefined;
}

/** The state of one supervised module entry. In each state at most one of its processes exists. */
export type Lifecycle =
  /** No version is in use. */
  | { readonly state: 'idle' }
  /** A version is in use, but must not run now. */
  | ({ readonly state: 'held' } & Serving)
  /** It was started, and is not ready. */
  | ({ readonly state: 'starting' } & Serving)
  | ({ readonly state: 'running'; readonly since: number } & Serving)
  /** It ended, and is started again after a wait. */
  | ({ readonly state: 'backing-off' } & Serving)
  /** The candidate of `row` was started, and is not ready. */
  | ({ readonly state: 'trying' } & Trial)
  /** It is ready, and must stay healthy for a while. */
  | ({ readonly state: 'probation' } & Trial)
  /** The version before a candidate that failed was started, and is not ready. */
  | { readonly state: 'rolling-back'; readonly row: RollingBack }
  /** The processes are ending. */
  | { readonly state: 'stopping'; readonly after: AfterStop };

/** A candidate that is being tried, and the crashes of the version that it replaces. */
export interface Trial {
  readonly row: Trying;
  readonly crashes?: Crashes | undefined;
}

type States = ReadonlySet<Lifecycle['state']>;

/** A module has no process in these states, and none is about to start. */
export const AT_REST: States = new Set(['idle', 'held']);
export const UP: States = new Set(['running', 'probation']);
export const ON_TRIAL: States = new Set(['trying', 'probation', 'rolling-back']);

/** The version that a state is about; undefined if there is none. */
export function versionOf(state: Lifecycle): string | undefined {
  if ('run' in state) return state.run.version;
  if (state.state === 'trying' || state.state === 'probation') return state.row.candidate.version;
  return state.state === 'rolling-back' ? state.row.previous.version : undefined;
}

/** What follows once no process is left. */
export type AfterStop =
  | { readonly to: 'idle' }
  | ({ readonly to: 'held' | 'starting' | 'backing-off' } & Serving)
  | ({ readonly to: 'trying' } & Trial)
  | { readonly to: 'rolling-back'; readonly row: RollingBack }
  /** A first version failed, so none is left. */
  | { readonly to: 'failed'; readonly action: string; readonly fault: Fault };

export type LifecycleEvent =
  /** Use what is on disk, after a start of the agent, or because the entry returned to the config. */
  | { readonly event: 'resume'; readonly row: Activation; readonly isHeld: boolean }
  /** Replace the version in use by a candidate, which is installed. */
  | {
      readonly event: 'activate';
      readonly action: string;
      readonly candidate: Installed;
      /** The folder of the version that may be started again if the candidate fails; undefined if none may. */
      readonly restorable: string | undefined;
      /** The config or an operator goes back to it: if it worked here, what it replaces is not started again. */
      readonly isBack?: boolean | undefined;
      /** What it replaces is refused by an operator, and never started again. */
      readonly isRefused?: boolean | undefined;
      /** What ran here under an earlier name of the entry, in the same folder (D84). */
      readonly inherited?: Installed | undefined;
    }
  /** A release could not be prepared, in a way that the version in use may share. Nothing was stopped for it. */
  | { readonly event: 'unprepared'; readonly action: string; readonly fault: Fault }
  /** Restart the version in use. */
  | { readonly event: 'restart'; readonly action: string }
  | { readonly event: 'ready' }
  /** The process ended, could not be started, was not ready in time, or failed its probes. */
  | { readonly event: 'failed'; readonly fault: Fault }
  /** No process is left after a stop. */
  | { readonly event: 'gone' }
  /** The time of the last `wait` has passed. */
  | { readonly event: 'waited' }
  /** End the process, and start it again after `release`. */
  | { readonly event: 'hold' }
  | { readonly event: 'release' }
  /** End the process: the entry is no longer in the config. */
  | { readonly event: 'remove' }
  /** End the process: the agent ends. */
  | { readonly event: 'shut-down' };

/** What the agent must do, in this order. */
export type Command =
  | { readonly command: 'start'; readonly run: Installed }
  /** End the process and all that it started. `gone` follows. */
  | { readonly command: 'stop' }
  /** `waited` follows, unless the state changes first. */
  | { readonly command: 'wait'; readonly ms: number }
  /** The action is done. */
  | { readonly command: 'done'; readonly action: string }
  /** The action failed. `running` is the version in use now. `undecided`: that one fails in the same way (D80). */
  | {
      readonly command: 'fail';
      readonly action: string;
      readonly running: string | null;
      readonly reason: string;
      readonly blame: Fault['blame'] | 'undecided';
    }
  /** A version does not work, although its action was done, or the one in its place fails in the same way (D80). */
  | {
      readonly command: 'report';
      readonly version: string;
      readonly reason: string;
      readonly running: string | null;
      readonly blame: 'release' | 'undecided';
    }
  /** The version in use has been up for its probation after a failure that was undecided, or for an hour: then it is proven. */
  | { readonly command: 'works'; readonly version: string; readonly isProven: boolean };

/** What is known of the version in use. */
export type Marks = Pick<Extract<Activation, { readonly phase: 'stable' }>, 'current' | 'failed'>;

/** The result of an event. */
export interface Step {
  readonly next: Lifecycle;
  /** Is on disk before the state changes and before any command; null removes the row, undefined leaves it as it is. */
  readonly row?: Activation | null;
  /** What changes in the row of the version in use, if the row is not replaced. */
  readonly marks?: Marks | undefined;
  readonly commands: readonly Command[];
}

/** What a step depends on besides the state and the event. */
export interface Surroundings {
  /** In milliseconds of a monotonic clock. */
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
  readonly probationMs: number;
}
