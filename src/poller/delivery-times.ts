import type { Clock } from '../registry/index.ts';
import type { Remembered } from '../store/index.ts';

/** More deliveries than restarts count of, on any machine. */
const MOST_TIMES = 50_000;

/** When this process delivered which action, whatever the wall clock was set to since. (T50) */
export class DeliveryTimes {
  readonly #clock: Clock;
  /** On the monotonic clock, the earliest first: by the wall clock one of two days ago may be one of today. */
  readonly #times = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(id: string): void {
    const now = this.#clock.monotonic();
    this.#times.delete(id);
    this.#times.set(id, now);
    const [oldest] = this.#times.keys();
    if (oldest !== undefined && this.#times.size > MOST_TIMES) this.#times.delete(oldest);
  }

  /** How long ago that was, in milliseconds; undefined where another process delivered it, or nobody did. */
  since(id: string): number | undefined {
    const at = this.#times.get(id);
    return at === undefined ? undefined : this.#clock.monotonic() - at;
  }

  /** What is remembered, with restarts where they are as time passed. One for `action` is left out. */
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
