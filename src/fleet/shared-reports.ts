import { randomUUID } from 'node:crypto';
import type { Clock } from '../registry/clock.ts';
import {
  settle,
  type FleetFile,
  type Followed,
  type SendReport,
  type WaitingForAnswer,
} from '../server/fleet/fleet-file.ts';
import type { ReportAnswer, SentReport } from '../server/fleet/take-report.ts';
import type { ReportEvent } from '../server/registry-options.ts';
import { ChangeUnavailable } from '../server/catalogue/write-change.ts';
import { isOfValues } from '../sqlite/database-error.ts';
import { pauseWith } from './pause.ts';
import { decodeBatch, encodeBatch } from './report-batch.ts';
import { spaceFor } from './report-space.ts';

/** The messages with the reports of a cluster, in order. Methods reject if the stream cannot be reached now. */
export interface ReportStream {
  /** Which stream it is, and the numbers of its first and last message. Creates it if it was lost. */
  readonly state: () => Promise<{
    readonly stream: string;
    readonly first: number;
    readonly last: number;
  }>;
  /** The message with this number; undefined if the node that answers does not have it, or not yet. */
  readonly read: (sequence: number) => Promise<Uint8Array | undefined>;
  /** The message with this number, as the leader has it. */
  readonly readAtLeader: (sequence: number) => Promise<Uint8Array | undefined>;
  /** Resolves once a majority has the message on disk. After a rejection, it may be there or not. */
  readonly append: (id: string, message: Uint8Array) => Promise<void>;
  /** Lets `fleet check` know of a message of which something was passed over. */
  readonly note: (passed: PassedOver) => Promise<void>;
  /** Calls `wake` when a message may have been appended. The result ends that. */
  readonly onNews: (wake: () => void) => () => void;
}

/** A message of the stream, or a report in it, that no front can take (T248). */
export type PassedOver = Omit<Extract<ReportEvent, { kind: 'report-passed-over' }>, 'kind'>;

/** How a front takes part in the reports of its cluster. */
export interface SharedReporting {
  /** Why this front cannot take the reports of the stream; undefined while it can, or if the stream cannot be reached. */
  readonly trouble: () => string | undefined;
  /** Whether it waits for space on its disk: it knows less than others, and so must not raise rollouts (T251). */
  readonly lacksSpace: () => boolean;
  /** Ends it. Reports that wait are rejected. */
  readonly stop: () => Promise<void>;
}

interface Waiting extends SentReport, WaitingForAnswer {
  readonly answer: Promise<ReportAnswer>;
}

type Batches = ReadonlyMap<string, readonly Waiting[]>;

/** A batch waits while so many others are written; what arrives meanwhile joins it. */
const MOST_AT_ONCE = 4;
/** Of a batch as JSON, in bytes. A node refuses a message above 1 MB, and reports that are compressed are never larger. */
const LARGEST_BATCH = 1_000_000;
const LONGEST_WAIT_MS = 15_000;
const AGAIN_AFTER_MS = 250;
const LONGEST_PAUSE_MS = 500;
const SHORTEST_PAUSE_MS = 2;
/** How many messages are read at once while the file is behind. */
const READ_AT_ONCE = 8;

/**
 * Lets the reports that `fleet` receives go to all fronts, and takes those of all fronts, in the order of the stream. So each front knows
 * the same of each machine, and counts an outcome once, whichever fronts it was sent to.
 */
export function shareReports(
  fleet: FleetFile,
  stream: ReportStream,
  { clock, onEvent }: { readonly clock: Clock; readonly onEvent: (event: ReportEvent) => void },
): SharedReporting {
  const batches = new Map<string, readonly Waiting[]>();
  const stopping = new AbortController();
  let trouble: string | undefined;
  const pause = pauseWith(clock);
  const stopNews = stream.onNews(pause.wake);
  const next = follower(fleet, stream, { batches, clock, passOver: passingOver(stream, onEvent) });
  const space = spaceFor(fleet, onEvent);
  const takeAll = async (): Promise<void> => {
    let ms = LONGEST_PAUSE_MS;
    while (!stopping.signal.aborted) {
      let isBehind = false;
      try {
        isBehind = !space.isLacking() && (await next());
        trouble = undefined;
      } catch (error) {
        trouble = `the reports of the cluster are not taken: ${messageOf(error)}`;
      }
      // The news of a message arrives before the message can be read.
      const isNews = !isBehind && (await pause.sleep(ms, stopping.signal));
      ms = isBehind || isNews ? SHORTEST_PAUSE_MS : Math.min(2 * ms, LONGEST_PAUSE_MS);
    }
  };
  const ended = takeAll();
  fleet.sendToAll = batchSender(stream, batches, clock);
  return {
    trouble: () => trouble,
    lacksSpace: space.wasLacking,
    async stop() {
      stopNews();
      stopping.abort();
      await ended;
      fleet.sendToAll = undefined;
      refuseAll(batches);
    },
  };
}

