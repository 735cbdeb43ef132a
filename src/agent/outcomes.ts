import type { Activation } from '../core/machine/activation.ts';
import type { ActionEnd } from './supervised-module.ts';

/**
 * How actions ended that were begun. An action may end before its delivery comes, because an earlier agent began it, so
 * an end is kept until it is asked for.
 */
export class Outcomes {
  readonly #ends = new Map<string, ActionEnd>();
  readonly #waiting = new Map<string, (end: ActionEnd) => void>();

  /** Records how an action ended. */
  note(end: ActionEnd): void {
    const waiting = this.#waiting.get(end.action);
    this.#waiting.delete(end.action);
    if (waiting) waiting(end);
    else this.#ends.set(end.action, end);
  }

  /** How an action has ended, once; undefined if it has not. */
  take(action: string): ActionEnd | undefined {
    const end = this.#ends.get(action);
    this.#ends.delete(action);
    return end;
  }

  /** Resolves once the action has ended. */
  async of(action: string): Promise<ActionEnd> {
    const end = this.take(action);
    if (end) return end;
    const { promise, resolve } = Promise.withResolvers<ActionEnd>();
    this.#waiting.set(action, resolve);
    return await promise;
  }
}

/** How the action ended that made `row`, if it did: its acknowledgement may be missing. */
export function settledEnd(row: Activation | undefined, action: string): ActionEnd | undefined {
  if (row?.phase !== 'stable' || row.settled?.action !== action) return undefined;
  const { fault, isUndecided } = row.settled;
  if (!fault) return { command: 'done', action };
  const blame = isUndecided ? 'undecided' : fault.blame;
  return { command: 'fail', action, running: row.current.version, reason: fault.reason, blame };
}
