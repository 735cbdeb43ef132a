import type { Clock } from '../registry/index.ts';
import type { Remembered } from '../store/index.ts';

/** As long as restarts count. */
const DAY_MS = 86_400_000;

/** When this process delivered which action, whatever the wall clock was set to since. (T50) */
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
    for (const [old, at] of this.#times) {
      if (now - at < DAY_MS) break;
      this.#times.delete(old);
    }
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
