import type { UpdateTerms } from '../core/machine/update-policy.ts';
import type { ActionOutcome } from '../store/index.ts';
import type { MachineState } from '../store/machine-state.ts';
import type { PollerEvent } from './event.ts';
import type { Polling } from './polling.ts';
import { untilRedelivery } from './schedule.ts';
import type { StateAccess } from './state-access.ts';

/** The outcome of an action as its consumer reports it, and what is needed to record it. */
export interface Acknowledgement {
  readonly id: string;
  readonly outcome: ActionOutcome;
  /** How often the action failed before because of the machine. */
  readonly failures: number;
  readonly terms: UpdateTerms;
}

const MAX_UNKNOWN_IDS = 1000;

/** Acknowledgements that are not on disk yet. While the disk is full, they wait in their order (T52, T61). */
export class Acknowledgements {
  readonly #state: StateAccess;
  readonly #polling: Pick<Polling, 'clock' | 'random'>;
  readonly #onEvent: (event: PollerEvent) => void;
  readonly #waiting = new Map<string, Acknowledgement>();
  readonly #unknownIds = new Set<string>();

  constructor(
    state: StateAccess,
    polling: Pick<Polling, 'clock' | 'random'>,
    onEvent: (event: PollerEvent) => void,
  ) {
    this.#state = state;
    this.#polling = polling;
    this.#onEvent = onEvent;
  }

  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** Adds an acknowledgement, and writes it if the disk allows. Only the first of an action counts. */
  add(acknowledgement: Acknowledgement): void {
    const { id } = acknowledgement;
    if (this.#waiting.has(id)) this.#reportUnknown(id);
    else this.#waiting.set(id, acknowledgement);
    this.flush();
  }

  /** Writes the waiting acknowledgements, up to the first that cannot be written. */
  flush(): void {
    const { clock, random } = this.#polling;
    for (const { id, outcome, failures, terms } of this.#waiting.values()) {
      const at = clock.now();
      const { quarantineMs } = terms;
      const quarantineUntil = quarantineMs === undefined ? undefined : at + quarantineMs;
      const retryAt = Math.ceil(at + untilRedelivery(failures + 1, random()));
      const written = this.#write(id, (state) =>
        state.acknowledge(id, outcome, { at, quarantineUntil, retryAt }),
      );
      if (!written) return;
      this.#waiting.delete(id);
      if (written.value) this.#onEvent({ kind: 'acknowledged', id, outcome });
      else this.#reportUnknown(id);
    }
  }

  /** An acknowledgement that cannot be written for a reason other than the disk is discarded, and delays no other. */
  #write<T>(id: string, work: (state: MachineState) => T): { readonly value: T } | undefined {
    try {
      return this.#state.write(work);
    } catch (error) {
      this.#waiting.delete(id);
      throw error;
    }
  }

  #reportUnknown(id: string): void {
    if (this.#unknownIds.has(id) || this.#unknownIds.size >= MAX_UNKNOWN_IDS) return;
    this.#unknownIds.add(id);
    this.#onEvent({ kind: 'unknown-acknowledgement', id });
  }
}
