import type { ClockFault } from '../core/releases/eligibility-policy.ts';
import type { Clock } from './clock.ts';

/** Whether something keeps the machine's clock right; `unknown` if that cannot be found out. */
export type ClockState = 'synchronized' | 'unsynchronized' | 'unknown';

/** What is known about the time of this moment (D57). */
export type KnownTime =
  | {
      /**
       * `certain`: the clock is synchronized or trusted, or a registry said over https what time it is. `assumed`: nothing
       * says that the clock is right, nor that it is wrong.
       */
      readonly kind: 'certain' | 'assumed';
      /** In whole milliseconds since the epoch. */
      readonly at: number;
    }
  | { readonly kind: Exclude<ClockFault['kind'], 'wrong'> };

/** A clock that differs by less from the time of a registry agrees with it. */
const MOST_APART_MS = 5 * 60_000;

/**
 * What is certain about the time in this process. A time that a registry said over https stays certain, because the
 * monotonic clock counts what has passed since (D57).
 */
export class CertainClock {
  readonly #clock: Clock;
  readonly #state: () => ClockState;
  #said: { readonly at: number; readonly monotonic: number } | undefined;
  /** The latest certain time of this process, and of earlier ones. */
  #latest: number | undefined;
  #remembered: number | undefined;

  constructor(clock: Clock, state: () => ClockState = () => 'unknown') {
    this.#clock = clock;
    this.#state = state;
  }

  /**
   * Takes the time `at` of a registry whose certificate was verified. A time that is ahead of an earlier one is only accepted if the
   * machine's clock agrees with it: a registry could end a minimum age by moving its time forward (D57).
   */
  hear(at: number): void {
    const said = this.#saidNow();
    const isLater = said !== undefined && at > said + MOST_APART_MS;
    const isSame = said !== undefined && Math.abs(at - said) <= MOST_APART_MS;
    if (isSame || (isLater && Math.abs(at - this.#clock.now()) > MOST_APART_MS)) return;
    this.#said = { at, monotonic: this.#clock.monotonic() };
  }

  /** The time that a registry said, and what has passed since. */
  #saidNow(): number | undefined {
    if (!this.#said) return undefined;
    return this.#said.at + Math.floor(this.#clock.monotonic() - this.#said.monotonic);
  }

  /** A time that was certain in an earlier process. */
  remember(certainAt: number | undefined): void {
    this.#remembered = Math.max(this.#remembered ?? -Infinity, certainAt ?? -Infinity);
  }

  /** What is known about the time. `trustsClock` is the term of the policy: undefined to find out. */
  read(trustsClock: boolean | undefined): KnownTime {
    const time = this.#read(trustsClock);
    if (time.kind === 'certain' && trustsClock !== true) this.#latest = time.at;
    return time;
  }

  #read(trustsClock: boolean | undefined): KnownTime {
    const now = this.#clock.now();
    const state = this.#state();
    const isTrusted: boolean = trustsClock ?? state === 'synchronized';
    if (isTrusted) return { kind: 'certain', at: now };
    const at = this.#saidNow();
    if (at !== undefined) {
      return { kind: 'certain', at: Math.abs(now - at) <= MOST_APART_MS ? now : at };
    }
    if (trustsClock === false) return { kind: 'distrusted' };
    return state === 'unsynchronized' ? { kind: state } : { kind: 'assumed', at: now };
  }

  /** What is wrong with the machine's clock now; undefined if nothing is known to be. */
  fault(trustsClock: boolean | undefined): ClockFault | undefined {
    const time = this.read(trustsClock);
    if (!('at' in time)) return { kind: time.kind, certainAt: this.#latest ?? this.#remembered };
    const aheadMs = time.kind === 'certain' ? this.#clock.now() - time.at : 0;
    return Math.abs(aheadMs) <= MOST_APART_MS ? undefined : { kind: 'wrong', aheadMs };
  }
}

/** What is known about the time, and what is wrong with the clock, for modules with a term `trust_clock`. */
export function timeOf(
  certain: CertainClock,
  trustsClock: boolean | undefined,
): { readonly knownTime: () => KnownTime; readonly clockFault: () => ClockFault | undefined } {
  return {
    knownTime: () => certain.read(trustsClock),
    clockFault: () => certain.fault(trustsClock),
  };
}
