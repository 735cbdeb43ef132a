import { expectArgument, numberIn, type Expected } from '../core/text/argument.ts';
import { describeDuration } from '../core/text/duration.ts';
import type { Clock } from '../registry/clock.ts';
import type { ActionOutcome, CommittedAction } from '../store/index.ts';
import type { PollerEvent } from './event.ts';

/** The least time in milliseconds that a consumer has to acknowledge an action. */
export const LEAST_ACKNOWLEDGE_MS = 1000;
/** A consumer that hangs must not extend its deadline for ever. */
const LONGEST_EXTENSION_MS = 86_400_000;
const EXTENSION: Expected = numberIn(
  (ms) => ms >= LEAST_ACKNOWLEDGE_MS && ms <= LONGEST_EXTENSION_MS,
  `${LEAST_ACKNOWLEDGE_MS} to ${LONGEST_EXTENSION_MS} milliseconds`,
);
const FRACTION: Expected = numberIn((fraction) => fraction >= 0 && fraction <= 1, '0 to 1');
/** Shared by all attempts: creating an error takes longer than ending a wait. */
const SETTLED = new Error('the deadline no longer matters');

/** The outcome that was reported; undefined while a report is missing. */
interface Reported {
  as: ActionOutcome['kind'] | undefined;
}

/** Why the outcome of an action that was taken back cannot be reported. */
const TAKEN_BACK = 'was taken back, because it must not be begun now';

/** What an attempt needs from its poller. */
export interface AttemptTerms {
  readonly clock: Clock;
  readonly withinMs: number;
  readonly onEvent: (event: PollerEvent) => void;
}

/** The work of one consumer on one delivered action, from its delivery to its acknowledgement or withdrawal (D39). */
export class Attempt {
  readonly action: CommittedAction;
  /** The iterator that has the action; undefined once it has ended. */
  consumer: symbol | undefined;
  readonly #terms: AttemptTerms;
  readonly #reported: Reported;
  readonly #stopping = new AbortController();
  readonly #watching = new AbortController();
  readonly #since: number;
  /** On the monotonic clock. */
  #deadline: number;
  #percent: number | undefined;
  #isTakenBack = false;

  /** `earlier` is an attempt whose consumer has ended. One report counts for both. */
  constructor(
    action: CommittedAction,
    consumer: symbol,
    terms: AttemptTerms,
    earlier: Attempt | undefined,
  ) {
    this.action = action;
    this.consumer = consumer;
    this.#terms = terms;
    this.#reported = earlier ? earlier.#reported : { as: undefined };
    this.#since = terms.clock.monotonic();
    this.#deadline = this.#since + terms.withinMs;
  }

  /** The signal of the delivery. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get isReported(): boolean {
    return this.#reported.as !== undefined;
  }

  /** The time until the deadline in milliseconds; 0 once it has passed. */
  get untilDeadline(): number {
    // A fraction of a millisecond may be too short to sleep.
    return Math.max(0, Math.floor(this.#deadline - this.#terms.clock.monotonic()));
  }

  /** Reports at the deadline that the action is overdue, unless the attempt has ended by then. */
  async watch(): Promise<void> {
    const { clock, onEvent } = this.#terms;
    const { signal } = this.#watching;
    try {
      while (this.#deadline > clock.monotonic()) {
        await clock.sleep(this.#deadline - clock.monotonic(), signal);
      }
    } catch (error) {
      if (!signal.aborted) onEvent({ kind: 'callback-error', error });
      return;
    }
    if (signal.aborted) return;
    this.#watching.abort(SETTLED);
    const afterMs = Math.round(clock.monotonic() - this.#since);
    onEvent({ kind: 'overdue', action: this.action, afterMs });
    const late = `was not acknowledged within ${describeDuration(afterMs)}`;
    this.#stopping.abort(new DOMException(`${this.#name} ${late}`, 'TimeoutError'));
  }

  /** Moves the deadline, until it has passed or the attempt has ended. Throws a RangeError if `ms` is less than a second or more than a day. */
  extend(ms: number): void {
    expectArgument('extend()', 'ms', ms, EXTENSION);
    if (this.signal.aborted) return;
    this.#deadline = Math.max(this.#deadline, this.#terms.clock.monotonic() + ms);
  }

  /** Emits an event for each whole percent. Throws a RangeError if `fraction` is not from 0 to 1. */
  progress(fraction: number): void {
    expectArgument('progress()', 'fraction', fraction, FRACTION);
    const percent = Math.floor(fraction * 100);
    if (percent === this.#percent || this.isReported) return;
    this.#percent = percent;
    this.#terms.onEvent({ kind: 'progress', action: this.action, fraction });
  }

  /** Runs `record`, which records the outcome. Throws if an outcome was reported before (D38). */
  report(outcome: ActionOutcome['kind'], record: () => void): void {
    if (this.#isTakenBack) throw new Error(`${outcome}(): ${this.#name} ${TAKEN_BACK}`);
    const { as } = this.#reported;
    if (as !== undefined) {
      const kept = 'the first report is kept';
      throw new Error(
        `${outcome}(): the outcome of ${this.#name} was already reported as ${as}; ${kept}`,
      );
    }
    // Recording it emits an event, whose handler may report again.
    this.#reported.as = outcome;
    try {
      record();
    } catch (error) {
      this.#reported.as = undefined;
      throw error;
    }
    this.endWatch();
  }

  /** Ends the attempt of a consumer that has changed nothing: it has no outcome. */
  takeBack(): void {
    this.#isTakenBack = true;
    this.abandon(TAKEN_BACK);
  }

  /** Ends the attempt of a consumer that should stop. `because` completes "action 7 of acme_lidar". */
  abandon(because: string): void {
    this.endWatch();
    this.#stopping.abort(new DOMException(`${this.#name} ${because}`, 'AbortError'));
  }

  /** From now on the deadline has no effect. */
  endWatch(): void {
    this.#watching.abort(SETTLED);
  }

  get #name(): string {
    const { id, target } = this.action;
    return `action ${id} of ${target.name}`;
  }
}
