import { DatabaseError, type MachineMemory, type MachineState } from '../store/index.ts';
import type { PollerEvent } from './event.ts';

/** The machine's memory, that cannot always be used: what is wrong with it is said once. (T52) */
export class StateAccess {
  readonly #state: MachineState;
  readonly #onEvent: (event: PollerEvent) => void;
  #isLost = false;
  #hasFailed = false;

  constructor(state: MachineState, onEvent: (event: PollerEvent) => void) {
    this.#state = state;
    this.#onEvent = onEvent;
  }

  /** Undefined where it cannot be read. */
  read(): MachineMemory | undefined {
    return this.#trying(() => this.#state.memory())?.value;
  }

  /** What `work` comes to; undefined where it cannot be done. */
  write<T>(work: (state: MachineState) => T): { readonly value: T } | undefined {
    return this.#trying(() => work(this.#state));
  }

  /** Ends what belongs together: a small thing may fit on a disk that is too full for another. */
  settle(): void {
    if (this.#isLost && !this.#hasFailed) {
      this.#isLost = false;
      this.#onEvent({ kind: 'state-available' });
    }
    this.#hasFailed = false;
  }

  #trying<T>(work: () => T): { readonly value: T } | undefined {
    try {
      return { value: work() };
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      if (!this.#isLost) this.#onEvent({ kind: 'state-unavailable', error });
      this.#isLost = true;
      this.#hasFailed = true;
      return undefined;
    }
  }
}
