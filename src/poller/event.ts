import type { ModuleId } from '../core/index.ts';
import type { RegistryError } from '../registry/index.ts';
import type { CommittedAction, DatabaseError, ActionOutcome } from '../store/index.ts';

/** What happens while lists are asked for, for a log. What lasts is told when it begins and when it ends. */
export type ObserverEvent =
  /** The configuration cannot be read: what was read last goes on. */
  | { readonly kind: 'configuration-unreadable'; readonly error: unknown }
  | { readonly kind: 'configuration-readable' }
  /** A registry gives no list; it is asked again in `retryMs`. */
  | { readonly kind: 'registry-lost'; readonly error: RegistryError; readonly retryMs: number }
  | { readonly kind: 'registry-back'; readonly afterMs: number }
  /** The registry answers, and gives no list of one module: a saved one stands in where there is one. */
  | { readonly kind: 'list-lost'; readonly moduleId: ModuleId; readonly error: RegistryError }
  | { readonly kind: 'list-back'; readonly moduleId: ModuleId }
  | Mistake;

/** A function of the agent, or modreg, is at fault. It is called again. */
interface Mistake {
  readonly kind: 'mistake';
  readonly error: unknown;
}

/** What happens in a poller besides. */
export type PollerEvent =
  | ObserverEvent
  /** The machine's file cannot be used: nothing is decided or delivered until it can. */
  | { readonly kind: 'state-lost'; readonly error: DatabaseError }
  | { readonly kind: 'state-back' }
  /** Nothing was known of what runs: one round only looks. (T53) */
  | { readonly kind: 'observe-only' }
  /** Too many pollers were started in a short time: nothing is done until `until`. (T57) */
  | { readonly kind: 'crash-loop'; readonly until: number }
  | { readonly kind: 'committed'; readonly action: CommittedAction }
  /** It waited to be delivered, and will not be. */
  | { readonly kind: 'superseded'; readonly action: CommittedAction }
  /** It was delivered, never acknowledged, and is not wanted any more. */
  | { readonly kind: 'withdrawn'; readonly action: CommittedAction }
  | { readonly kind: 'delivered'; readonly action: CommittedAction; readonly times: number }
  | { readonly kind: 'acknowledged'; readonly id: string; readonly outcome: ActionOutcome }
  /** No action of this id was delivered and is open. */
  | { readonly kind: 'unknown-acknowledgement'; readonly id: string };

/** `onEvent`, whose own mistakes do not reach what it is told of. */
export function telling<T>(
  onEvent: ((event: T | Mistake) => void) | undefined,
): (event: T | Mistake) => void {
  return (event) => {
    try {
      const told: unknown = onEvent?.(event);
      // A function that answers later may fail later.
      if (told instanceof Promise) told.catch((error: unknown) => tellOf(error, onEvent));
    } catch (error) {
      tellOf(error, onEvent);
    }
  };
}

function tellOf(mistake: unknown, onEvent: ((event: Mistake) => void) | undefined): void {
  try {
    const told: unknown = onEvent?.({ kind: 'mistake', error: mistake });
    if (told instanceof Promise) told.catch(() => undefined);
  } catch {
    // Whoever is to be told of mistakes makes them: nobody is left to tell.
  }
}
