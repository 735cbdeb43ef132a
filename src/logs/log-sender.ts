import { describeDuration } from '../core/text/duration.ts';
import { excerpt } from '../core/text/quote.ts';
import type { Result } from '../core/text/result.ts';
import type { Clock } from '../registry/clock.ts';
import { sendTo, type Answer, type Collector } from './collector.ts';
import { nextBatch, type Batch } from './log-batch.ts';
import type { LogQueue } from './log-queue.ts';
import { otlpRequest, type LogSource } from './otlp.ts';
import { START, stepAfter } from './pace.ts';
import { describeRefused, isTooMany, refusedAlone, type RefusedLines } from './refused-lines.ts';

/** Where logs are sent; undefined if nowhere. The error says why the collector that is configured cannot be used. */
export type Destination = Result<Collector | undefined, string>;

export interface SenderOptions {
  readonly source: LogSource;
  readonly clock: Clock;
  /** The global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Called when records begin to wait, when they are sent again, and when the first one is refused. */
  readonly onNotice: (level: 'info' | 'warn', text: string) => void;
}

/** Sends a log to one collector, and remembers how that went. */
export class LogSender {
  readonly #to: Destination;
  readonly #options: SenderOptions;
  #pace = START;
  /** Why records wait. */
  #trouble: string | undefined;
  /** The kind of answer that a notice was about, until records are sent again. */
  #said: Answer['kind'] | undefined;
  #hasRefused = false;

  constructor(to: Destination, options: SenderOptions) {
    this.#to = to;
    this.#options = options;
  }

  /** Whether new records are to be sent. */
  get isActive(): boolean {
    return !this.#to.ok || this.#to.value !== undefined;
  }

  /** Sends all records. Returns how long to wait if that is not possible now; undefined if all are sent, or cannot be. */
  async drain(queue: LogQueue, signal: AbortSignal): Promise<number | undefined> {
    const { endpoint, trouble } = queue.delivery();
    const collector = this.#to.ok ? this.#to.value : undefined;
    if (endpoint !== collector?.endpoint) queue.sendingTo(collector?.endpoint);
    if (!collector) {
      if (!this.#to.ok) this.#say('closed', this.#to.error, '');
      if (trouble !== this.#trouble) queue.troubled(this.#trouble);
      return undefined;
    }
    let refused: RefusedLines | undefined;
    for (;;) {
      const batch = nextBatch(queue, this.#pace.size, refused);
      if (refused && (!batch || isTooMany(refused))) {
        // Nothing shows that it takes any record: the first one is tried three times.
        const waitMs = this.#after(refused.answer, refused.first, queue);
        if (waitMs > 0) return waitMs;
        refused = undefined;
        continue;
      }
      if (!batch) return undefined;
      const body = otlpRequest(this.#options.source, batch.records);
      const { clock, fetch } = this.#options;
      const answer = await sendTo(collector, body, { clock, fetch, signal });
      const alone = refusedAlone(answer, batch, refused);
      refused = alone ?? refused;
      if (alone) continue;
      if (refused && answer.kind === 'accepted') this.#setAside(refused, queue);
      if (answer.kind === 'accepted') refused = undefined;
      const waitMs = this.#after(answer, batch, queue);
      if (waitMs > 0) return waitMs;
    }
  }

  /** Returns how long to wait after `error`, with which `drain` ended. */
  failed(error: unknown): number {
    const why = error instanceof Error ? excerpt(error.message) : excerpt(String(error));
    const answer: Answer = { kind: 'unavailable', why, retryMs: undefined };
    const { pace, waitMs } = stepAfter(this.#pace, answer, 0, this.#options.random());
    this.#pace = pace;
    this.#say(answer.kind, why, inAWhile(waitMs));
    return waitMs;
  }

  #after(answer: Answer, batch: Batch, queue: LogQueue): number {
    const { clock, random, onNotice } = this.#options;
    const step = stepAfter(this.#pace, answer, batch.records.length, random());
    this.#pace = step.pace;
    const { droppedReported, last } = batch;
    if (answer.kind === 'accepted') {
      const rejected = Math.min(answer.rejected, batch.records.length);
      queue.passed(last, { kind: 'sent', at: clock.now(), droppedReported, rejected });
      if (rejected > 0)
        this.#sayRefused(
          `the collector rejected ${rejected} of ${batch.records.length} lines of the log${answer.why}`,
        );
      if (this.#said !== undefined) onNotice('info', 'the log is sent again');
      this.#trouble = undefined;
      this.#said = undefined;
    } else if (step.batch === 'set-aside') {
      queue.passed(last, { kind: 'set-aside', droppedReported, count: 1 });
      this.#sayRefused(`a line of the log is not sent, ${batch.first}: ${answer.why} three times`);
    } else if (step.waitMs > 0) {
      this.#say(answer.kind, answer.why, inAWhile(step.waitMs));
    }
    if (queue.delivery().trouble !== this.#trouble) queue.troubled(this.#trouble);
    return step.waitMs;
  }

  /** The collector takes a later record, so it refused these for what they are (T358). */
  #setAside(refused: RefusedLines, queue: LogQueue): void {
    const { last, droppedReported, count } = refused;
    queue.passed(last, { kind: 'set-aside', droppedReported, count });
    this.#pace = { ...this.#pace, largest: START.largest };
    this.#sayRefused(describeRefused(refused));
  }

  /** Says once why records wait, until they are sent again. */
  #say(kind: Answer['kind'], why: string, next: string): void {
    this.#trouble = why;
    if (this.#said === kind) return;
    this.#said = kind;
    this.#options.onNotice('warn', `the log is not sent: ${why}; its lines wait${next}`);
  }

  #sayRefused(text: string): void {
    if (!this.#hasRefused) {
      const counted = 'modreg agent status counts all of them; they stay in this log';
      this.#options.onNotice('warn', `${text}; ${counted}`);
    }
    this.#hasRefused = true;
  }
}

function inAWhile(ms: number): string {
  return `, the next attempt is in ${describeDuration(ms)}`;
}
