import { crashLoopEnd } from '../core/plan/crash-loop.ts';
import type { Clock } from '../registry/index.ts';
import type { MachineMemory } from '../store/index.ts';
import type { PollerEvent } from './event.ts';

/** When a poller decides and does nothing about it. */
export class ActionGate {
  readonly #clock: Clock;
  readonly #onEvent: (event: PollerEvent) => void;
  #isBlank = false;
  /** The round of the first plan: one that is not answered shows nothing. */
  #lookedIn: number | undefined;
  #isReporting = false;

  constructor(clock: Clock, onEvent: (event: PollerEvent) => void) {
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** `memory` as it is before the poller starts. */
  begin(memory: MachineMemory | undefined): void {
    this.#isBlank = memory?.isBlank ?? true;
    if (this.#isBlank) this.#onEvent({ kind: 'observe-only' });
  }

  /** Whether a plan may be acted upon that is made now. The first of a blank memory only shows. (T53) */
  mayCommit(memory: MachineMemory, rounds: number): boolean {
    const mayAct = this.mayAct(memory, rounds);
    this.#lookedIn ??= rounds;
    return mayAct;
  }

  /** Not in the first round that a blank memory is planned in, nor while the agent crashes again and again. (T53, T57) */
  mayAct({ starts }: MachineMemory, rounds: number): boolean {
    const until = crashLoopEnd(starts, this.#clock.now());
    if (until !== undefined && !this.#isReporting) {
      this.#onEvent({ kind: 'crash-loop', until });
    }
    this.#isReporting = until !== undefined;
    const hasLooked = this.#lookedIn !== undefined && rounds > this.#lookedIn;
    return until === undefined && (!this.#isBlank || hasLooked);
  }
}
