import type { UpdateTerms } from '../core/machine/update-policy.ts';
import type { MachineState, ActionOutcome } from '../store/index.ts';
import type { PollerEvent } from './event.ts';
import type { Polling } from './polled-registry.ts';
import { untilRedelivery } from './schedule.ts';
import type { StateAccess } from './state-access.ts';

/** What a consumer said of an action, and what is needed to note it. */
export interface Acknowledgement {
  readonly id: string;
  readonly outcome: ActionOutcome;
  /** How often the machine was to blame before. */
  readonly failures: number;
  readonly terms: UpdateTerms;
}

const MAX_UNKNOWN_IDS = 1000;

/** Acknowledgements on their way to the disk: where it is full they wait, in their order. (T52, T61) */
export class Acknowledgements {
  readonly #state: StateAccess;
  readonly #polling: Polling;
  readonly #onEvent: (event: PollerEvent) => void;
  readonly #waiting = new Map<string, Acknowledgement>();
  readonly #strangers = new Set<string>();

  constructor(state: StateAccess, polling: Polling, onEvent: (event: PollerEvent) => void) {
    this.#state = state;
    this.#polling = polling;
    this.#onEvent = onEvent;
  }

  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** The first word on an action counts. */
  add(acknowledgement: Acknowledgement): void {
    const { id } = acknowledgement;
    if (this.#waiting.has(id)) this.#tellStranger(id);
    else this.#waiting.set(id, acknowledgement);
    this.note();
  }

  /** Notes what waits, as far as the disk lets it. */
  note(): void {
    const { clock, random } = this.#polling;
    for (const { id, outcome, failures, terms } of [...this.#waiting.values()]) {
      const at = clock.now();
      const { quarantineMs } = terms;
      const quarantineUntil = quarantineMs === undefined ? undefined : at + quarantineMs;
      const retryAt = Math.ceil(at + untilRedelivery(failures + 1, random()));
      const noted = this.#trying(id, (state) =>
        state.acknowledge(id, outcome, { at, quarantineUntil, retryAt }),
      );
      if (!noted) return;
      this.#waiting.delete(id);
      if (noted.value) this.#onEvent({ kind: 'acknowledged', id, outcome });
      else this.#tellStranger(id);
    }
  }

  /** What cannot be noted for another reason than the disk's keeps no others waiting. */
  #trying<T>(id: string, work: (state: MachineState) => T): { readonly value: T } | undefined {
    try {
      return this.#state.write(work);
    } catch (error) {
      this.#waiting.delete(id);
      throw error;
    }
  }

  #tellStranger(id: string): void {
    if (this.#strangers.has(id) || this.#strangers.size >= MAX_UNKNOWN_IDS) return;
    this.#strangers.add(id);
    this.#onEvent({ kind: 'unknown-acknowledgement', id });
  }
}
