import type { Clock } from '../registry/clock.ts';
import { Pause } from '../registry/pause.ts';

/** Sends what waits in a file to one destination, and remembers how that went. */
interface Sender<F> {
  /** Returns how long to wait if sending is not possible now; undefined if all is sent, or cannot be. */
  readonly drain: (file: F, signal: AbortSignal) => Promise<number | undefined>;
  /** Returns how long to wait after `error`. */
  readonly failed: (error: unknown) => number;
}

interface Sending<F> {
  /** Opens the file; undefined if nothing was written yet. */
  readonly open: () => F | undefined;
  /** Who sends now. */
  readonly sender: () => Sender<F>;
  /** Waits before the first turn. */
  readonly beforeFirst?: (pause: Pause) => Promise<unknown>;
  /** Waits after a turn that has sent all. */
  readonly rest: (pause: Pause) => Promise<unknown>;
}

const LAST_TURN_MS = 2000;

/** Sends in turns until it is closed, one request at a time. Whatever is wrong with the file, modules keep running. */
export class PacedSender<F extends { readonly close: () => void }> {
  readonly #clock: Clock;
  readonly #sending: Sending<F>;
  readonly #pause: Pause;
  readonly #aborting = new AbortController();
  #isOver = false;
  #running: Promise<void> | undefined;

  constructor(clock: Clock, sending: Sending<F>) {
    this.#clock = clock;
    this.#sending = sending;
    this.#pause = new Pause(clock);
  }

  /** Starts it, or the next turn at once. */
  start(): void {
    if (this.#running) this.#pause.end();
    else this.#running = this.#run();
  }

  /** Ends the wait for what is new. */
  wake(): void {
    this.#pause.wake();
  }

  /** Sends what is left, for at most two seconds. Sends nothing if something already waited for the destination. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#pause.end();
    const isDone = new AbortController();
    const limit = this.#clock.sleep(LAST_TURN_MS, isDone.signal).then(
      () => this.#aborting.abort(),
      () => undefined,
    );
    await this.#running;
    isDone.abort();
    await limit;
  }

  async #run(): Promise<void> {
    const { beforeFirst, rest } = this.#sending;
    let waitMs: number | undefined;
    await beforeFirst?.(this.#pause);
    while (!this.#isOver) {
      waitMs = await this.#turn();
      await (waitMs === undefined ? rest(this.#pause) : this.#pause.sleep(waitMs));
    }
    if (waitMs === undefined) await this.#turn();
  }

  /** Sends all. Returns how long to wait if that is not possible now. */
  async #turn(): Promise<number | undefined> {
    const { signal } = this.#aborting;
    const sender = this.#sending.sender();
    let file: F | undefined;
    try {
      file = this.#sending.open();
      return file && (await sender.drain(file, signal));
    } catch (error) {
      return signal.aborted ? undefined : sender.failed(error);
    } finally {
      file?.close();
    }
  }
}
