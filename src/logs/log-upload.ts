import { DatabaseError } from '../sqlite/database-error.ts';
import { openLog, type LogFile } from './log-file.ts';
import { LogSender, type Destination, type SenderOptions } from './log-sender.ts';
import { PacedSender } from './paced-sender.ts';

/** So long lines gather before they are sent. */
const GATHER_MS = 5000;

/** Sends the log at `path` to a collector: each record at least once, in order, one request at a time. */
export class LogUpload {
  readonly #options: SenderOptions;
  readonly #sending: PacedSender<LogFile>;
  #sender: LogSender;
  #destination: string | undefined;

  constructor(path: string, options: SenderOptions) {
    this.#options = options;
    this.#sender = new LogSender({ ok: true, value: undefined }, options);
    this.#sending = new PacedSender(options.clock, {
      open: () => openIfThere(path),
      sender: () => this.#sender,
      rest: async (pause) => await pause.untilWoken(GATHER_MS),
    });
  }

  /** Sends to `destination` from now on. What was sent elsewhere is not sent again. */
  follow(destination: Destination): void {
    const identity = identityOf(destination);
    if (identity === this.#destination) return;
    this.#destination = identity;
    this.#sender = new LogSender(destination, this.#options);
    this.#sending.start();
  }

  /** Call it when the log has new records. */
  wake(): void {
    if (this.#sender.isActive) this.#sending.wake();
  }

  /** Sends what is left, for at most two seconds. Sends nothing if records already waited for the collector. */
  async close(): Promise<void> {
    await this.#sending.close();
  }
}

function openIfThere(path: string): LogFile | undefined {
  try {
    return openLog(path, 'write');
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'missing') return undefined;
    throw error;
  }
}

/** Differs if the destination does. It contains secrets. */
function identityOf(destination: Destination): string {
  if (!destination.ok) return JSON.stringify([destination.error]);
  if (!destination.value) return '';
  const { endpoint, headers } = destination.value;
  const sent = Object.entries(headers).map(([name, value]) => [name, value.reveal()]);
  return JSON.stringify([endpoint, sent]);
}
