import type { ActionTarget } from '../core/index.ts';
import { keyOf, moduleOf } from '../core/plan/target.ts';
import type { CommittedAction } from '../store/index.ts';
import { Attempt, type AttemptTerms } from './attempt.ts';

/**
 * The delivered actions of this process that are not acknowledged. A consumer keeps its action until it acknowledges it
 * or ends: long work is not a reason to deliver an action twice (D39).
 */
export class Attempts {
  readonly #terms: AttemptTerms;
  /** The last attempt of each action, by id. */
  readonly #attempts = new Map<string, Attempt>();

  constructor(terms: AttemptTerms) {
    this.#terms = terms;
  }

  /** Begins an attempt. An earlier one of the same action, whose consumer has ended, should stop. */
  begin(action: CommittedAction, consumer: symbol): Attempt {
    const earlier = this.#attempts.get(action.id);
    const attempt = new Attempt(action, consumer, this.#terms, earlier);
    this.#attempts.set(action.id, attempt);
    earlier?.abandon('was delivered to another consumer');
    void attempt.watch();
    return attempt;
  }

  /** Whether a consumer of this process has the action. */
  isHeld(id: string): boolean {
    return this.#attempts.get(id)?.consumer !== undefined;
  }

  /** The time until the deadline of the consumer that has the action, in milliseconds; 0 if none has it. */
  untilDeadline(id: string): number {
    return this.isHeld(id) ? (this.#attempts.get(id)?.untilDeadline ?? 0) : 0;
  }

  /** The attempt to deploy this version whose outcome was not reported. */
  find(target: ActionTarget, version: string): Attempt | undefined {
    const identity = identityOf(target);
    return [...this.#attempts.values()].find(
      ({ action, isReported }) =>
        !isReported && action.to === version && identityOf(action.target) === identity,
    );
  }

  /** Ends the attempt of an action, and tells its consumer to stop unless that consumer is `reporter`. */
  end(id: string, because: string, reporter?: Attempt): void {
    const attempt = this.#attempts.get(id);
    this.#attempts.delete(id);
    if (attempt !== reporter) attempt?.abandon(because);
  }

  /** Whether this is the attempt that has the action. */
  isCurrent(id: string, signal: AbortSignal): boolean {
    const attempt = this.#attempts.get(id);
    return attempt?.signal === signal && attempt.consumer !== undefined;
  }

  /** Ends the attempt of an action that was not begun. */
  takeBack(id: string): void {
    const attempt = this.#attempts.get(id);
    this.#attempts.delete(id);
    attempt?.takeBack();
  }

  /** Frees the actions of a consumer that has ended: another consumer may get them. */
  release(consumer: symbol): void {
    for (const attempt of this.#attempts.values()) {
      if (attempt.consumer === consumer) attempt.consumer = undefined;
    }
  }

  /** From now on no deadline has an effect. */
  stop(): void {
    for (const attempt of this.#attempts.values()) attempt.endWatch();
  }
}

function identityOf(target: ActionTarget): string {
  return `${keyOf(target)} ${moduleOf(target)}`;
}
