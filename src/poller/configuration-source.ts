import { unknownFieldWords } from '../core/explanation/hold-words.ts';
import { unknownFieldsOf } from '../core/machine/unknown-field.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import { excerpt } from '../core/text/quote.ts';
import { callback } from './callback.ts';
import type { Polling } from './polling.ts';

/** How the trouble of a round begins if the configuration cannot be read. */
export const CONFIGURATION_UNREADABLE = 'the configuration cannot be read';

/** How the trouble of a round begins if documents have unknown fields (D241). */
export const REPLACEMENTS_HELD = 'every replacement is held';

/** The machine's configuration as it was last read. */
export class ConfigurationSource {
  readonly #read: () => Configuration | Promise<Configuration>;
  readonly #polling: Pick<Polling, 'clock' | 'onEvent'>;
  #current: Configuration | undefined;
  #trouble: string | undefined;
  #first: Promise<unknown> | undefined;

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

  /** Why it could not be read the last time, or holds every replacement, in one escaped line; undefined if neither. */
  get trouble(): string | undefined {
    return this.#trouble ?? (this.#current && heldWords(this.#current));
  }

  /** Resolves once it was read for the first time, or could not be. Rejects only with the reason of the signal of that reading. */
  async begun(signal: AbortSignal): Promise<void> {
    await (this.#first ?? this.read(signal));
  }

  /** Reads it again. If that is not possible, the last one stays in force. Rejects only with the reason of `signal`. */
  async read(signal: AbortSignal): Promise<Configuration | undefined> {
    const reading = this.#readAgain(signal);
    this.#first ??= reading;
    return await reading;
  }

  async #readAgain(signal: AbortSignal): Promise<Configuration | undefined> {
    const { clock, onEvent } = this.#polling;
    let isOver = false;
    const reading = async (): Promise<void> => {
      const configuration = await this.#read();
      // In force at once: who read it must not be permitted anything by the one before it (D72).
      if (!isOver) this.#current = configuration;
    };
    const result = await callback(reading, clock, signal);
    isOver = true;
    if (result.kind === 'returned') {
      if (this.#trouble !== undefined) onEvent({ kind: 'configuration-readable' });
      this.#trouble = undefined;
    } else {
      const late = new Error('the configuration was not available within ten seconds');
      const error = result.kind === 'failed' ? result.error : late;
      const trouble = `${CONFIGURATION_UNREADABLE}: ${messageOf(error)}`;
      // Who corrects one mistake and makes another must not believe that the edit is in force.
      if (this.#trouble !== trouble) onEvent({ kind: 'configuration-unreadable', error });
      this.#trouble = trouble;
    }
    return this.#current;
  }
}

/** Undefined if nothing is held by what is in the documents. */
function heldWords(configuration: Configuration): string | undefined {
  const fields = unknownFieldsOf(configuration)?.map(unknownFieldWords);
  return fields && `${REPLACEMENTS_HELD}: ${fields.join(', ')}`;
}

/** The agent's callback may throw anything. */
function messageOf(error: unknown): string {
  return excerpt(error instanceof Error ? error.message : String(error));
}
