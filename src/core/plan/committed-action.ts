import type { Action } from './action.ts';
import type { Restart } from './restarts.ts';
import type { Stop } from './stops.ts';

/** An action on the disk: it is delivered until it is acknowledged or another action replaces it. */
export interface CommittedAction extends Action {
  /** Unique on every machine, and the same at each delivery. */
  readonly id: string;
  readonly restart: SharedRestart;
}

/** The restart that an action is part of, as it was decided. (D26) */
export interface SharedRestart {
  readonly of: Restart['of'];
  /** The names of everything that it replaces, in the order of replacement. */
  readonly targets: readonly string[];
  readonly stops: readonly Stop[];
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
      /** Why, in the consumer's words. */
      readonly reason: string;
      /** The version that is deployed now, `null` for none; undefined if the consumer does not know. */
      readonly running: string | null | undefined;
      /** `release`: it does not work here. `machine`: nothing was restarted, and a later attempt may succeed. */
      readonly blame: 'release' | 'machine';
    };
