import type { Configuration } from '../core/plan/configuration.ts';
import { callback } from './callback.ts';
import type { Polling } from './polling.ts';

/** The machine's configuration as it was last read. */
export class ConfigurationSource {
  readonly #read: () => Configuration | Promise<Configuration>;
  readonly #polling: Pick<Polling, 'clock' | 'onEvent'>;
  #current: Configuration | undefined;
  #isUnreadable = false;

  constructor(
    read: () => Configuration | Promise<Configuration>,
    polling: Pick<Polling, 'clock' | 'onEvent'>,
  ) {
    this.#read = read;
    this.#polling = polling;
  }

  /** Undefined until a configuration was read. */
  get current(): Configuration | undefined {
    return this.#current;
  }

  /** Reads it again. If that is not possible, the last one stays in force. Rejects only with the reason of `signal`. */
  async read(signal: AbortSignal): Promise<Configuration | undefined> {
    const { clock, onEvent } = this.#polling;
    const result = await callback(this.#read, clock, signal);
    if (result.kind === 'returned') {
      this.#current = result.value;
      if (this.#isUnreadable) onEvent({ kind: 'configuration-readable' });
      this.#isUnreadable = false;
    } else {
      const late = new Error('the configuration was not available within ten seconds');
      const error = result.kind === 'failed' ? result.error : late;
      if (!this.#isUnreadable) onEvent({ kind: 'configuration-unreadable', error });
      this.#isUnreadable = true;
    }
    return this.#current;
  }
}
