import type { Clock } from '../registry/clock.ts';
import { settle, type FleetFile, type Followed } from '../server/fleet/fleet-file.ts';
import type { ReportEvent } from '../server/registry-options.ts';
import { ChangeUnavailable } from '../server/catalogue/write-change.ts';
import { isOfValues } from '../sqlite/database-error.ts';
import { pauseWith } from './pause.ts';
import { batchSender, type Waiting } from './batch-sender.ts';
import { decodeBatch } from './report-batch.ts';
import { spaceFor } from './report-space.ts';
import type { PassedOver, ReportStream } from './report-stream.ts';

/** How a front takes part in the reports of its cluster. */
export interface SharedReporting {
  /** Why this front cannot take the reports of the stream; undefined while it can, or if the stream cannot be reached. */
  readonly trouble: () => string | undefined;
  /** Whether it waits for space on its disk: it knows less than others, and so must not raise rollouts (T251). */
  readonly lacksSpace: () => boolean;
  /** Ends it. Reports that wait are rejected. */
  readonly stop: () => Promise<void>;
}

type Batches = ReadonlyMap<string, readonly Waiting[]>;

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