function refuseAll(batches: ReadonlyMap<string, readonly Waiting[]>): void {
  const waiting = [...batches.values()].flat();
  for (const { reject } of waiting) reject(new ChangeUnavailable('this front ends'));
}

function passingOver(
  stream: ReportStream,
  onEvent: (event: ReportEvent) => void,
): (passed: PassedOver) => void {
  return (passed) => {
    onEvent({ kind: 'report-passed-over', ...passed });
    // It was logged, whether or not the cluster can be told.
    stream.note(passed).catch(() => undefined);
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface TakingParts {
  readonly batches: Batches;
  readonly clock: Clock;
  readonly passOver: (passed: PassedOver) => void;
}

/** Reads the messages after those that the file has taken. The result of a call is whether there may be more. */
function follower(
  fleet: FleetFile,
  stream: ReportStream,
  parts: TakingParts,
): () => Promise<boolean> {
  const { clock } = parts;
  let checkedAt = -Infinity;
  let newest = 0;
  let count = READ_AT_ONCE;
  const readAfter = async (last: number): Promise<(Uint8Array | undefined)[]> => {
    const numbers = Array.from({ length: count }, (_none, place) => last + 1 + place);
    const messages = await Promise.all(numbers.map(async (one) => await stream.read(one)));
    // The node that answers may be behind the leader for long.
    if (messages[0] || newest <= last) return messages;
    return [await stream.readAtLeader(last + 1)];
  };
  return async () => {
    const isDue = clock.monotonic() - checkedAt >= LONGEST_PAUSE_MS;
    // While the stream cannot be reached, nothing is taken.
    const state = isDue ? await stream.state().catch(() => undefined) : undefined;
    if (isDue && !state) return false;
    if (state) {
      follow(fleet, state);
      checkedAt = clock.monotonic();
      newest = state.last;
    }
    const { stream: name, sequence: last } = fleet.followed();
    const messages = await readAfter(last).catch(() => [undefined]);
    for (const [place, message] of messages.entries()) {
      if (!message) {
        count = place === 0 ? 1 : count;
        return place > 0;
      }
      take(fleet, { stream: name, sequence: last + 1 + place }, message, parts);
    }
    count = READ_AT_ONCE;
    return true;
  };
}

/** Another stream has other messages under the same numbers, and one that has dropped its oldest begins later. */
function follow(
  fleet: FleetFile,
  { stream, first }: { readonly stream: string; readonly first: number },
): void {
  const known = fleet.followed();
  const from = known.stream === stream ? known.sequence : 0;
  const sequence = Math.max(from, first - 1);
  if (known.stream === stream && known.sequence === sequence) return;
  fleet.takeShared({ stream, sequence, at: 0, reports: [] });
}

/** Takes a message, or passes over it: all fronts read the same bytes, and so do the same. Throws an error of the file or of its disk. */
function take(
  fleet: FleetFile,
  followed: Followed,
  message: Uint8Array,
  { batches, passOver }: TakingParts,
): void {
  const { sequence } = followed;
  const batch = decodeBatch(message);
  const pass = (because: string): void => {
    fleet.takeShared({ ...followed, at: 0, reports: [] });
    passOver({ sequence, machine: undefined, because });
  };
  if (!batch.ok) return pass(batch.error);
  const { id, at, reports } = batch.value;
  const waiting = batches.get(id) ?? [];
  try {
    for (const [place, answer] of fleet.takeShared({ ...followed, at, reports }).entries()) {
      if (answer.kind === 'refused') {
        const { machine, error } = answer;
        passOver({ sequence, machine, because: error.message });
      }
      const one = waiting[place];
      if (one) settle(one, answer);
    }
  } catch (error) {
    if (!isOfValues(error)) throw error;
    pass(messageOf(error));
    for (const { reject } of waiting) reject(error);
  }
}

/** Collects reports into batches, and appends these. */
function batchSender(
  stream: ReportStream,
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
async function appended(
  stream: ReportStream,
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

function unavailable(cause: unknown): ChangeUnavailable {
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
