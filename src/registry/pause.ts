import type { Clock } from './clock.ts';

/** What a loop waits for between two turns. */
export class Pause {
  readonly #clock: Pick<Clock, 'sleep'>;
  #ending = new AbortController();
  #woken = Promise.withResolvers<void>();

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock;
  }

  /** Ends the wait of `untilWoken`. */
  wake(): void {
    this.#woken.resolve();
  }

  /** Ends every wait; the next one if the loop is in a turn. */
  end(): void {
    this.#ending.abort();
    this.#woken.resolve();
  }

  /** Resolves `afterMs` after it is woken. */
  async untilWoken(afterMs: number): Promise<void> {
    await this.#woken.promise;
    this.#woken = Promise.withResolvers();
    await this.sleep(afterMs);
  }

  /** Whether `end` ended it, and not the time. */
  async sleep(ms: number): Promise<boolean> {
    const { signal } = this.#ending;
    try {
      if (!signal.aborted) await this.#clock.sleep(ms, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (signal.aborted) this.#ending = new AbortController();
    return signal.aborted;
  }
}
