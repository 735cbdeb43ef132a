import type { Clock } from '../registry/index.ts';

/** One for all: to make one takes longer than to wake somebody. */
const RUNG = new Error('the bell was rung');

/** Wakes those who wait for something to do. */
export class Wakeup {
  readonly #clock: Clock;
  readonly #waiting = new Set<AbortController>();
  #rung = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How often it was rung. */
  get rung(): number {
    return this.#rung;
  }

  ring(): void {
    this.#rung++;
    for (const wake of this.#waiting) wake.abort(RUNG);
  }

  /** Until it was rung more often than `heard`, or `ms` are over. Rejects with the reason of `signal`. */
  async wait(heard: number, ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#rung !== heard) return;
    const wake = new AbortController();
    const onAbort = (): void => wake.abort(RUNG);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(wake);
    try {
      await this.#clock.sleep(ms, wake.signal);
    } catch (error) {
      if (!wake.signal.aborted) throw error;
    } finally {
      this.#waiting.delete(wake);
      signal.removeEventListener('abort', onAbort);
    }
    signal.throwIfAborted();
  }
}
