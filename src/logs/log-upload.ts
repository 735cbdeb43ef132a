import { DatabaseError } from '../sqlite/database-error.ts';
import { openLog, type LogFile } from './log-file.ts';
import { LogSender, type Destination, type SenderOptions } from './log-sender.ts';
import { Pause } from '../registry/pause.ts';

/** So long lines gather before they are sent. */
const GATHER_MS = 5000;
const LAST_FLUSH_MS = 2000;

/** Sends the log at `path` to a collector: each record at least once, in order, one request at a time. */
export class LogUpload {
  readonly #path: string;
  readonly #options: SenderOptions;
  readonly #pause: Pause;
  readonly #aborting = new AbortController();
  #sender: LogSender;
  #destination: string | undefined;
  #isOver = false;
  #running: Promise<void> | undefined;

  constructor(path: string, options: SenderOptions) {
    this.#path = path;
    this.#options = options;
    this.#pause = new Pause(options.clock);
    this.#sender = new LogSender({ ok: true, value: undefined }, options);
  }

  /** Sends to `destination` from now on. What was sent elsewhere is not sent again. */
  follow(destination: Destination): void {
    const identity = identityOf(destination);
    if (identity === this.#destination) return;
    this.#destination = identity;
    this.#sender = new LogSender(destination, this.#options);
    if (this.#running) this.#pause.end();
    else this.#running = this.#run();
  }

  /** Call it when the log has new records. */
  wake(): void {
    if (this.#sender.isActive) this.#pause.wake();
  }

  /** Sends what is left, for at most two seconds. Sends nothing if records already waited for the collector. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#pause.finish(this.#running, LAST_FLUSH_MS, () => this.#aborting.abort());
  }

  async #run(): Promise<void> {
    let waitMs: number | undefined;
    do {
      waitMs = await this.#turn();
      if (waitMs === undefined) await this.#pause.untilWoken(GATHER_MS);
      else await this.#pause.sleep(waitMs);
    } while (!this.#isOver);
    if (waitMs === undefined) await this.#turn();
  }

  /** Sends all records. Returns how long to wait if that is not possible now. */
  async #turn(): Promise<number | undefined> {
    const sender = this.#sender;
    let log: LogFile | undefined;
    try {
      log = openLog(this.#path, 'write');
      return await sender.drain(log, this.#aborting.signal);
    } catch (error) {
      if (this.#aborting.signal.aborted) return undefined;
      // Nothing was written yet.
      if (error instanceof DatabaseError && error.kind === 'missing') return undefined;
      // Whatever is wrong with the log, modules keep running.
      return sender.failed(error);
    } finally {
      log?.close();
    }
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
