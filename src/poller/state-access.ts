import { DatabaseError } from '../store/index.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import type { MachineState } from '../store/machine-state.ts';
import type { PollerEvent } from './event.ts';

/** The machine's memory, which cannot always be used. An outage is reported once, and so is its end. (T52) */
export class StateAccess {
  readonly #state: MachineState;
  readonly #onEvent: (event: PollerEvent) => void;
  #isUnavailable = false;
  #hasFailed = false;

  constructor(state: MachineState, onEvent: (event: PollerEvent) => void) {
    this.#state = state;
    this.#onEvent = onEvent;
  }

  /** Undefined while it cannot be read. */
  read(): MachineMemory | undefined {
    return this.#trying(() => this.#state.memory())?.value;
  }

  /** The result of `work`; undefined if the disk or the file does not allow it. */
  write<T>(work: (state: MachineState) => T): { readonly value: T } | undefined {
    return this.#trying(() => work(this.#state));
  }

  /** Ends a group of writes. The memory is available again if all succeeded: a small one may fit on a full disk. */
  settle(): void {
    if (this.#isUnavailable && !this.#hasFailed) {
      this.#isUnavailable = false;
      this.#onEvent({ kind: 'state-available' });
    }
    this.#hasFailed = false;
  }

  #trying<T>(work: () => T): { readonly value: T } | undefined {
    try {
      return { value: work() };
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      if (!this.#isUnavailable) this.#onEvent({ kind: 'state-unavailable', error });
      this.#isUnavailable = true;
      this.#hasFailed = true;
      return undefined;
    }
  }
}
