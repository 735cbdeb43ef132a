import type { UpdateTerms } from '../core/machine/update-policy.ts';
import type { ActionOutcome } from '../store/index.ts';
import type { MachineState } from '../store/machine-state.ts';
import type { PollerEvent } from './event.ts';
import type { Polling } from './polling.ts';
import { untilRedelivery } from './schedule.ts';
import type { StateAccess } from './state-access.ts';

/** The outcome that a consumer reports of an action, and what is needed to note it. */
export interface Acknowledgement {
  readonly id: string;
  readonly outcome: ActionOutcome;
  /** How often the machine was blamed before. */
  readonly failures: number;
  readonly terms: UpdateTerms;
}

const MAX_UNKNOWN_IDS = 1000;

/** Acknowledgements on their way to the disk. While it is full they wait, in their order. (T52, T61) */
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

  /** The first acknowledgement of an action counts. */
  add(acknowledgement: Acknowledgement): void {
    const { id } = acknowledgement;
    if (this.#waiting.has(id)) this.#reportUnknown(id);
    else this.#waiting.set(id, acknowledgement);
    this.note();
  }

  /** Notes the waiting acknowledgements, as far as the disk takes them. */
  note(): void {
    const { clock, random } = this.#polling;
    for (const { id, outcome, failures, terms } of this.#waiting.values()) {
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
      else this.#reportUnknown(id);
    }
  }

  /** An acknowledgement that cannot be noted for a reason other than the disk is discarded, and delays no other. */
  #trying<T>(id: string, work: (state: MachineState) => T): { readonly value: T } | undefined {
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
