import { randomUUID } from 'node:crypto';
import type { Clock } from '../registry/clock.ts';
import type { SendReport, WaitingForAnswer } from '../server/fleet/fleet-file.ts';
import type { ReportAnswer, SentReport } from '../server/fleet/take-report.ts';
import { ChangeUnavailable } from '../server/catalogue/write-change.ts';
import { encodeBatch } from './report-batch.ts';
import type { ReportStream } from './report-stream.ts';

/** A report whose batch this front has appended, or will. */
export interface Waiting extends SentReport, WaitingForAnswer {
  readonly answer: Promise<ReportAnswer>;
}

/** A batch waits while so many others are written; what arrives meanwhile joins it. */
const MOST_AT_ONCE = 4;
/** Of a batch as JSON, in bytes. A node refuses a message above 1 MB, and reports that are compressed are never larger. */
const LARGEST_BATCH = 1_000_000;
export const LONGEST_WAIT_MS = 15_000;
const AGAIN_AFTER_MS = 250;

/** Collects reports into batches, and appends these. */
export function batchSender(
  stream: Pick<ReportStream, 'append'>,
  batches: Map<string, readonly Waiting[]>,
  clock: Clock,
): SendReport {
  let waiting: Waiting[] = [];
  let running = 0;
  const flush = (): void => {
    while (waiting.length > 0 && running < MOST_AT_ONCE) {
      running += 1;
      const batch = waiting.splice(0, countFor(waiting));
      void append(batch).finally(() => {
        running -= 1;
        flush();
      });
    }
  };
  const append = async (batch: readonly Waiting[]): Promise<void> => {
    const id = randomUUID();
    batches.set(id, batch);
    const reports = batch.map(({ machine, report }) => ({ machine, report }));
    const ended = Promise.allSettled(batch.map(async ({ answer }) => await answer));
    const message = encodeBatch({ id, at: clock.now(), reports });
    try {
      await appended(stream, { id, message }, clock);
      void expire(batch, clock);
    } catch (error) {
      // Those that wait behind it are refused, too: without an end, they would fill the memory.
      for (const { reject } of [...batch, ...waiting.splice(0)]) reject(unavailable(error));
    }
    void ended.then(() => batches.delete(id));
  };
  return async (sent) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReportAnswer>();
    if (waiting.push({ ...sent, answer: promise, resolve, reject }) === 1) setImmediate(flush);
    return await promise;
  };
}

/** Appends a message, again and again: while there is no leader, it is dropped without an answer. One that was appended twice counts once. */
export async function appended(
  stream: Pick<ReportStream, 'append'>,
  { id, message }: { readonly id: string; readonly message: Uint8Array },
  clock: Clock,
): Promise<void> {
  const ends = clock.monotonic() + LONGEST_WAIT_MS;
  for (;;) {
    const began = clock.monotonic();
    try {
      await stream.append(id, message);
      return;
    } catch (error) {
      if (clock.monotonic() + AGAIN_AFTER_MS >= ends) throw error;
    }
    await clock.sleep(Math.max(0, began + AGAIN_AFTER_MS - clock.monotonic()));
  }
}

/** Ends the wait for a batch that this front does not receive: the machines send their reports again. */
async function expire(batch: readonly Waiting[], clock: Clock): Promise<void> {
  const over = new AbortController();
  void Promise.allSettled(batch.map(async ({ answer }) => await answer)).then(() => over.abort());
  await clock.sleep(LONGEST_WAIT_MS, over.signal).catch(() => undefined);
  for (const { reject } of batch) reject(unavailable(undefined));
}

/** The error after which it is not known whether all fronts take a message. */
export function unavailable(cause: unknown): ChangeUnavailable {
  return new ChangeUnavailable('the stream of reports does not answer', { cause });
}

/** How many of the reports that wait fit into a batch. */
function countFor(waiting: readonly Waiting[]): number {
  let left = LARGEST_BATCH;
  const end = waiting.findIndex(
    ({ report }) => (left -= Buffer.byteLength(JSON.stringify(report))) < 0,
  );
  return end === -1 ? waiting.length : Math.max(end, 1);
}
