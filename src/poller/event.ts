import type { Action, ActionTarget, Hold, ModuleId } from '../core/index.ts';
import type { Words } from '../core/text/time-words.ts';
import { onRejection } from '../core/text/thenable.ts';
import type { RegistryError } from '../registry/registry-error.ts';
import type { CommittedAction, DatabaseError, ActionOutcome } from '../store/index.ts';
import type { FailureReport } from './delivery.ts';

/** An event in a poller, for a log. A lasting condition is reported once when it begins and once when it ends. */
export type PollerEvent =
  | {
      /** The configuration cannot be read, or for another reason than before: the last one stays in force. */
      readonly kind: 'configuration-unreadable';
      /** What was thrown. */
      readonly error: unknown;
    }
  | { readonly kind: 'configuration-readable' }
  | {
      /** A registry returns no list at all. */
      readonly kind: 'registry-unavailable';
      /** Why it is unavailable. */
      readonly error: RegistryError;
      /** When it is contacted again, in milliseconds from now. */
      readonly retryMs: number;
    }
  | {
      readonly kind: 'registry-available';
      /** How long it was unavailable, in milliseconds. */
      readonly afterMs: number;
    }
  | {
      /** The registry answers, but without a list of this module. A saved list is used if there is one. */
      readonly kind: 'list-unavailable';
      /** The module. */
      readonly moduleId: ModuleId;
      /** Why there is no list. */
      readonly error: RegistryError;
    }
  | {
      readonly kind: 'list-available';
      /** The module. */
      readonly moduleId: ModuleId;
    }
  | {
      /** A callback of the agent, or modreg itself, threw an error. The work is repeated. */
      readonly kind: 'callback-error';
      /** What was thrown. */
      readonly error: unknown;
    }
  | {
      /** The machine's file cannot be used: nothing is decided or delivered until it can. */
      readonly kind: 'state-unavailable';
      /** Why it cannot be used. */
      readonly error: DatabaseError;
    }
  | { readonly kind: 'state-available' }
  | {
      /** No deployed version is known: the first round is planned, but nothing is committed (T53). */
      readonly kind: 'observe-only';
      /** When the next round begins, in milliseconds since the epoch; a change feed may begin it sooner. */
      readonly nextRoundAt: number;
    }
  | {
      /** The agent started too often in a short time: nothing is committed or delivered (T57). */
      readonly kind: 'crash-loop';
      /** Until when, in milliseconds since the epoch. */
      readonly until: number;
    }
  | {
      /** `committed`: it is on disk. `superseded`: it ended before a delivery. `withdrawn`: it ended after one, unacknowledged. */
      readonly kind: 'committed' | 'superseded' | 'withdrawn';
      /** The action. */
      readonly action: CommittedAction;
    }
  | {
      readonly kind: 'delivered';
      /** The action. */
      readonly action: CommittedAction;
      /** How often it was delivered, including this time. */
      readonly times: number;
    }
  | {
      /** A replacement is held, from now on or for other reasons than before. The hold ends with another decision. */
      readonly kind: 'held';
      /** The module or subsystem. */
      readonly target: ActionTarget;
      /** The direction of the replacement. */
      readonly direction: Action['direction'];
      /** The version to deploy, or the address of a `pin_url` without credentials. */
      readonly to: string;
      /** All reasons that hold it. */
      readonly because: readonly Hold[];
      /** The earliest time at which nothing holds it, in milliseconds since the epoch; undefined if it is not known. */
      readonly until: number | undefined;
      /** Why it is held, in one escaped line. */
      readonly text: string;
      /** @internal The same with its times as data; absent if it has none. */
      readonly words?: Words | undefined;
    }
  | {
      /** A version was put into quarantine, because it failed or an operator intervened. */
      readonly kind: 'quarantined';
      /** The module. */
      readonly moduleId: ModuleId;
      /** The version. */
      readonly version: string;
      /** Why, as reported. */
      readonly reason: string;
      /** When the quarantine ends, in milliseconds since the epoch; undefined if it has no time limit. */
      readonly until: number | undefined;
      /** Present if the quarantine is suspended, because another version fails in the same way (D80). */
      readonly undecided?:
        | {
            /** That version; undefined if it is not known. */
            readonly sameAs: string | undefined;
          }
        | undefined;
    }
  | {
      /** The deadline of a delivered action has passed. Its consumer keeps it, and its signal is aborted. */
      readonly kind: 'overdue';
      /** The action. */
      readonly action: CommittedAction;
      /** How long its consumer has had it, in milliseconds. */
      readonly afterMs: number;
    }
  | {
      /** The consumer of an action made progress; once for each whole percent. */
      readonly kind: 'progress';
      /** The action. */
      readonly action: CommittedAction;
      /** From 0 to 1. */
      readonly fraction: number;
    }
  | {
      /** `reportFailure` recorded the failure of a release that no open action deploys. */
      readonly kind: 'failure-reported';
      /** The module or subsystem. */
      readonly target: ActionTarget;
      /** What was reported. */
      readonly failure: Pick<FailureReport, 'reason' | 'running'> & {
        /** The version that failed. */
        readonly version: string;
      };
    }
  | {
      readonly kind: 'acknowledged';
      /** The id of the action. */
      readonly id: string;
      /** The outcome that its consumer reported. */
      readonly outcome: ActionOutcome;
      /** When the action is delivered again, in milliseconds from now; undefined if it has ended. */
      readonly retryMs: number | undefined;
    }
  | {
      /** An acknowledgement arrived too late: its action was withdrawn, and the deployed version is known since. */
      readonly kind: 'unknown-acknowledgement';
      /** The id that was acknowledged. */
      readonly id: string;
    };

type CallbackError = Extract<PollerEvent, { kind: 'callback-error' }>;

/** The events of reading release lists. */
export type PollingEvent = Extract<
  PollerEvent,
  {
    kind:
      | ('configuration-unreadable' | 'configuration-readable' | 'callback-error')
      | ('registry-unavailable' | 'registry-available' | 'list-unavailable' | 'list-available');
  }
>;

/** Wraps `onEvent`: an error that it throws is reported to it as a callback error, and does not reach the caller. */
export function isolated<T>(
  onEvent: ((event: T | CallbackError) => void) | undefined,
): (event: T | CallbackError) => void {
  return (event) => {
    try {
      // An async function may reject later.
      onRejection(onEvent?.(event), (error) => reportError(error, onEvent));
    } catch (error) {
      reportError(error, onEvent);
    }
  };
}

function reportError(thrown: unknown, onEvent: ((event: CallbackError) => void) | undefined): void {
  try {
    onRejection(onEvent?.({ kind: 'callback-error', error: thrown }), () => undefined);
  } catch {
    // The callback that receives errors throws too, so there is nowhere to report that.
  }
}
