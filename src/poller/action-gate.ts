import { crashLoopEnd } from '../core/plan/crash-loop.ts';
import type { Clock } from '../registry/index.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import type { PollerEvent } from './event.ts';

/** Whether a poller may act on its plans. */
export class ActionGate {
  readonly #clock: Clock;
  readonly #onEvent: (event: PollerEvent) => void;
  #isBlank = false;
  /** The round of the first plan. Rounds before it had no answer, and showed nothing. */
  #observedIn: number | undefined;
  #isCrashLoop = false;

  constructor(clock: Clock, onEvent: (event: PollerEvent) => void) {
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** `memory` is what the machine remembered before the poller started. */
  begin(memory: MachineMemory | undefined): void {
    this.#isBlank = memory?.isBlank ?? true;
    if (this.#isBlank) this.#onEvent({ kind: 'observe-only' });
  }

  /** Whether a plan made now may be committed. The first plan with a blank memory is only observed. (T53) */
  mayCommit(memory: MachineMemory, rounds: number): boolean {
    const mayAct = this.mayAct(memory, rounds);
    this.#observedIn ??= rounds;
    return mayAct;
  }

  /** Not in the round of a blank memory's first plan, nor in a crash loop. (T53, T57) */
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
