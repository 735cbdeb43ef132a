import { DatabaseError } from '../store/index.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import type { MachineState } from '../store/machine-state.ts';
import { isOfClosedFile } from '../store/claim.ts';
import type { PollerEvent } from './event.ts';

/** The machine's memory, which a full disk makes unavailable, for example. An outage and its end are reported once (T52). */
export class StateAccess {
  readonly #state: MachineState;
  readonly #onEvent: (event: PollerEvent) => void;
  #isUnavailable = false;
  #hasFailed = false;
  #isClosed = false;

  constructor(state: MachineState, onEvent: (event: PollerEvent) => void) {
    this.#state = state;
    this.#onEvent = onEvent;
  }

  /** Whether the file was closed when it was used last: then it stays unavailable. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The memory; undefined while it cannot be read. */
  read(): MachineMemory | undefined {
    return this.#trying(() => this.#state.memory())?.value;
  }

  /** Runs `work` and returns its result; undefined if the disk or the file does not allow it. */
  write<T>(work: (state: MachineState) => T): { readonly value: T } | undefined {
    return this.#trying(() => work(this.#state));
  }

  /** Ends a group of writes. Only if all succeeded is an outage over: a small write may fit on a full disk. */
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
      this.#isClosed = isOfClosedFile(error);
      this.#hasFailed = true;
      return undefined;
    }
  }
}
