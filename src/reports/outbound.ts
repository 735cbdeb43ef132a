import { randomUUID } from 'node:crypto';
import { quote } from '../core/text/quote.ts';
import { Pause } from '../registry/pause.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import { setAside } from '../sqlite/set-aside.ts';
import { openOutbound, type OutboundFile } from './outbound-file.ts';
import { ReportSender, type Reporter } from './report-sender.ts';

/** The time until the machine looks again what has happened: machines that change at once do not report at once. */
const LEAST_TURN_MS = 15_000;
const TURN_SPREAD_MS = 15_000;
const LAST_REPORT_MS = 2000;

/** Reports the state of a machine and the outcomes of its actions, from the queue at `path`, until it is closed. */
export class Outbound {
  readonly #path: string;
  readonly #reporter: Reporter;
  readonly #sender: ReportSender;
  readonly #pause: Pause;
  readonly #aborting = new AbortController();
  #isOver = false;
  #running: Promise<void> | undefined;

  constructor(path: string, reporter: Reporter) {
    this.#path = path;
    this.#reporter = reporter;
    this.#sender = new ReportSender(reporter, randomUUID());
    this.#pause = new Pause(reporter.clock);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Reports what has happened, for at most two seconds. Sends nothing if reports already waited for the registry. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#pause.finish(this.#running, LAST_REPORT_MS, () => this.#aborting.abort());
  }

  async #run(): Promise<void> {
    const { random } = this.#reporter;
    // After a power failure, all machines of a site start at once.
    let waitMs: number | undefined;
    await this.#pause.sleep(random() * TURN_SPREAD_MS);
    while (!this.#isOver) {
      waitMs = await this.#turn();
      await this.#pause.sleep(waitMs ?? LEAST_TURN_MS + random() * TURN_SPREAD_MS);
    }
    if (waitMs === undefined) await this.#turn();
  }

  /** Reports what has happened. Returns how long to wait if that is not possible now. */
  async #turn(): Promise<number | undefined> {
    let file: OutboundFile | undefined;
    try {
      file = this.#open();
      return await this.#sender.drain(file, this.#aborting.signal);
    } catch (error) {
      if (this.#aborting.signal.aborted) return undefined;
      // Whatever is wrong with the queue, modules keep running.
      return this.#sender.failed(error);
    } finally {
      file?.close();
    }
  }

  /** A damaged queue is set aside: the registry gets the state, and outcomes from now on. */
  #open(): OutboundFile {
    try {
      return openOutbound(this.#path);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== 'damaged') throw error;
      const aside = quote(setAside(this.#path));
      const what = `${error.message}; it is now ${aside}, and a new queue of reports begins`;
      this.#reporter.onNotice('warn', what);
      return openOutbound(this.#path);
    }
  }
}
