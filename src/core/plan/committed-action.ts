import type { Action } from './action.ts';
import type { Restart } from './restarts.ts';
import type { Stop } from './stops.ts';

/** An action on the disk: it is delivered until it is acknowledged, or until another one replaces it. */
export interface CommittedAction extends Action {
  /** Unique on every machine, and the same at each delivery. */
  readonly id: string;
  /** The restart that it shares with other actions, as it was decided. */
  readonly restart: {
    /** What restarts: modules, or a subsystem, which restarts all modules with it. */
    readonly of: Restart['of'];
    /** The names of everything that it replaces, in the order in which they are replaced. */
    readonly targets: readonly string[];
    /** What stops, in the order of stopping. */
    readonly stops: readonly Stop[];
  };
}

/** An action that a plan wants to be committed. */
export type NewAction = Omit<CommittedAction, 'id'>;

/** An action that is not settled. */
export interface OpenAction {
  readonly action: CommittedAction;
  /** `delivered`: a consumer has it, or had it when its process ended. */
  readonly state: 'waiting' | 'delivered';
  /** It is not delivered before this, in milliseconds since the epoch; 0 without such a limit. */
  readonly notBefore: number;
  readonly deliveries: number;
  /** How often the consumer blamed the machine. */
  readonly failures: number;
}

/** The result of an action, as its consumer reports it. */
export type ActionOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'failed';
      /** Why, for people. It is logged, and shown by `modreg status`. */
      readonly reason: string;
      /** What is deployed now: a version, `null` where nothing is, undefined where it is not known. */
      readonly running: string | null | undefined;
      /**
       * `release`: it does not work on this machine, and is quarantined. `machine`: it did not come to a restart, and
       * the action is delivered again later.
       */
      readonly blame: 'release' | 'machine';
    };
