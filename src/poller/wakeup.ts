import type { Clock } from '../registry/clock.ts';

/** Shared by all waits: creating an error takes longer than waking. */
const WOKEN = new Error('woken');

/** Wakes everything that waits for work. Wake-ups are counted so that none is missed between two waits. */
export class Wakeup {
  readonly #clock: Clock;
  readonly #waiting = new Set<AbortController>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many wake-ups there were. */
  get count(): number {
    return this.#count;
  }

  wake(): void {
    this.#count++;
    for (const waiter of this.#waiting) waiter.abort(WOKEN);
  }

  /** Resolves once there were more wake-ups than `seen`, or after `ms` milliseconds. Rejects with the reason of `signal`. */
  async wait(seen: number, ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#count !== seen) return;
    const waiter = new AbortController();
    const onAbort = (): void => waiter.abort(WOKEN);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(waiter);
    try {
      await this.#clock.sleep(ms, waiter.signal);
    } catch (error) {
      if (!waiter.signal.aborted) throw error;
    } finally {
      this.#waiting.delete(waiter);
      signal.removeEventListener('abort', onAbort);
    }
    signal.throwIfAborted();
  }
}
