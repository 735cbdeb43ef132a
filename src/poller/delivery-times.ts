import type { Clock } from '../registry/clock.ts';
import type { Remembered } from '../core/plan/machine-memory.ts';

/** More deliveries than restarts that any machine counts. */
const MAX_TIMES = 50_000;

/** When this process delivered each action. Setting the wall clock does not change it (T50). */
export class DeliveryTimes {
  readonly #clock: Clock;
  /** On the monotonic clock, the earliest first. */
  readonly #times = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(id: string): void {
    const now = this.#clock.monotonic();
    this.#times.delete(id);
    this.#times.set(id, now);
    const [oldest] = this.#times.keys();
    if (oldest !== undefined && this.#times.size > MAX_TIMES) this.#times.delete(oldest);
  }

  /** The time since the delivery in milliseconds; undefined if this process did not deliver the action. */
  since(id: string): number | undefined {
    const at = this.#times.get(id);
    return at === undefined ? undefined : this.#clock.monotonic() - at;
  }

  /** The remembered facts without the restarts of `action`, and with the other restarts timed by the monotonic clock. */
  corrected(remembered: Remembered, action?: string): Remembered {
    const now = this.#clock.now();
    const counting = remembered.restarts.filter((restart) => restart.action !== action);
    const restarts = counting.map(({ action: id, at }) => {
      const since = this.since(id);
      return { action: id, at: since === undefined ? at : Math.floor(now - since) };
    });
    return { ...remembered, restarts };
  }
}
