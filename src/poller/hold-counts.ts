import {
  elapsedOf,
  holdsInForce,
  type ClockReading,
  type RecordedHold,
} from '../core/decision/operator-hold.ts';
import type { HeldReplacement } from '../core/decision/longest-hold.ts';
import { keyOf, type TargetName } from '../core/plan/target.ts';
import type { Clock } from '../registry/clock.ts';
import type { StateAccess } from './state-access.ts';

/** A wall clock that is further from the monotonic clock was set. */
const MOST_APART_MS = 5 * 60_000;
/** How much elapsed time a loss of power may take away while no time is certain. */
const WRITE_EVERY_MS = 60_000;

type Elapsed = Pick<RecordedHold, 'elapsedMs' | 'countedAt'>;

/**
 * The elapsed time of holds, which setting the wall clock does not change (D75, D79). While the wall clock keeps step with the
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
    return this.#counted(holdKey(hold), hold, reading);
  }

  /** The same for what is held of a target (D79). */
  countedHeld(target: TargetName, held: HeldReplacement, reading: ClockReading): HeldReplacement {
    return this.#counted(heldKey(target, held), held, reading);
  }

  #counted<T extends Elapsed>(key: string, hold: T, reading: ClockReading): T {
    const { now, clock } = reading;
    const monotonic = this.#clock.monotonic();
    const countedAt = clock ? undefined : now;
    const first = this.#first.get(key) ?? {
      elapsedMs: elapsedOf(hold, reading),
      countedAt,
      monotonic,
    };
    this.#first.set(key, first);
    const passedMs = Math.floor(monotonic - first.monotonic);
    const byClockMs = now - (first.countedAt ?? Infinity);
    const isInStep = !clock && Math.abs(byClockMs - passedMs) <= MOST_APART_MS;
    return { ...hold, elapsedMs: first.elapsedMs + (isInStep ? byClockMs : passedMs), countedAt };
  }

  /** Whether so much time was counted that it must be written, or the wall clock was set: other processes would count that. */
  isWritingDue(before: Elapsed, { elapsedMs, countedAt = 0 }: Elapsed): boolean {
    const passedMs = elapsedMs - before.elapsedMs;
    const byClockMs = countedAt - (before.countedAt ?? countedAt);
    return passedMs >= WRITE_EVERY_MS || Math.abs(byClockMs - passedMs) > MOST_APART_MS;
  }

  /** Writes what was counted of operators' holds, and ends those that are over. */
  write(state: StateAccess, reading: ClockReading): void {
    const { holds = [], held = [] } = state.read() ?? {};
    const known = new Set([...holds.map(holdKey), ...held.map((one) => heldKey(one, one))]);
    this.#first = new Map([...this.#first].filter(([key]) => known.has(key)));
    for (const hold of holds) {
      const counted = this.counted(hold, reading);
      if (holdsInForce([counted], reading).length === 0) {
        state.write((file) => file.endHold(hold.of, hold.since));
      } else if (this.isWritingDue(hold, counted)) {
        state.write((file) => file.countHold(hold, counted));
      }
    }
  }
}

function holdKey({ of, since }: RecordedHold): string {
  return `${of.kind} ${of.name} ${since}`;
}

function heldKey(target: TargetName, { since }: Pick<HeldReplacement, 'since'>): string {
  return `held ${keyOf(target)} ${since}`;
}
