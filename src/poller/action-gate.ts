import { crashLoopEnd } from '../core/plan/crash-loop.ts';
import type { Clock } from '../registry/clock.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import type { PollerEvent } from './event.ts';

/** Decides whether a poller may act on its plans. */
export class ActionGate {
  readonly #clock: Clock;
  readonly #onEvent: (event: PollerEvent) => void;
  #isBlank = false;
  /** The round of the first plan. Earlier rounds had no answer, so nothing was observed in them. */
  #observedIn: number | undefined;
  #isCrashLoop = false;

  constructor(clock: Clock, onEvent: (event: PollerEvent) => void) {
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** `memory` is the machine's memory before the poller started; undefined if it cannot be read. */
  begin(memory: MachineMemory | undefined): void {
    this.#isBlank = memory?.isBlank ?? true;
    if (this.#isBlank) this.#onEvent({ kind: 'observe-only' });
  }

  /** Whether a plan made now may be committed. With a blank memory, the first plan is observe-only (T53). */
  mayCommit(memory: MachineMemory, rounds: number): boolean {
    const mayAct = this.mayAct(memory, rounds);
    this.#observedIn ??= rounds;
    return mayAct;
  }

  /** Whether actions may be delivered: not in the round of the first plan of a blank memory, nor in a crash loop (T53, T57). */
  mayAct({ starts }: MachineMemory, rounds: number): boolean {
    const until = crashLoopEnd(starts, this.#clock.now());
    if (until !== undefined && !this.#isCrashLoop) {
      this.#onEvent({ kind: 'crash-loop', until });
    }
    this.#isCrashLoop = until !== undefined;
    const hasObserved = this.#observedIn !== undefined && rounds > this.#observedIn;
    return until === undefined && (!this.#isBlank || hasObserved);
  }
}
