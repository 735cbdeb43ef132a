import {
  elapsedOf,
  holdsInForce,
  type ClockReading,
  type RecordedHold,
} from '../core/decision/operator-hold.ts';
import type { Clock } from '../registry/clock.ts';
import type { StateAccess } from './state-access.ts';

/** A wall clock that is further from the monotonic clock was set. */
const MOST_APART_MS = 5 * 60_000;
/** How much elapsed time a loss of power may take away while no time is certain. */
const WRITE_EVERY_MS = 60_000;

type Elapsed = Pick<RecordedHold, 'elapsedMs' | 'countedAt'>;

/**
 * The elapsed time of holds, which setting the wall clock does not change (D75). While the wall clock keeps step with the
 * monotonic one, it counts, so that a hold keeps its end.
 */
export class HoldCounts {
  readonly #clock: Clock;
  /** Each hold as this process first saw it. */
  #first = new Map<string, Elapsed & { readonly monotonic: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The hold with its elapsed time now. */
  counted(hold: RecordedHold, reading: ClockReading): RecordedHold {
    const { now, clock } = reading;
    const monotonic = this.#clock.monotonic();
    const countedAt = clock ? undefined : now;
    const first = this.#first.get(keyOf(hold)) ?? {
      elapsedMs: elapsedOf(hold, reading),
      countedAt,
      monotonic,
    };
    this.#first.set(keyOf(hold), first);
    const passedMs = Math.floor(monotonic - first.monotonic);
    const byClockMs = now - (first.countedAt ?? Infinity);
    const isInStep = !clock && Math.abs(byClockMs - passedMs) <= MOST_APART_MS;
    return { ...hold, elapsedMs: first.elapsedMs + (isInStep ? byClockMs : passedMs), countedAt };
  }

  /** Writes what was counted, and ends the holds that are over. */
  write(state: StateAccess, reading: ClockReading): void {
    const holds = state.read()?.holds ?? [];
    const known = new Set(holds.map(keyOf));
    this.#first = new Map([...this.#first].filter(([key]) => known.has(key)));
    for (const hold of holds) {
      const counted = this.counted(hold, reading);
      if (holdsInForce([counted], reading).length === 0) {
        state.write((file) => file.endHold(hold.of, hold.since));
      } else if (counted.elapsedMs - hold.elapsedMs >= WRITE_EVERY_MS) {
        state.write((file) => file.countHold(hold, counted));
      }
    }
  }
}

function keyOf({ of: { kind, name }, since }: RecordedHold): string {
  return `${kind} ${name} ${since}`;
}
