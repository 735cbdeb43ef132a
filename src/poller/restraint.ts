import type { Clock } from '../registry/index.ts';
import type { MachineMemory } from '../store/index.ts';
import type { PollerEvent } from './event.ts';

/** So many starts in so short a time are those of an agent that crashes. */
const MOST_STARTS = 5;
const STARTS_WITHIN_MS = 10 * 60_000;
/** The first round that may act, where nothing was known before the first one. */
const FIRST_ROUND_TO_ACT = 2;

/** When a poller decides and does nothing about it. */
export class Restraint {
  readonly #clock: Clock;
  readonly #onEvent: (event: PollerEvent) => void;
  #isBlank = false;
  #isReporting = false;

  constructor(clock: Clock, onEvent: (event: PollerEvent) => void) {
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** `memory` as it is before the poller starts. */
  begin(memory: MachineMemory | undefined): void {
    this.#isBlank = memory?.isBlank ?? true;
    if (this.#isBlank) this.#onEvent({ kind: 'only-looking' });
  }

  /** Not in the first round of a memory that was blank, nor while the agent crashes again and again. (T53, T57) */
  mayAct({ starts }: MachineMemory, rounds: number): boolean {
    const until = reportsOnlyUntil(starts, this.#clock.now());
    if (until !== undefined && !this.#isReporting) {
      this.#onEvent({ kind: 'only-reporting', until });
    }
    this.#isReporting = until !== undefined;
    return until === undefined && (!this.#isBlank || rounds >= FIRST_ROUND_TO_ACT);
  }
}

/** When an agent that started so often may act again, in milliseconds since the epoch; undefined where it may. (T57) */
export function reportsOnlyUntil(starts: readonly number[], now: number): number | undefined {
  const recent = starts.filter((at) => Math.abs(now - at) < STARTS_WITHIN_MS);
  const decisive = recent.toSorted((a, b) => b - a)[MOST_STARTS - 1];
  return decisive === undefined ? undefined : decisive + STARTS_WITHIN_MS;
}
