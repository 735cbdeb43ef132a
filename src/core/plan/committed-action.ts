import type { Action } from './action.ts';
import type { Restart } from './restarts.ts';
import type { Stop } from './stops.ts';

/** An action on disk. It is delivered until it is acknowledged, or until another action replaces it. */
export interface CommittedAction extends Action {
  /** Unique across machines, and the same in each delivery. */
  readonly id: string;
  /** The restart that it shares with other actions, as it was planned. */
  readonly restart: {
    /** What restarts: modules, or a subsystem, which restarts all modules with it. */
    readonly of: Restart['of'];
    /** The names of everything that the restart replaces, in the order of replacement. */
    readonly targets: readonly string[];
    /** The components that stop, in stop order. */
    readonly stops: readonly Stop[];
  };
}

/** An action that a plan contains and that is not committed yet. */
export type NewAction = Omit<CommittedAction, 'id'>;

/** A committed action that is neither settled nor superseded. */
export interface OpenAction {
  readonly action: CommittedAction;
  /** `delivered`: a consumer received it, perhaps in an earlier process. */
  readonly state: 'waiting' | 'delivered';
  /** The earliest time of the next delivery, in milliseconds since the epoch; 0 if there is no limit. */
  readonly notBefore: number;
  readonly deliveries: number;
  /** How often the consumer reported a failure with the blame `machine`. */
  readonly failures: number;
  /** Why the last of these attempts failed, as reported; undefined if none did. */
  readonly lastFailure: string | undefined;
}

/** The result of an action, as its consumer reports it. */
export type ActionOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'failed';
      /** Why, for people. It is logged, and `modreg status` shows it. */
      readonly reason: string;
      /** The version that is deployed now; `null` if nothing is deployed, undefined if it is not known. */
      readonly running: string | null | undefined;
      /**
       * `release`: the version does not work on this machine, and is quarantined. `machine`: no restart took place, and
       * the action is delivered again later. `undecided`: nor does the version before it, which worked; its quarantine is
       * suspended, and it may be tried again once `running` works (D80).
       */
      readonly blame: 'release' | 'machine' | 'undecided';
      /** `false`: the version was found unusable before anything was stopped, so that its action counts as no restart. */
      readonly restarted?: false | undefined;
    };
