import type { ModuleId } from '../core/index.ts';
import type { RegistryError } from '../registry/index.ts';
import type { CommittedAction, DatabaseError, ActionOutcome } from '../store/index.ts';

/**
 * What happens while release lists are read, for a log. A lasting condition is reported once when it begins and once
 * when it ends.
 */
export type PollingEvent =
  /** The configuration cannot be read: the last one stays in force. */
  | { readonly kind: 'configuration-unreadable'; readonly error: unknown }
  | { readonly kind: 'configuration-readable' }
  /** A registry gives no list at all; it is asked again in `retryMs`. */
  | {
      readonly kind: 'registry-unavailable';
      readonly error: RegistryError;
      readonly retryMs: number;
    }
  | { readonly kind: 'registry-available'; readonly afterMs: number }
  /** The registry answers, but not with the list of this module. A saved list is used if there is one. */
  | {
      readonly kind: 'list-unavailable';
      readonly moduleId: ModuleId;
      readonly error: RegistryError;
    }
  | { readonly kind: 'list-available'; readonly moduleId: ModuleId }
  | CallbackError;

/** A callback of the agent, or modreg itself, failed. The work is repeated. */
interface CallbackError {
  readonly kind: 'callback-error';
  readonly error: unknown;
}

/** What happens in a poller, for a log. */
export type PollerEvent =
  | PollingEvent
  /** The machine's file cannot be used: nothing is decided or delivered until it can. */
  | { readonly kind: 'state-unavailable'; readonly error: DatabaseError }
  | { readonly kind: 'state-available' }
  /** No deployed version is known: the first round is planned, and nothing is committed. (T53) */
  | { readonly kind: 'observe-only' }
  /** The agent started too often in a short time: nothing is committed or delivered until `until`. (T57) */
  | { readonly kind: 'crash-loop'; readonly until: number }
  | { readonly kind: 'committed'; readonly action: CommittedAction }
  /** It was never delivered, and will not be. */
  | { readonly kind: 'superseded'; readonly action: CommittedAction }
  /** It was delivered, never acknowledged, and is not wanted any more. */
  | { readonly kind: 'withdrawn'; readonly action: CommittedAction }
  | { readonly kind: 'delivered'; readonly action: CommittedAction; readonly times: number }
  | { readonly kind: 'acknowledged'; readonly id: string; readonly outcome: ActionOutcome }
  /** No open action with this id was delivered. */
  | { readonly kind: 'unknown-acknowledgement'; readonly id: string };

/** Calls `onEvent`, and reports its own errors as callback errors: they never reach the code that reports an event. */
export function isolated<T>(
  onEvent: ((event: T | CallbackError) => void) | undefined,
): (event: T | CallbackError) => void {
  return (event) => {
    try {
      const result: unknown = onEvent?.(event);
      // An async function may reject later.
      if (result instanceof Promise) {
        result.catch((error: unknown) => reportError(error, onEvent));
      }
    } catch (error) {
      reportError(error, onEvent);
    }
  };
}

function reportError(thrown: unknown, onEvent: ((event: CallbackError) => void) | undefined): void {
  try {
    const result: unknown = onEvent?.({ kind: 'callback-error', error: thrown });
    if (result instanceof Promise) result.catch(() => undefined);
  } catch {
    // The callback that receives errors fails itself: there is nobody to report that to.
  }
}
