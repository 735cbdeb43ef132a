import { randomUUID } from 'node:crypto';
import type { Clock } from '../registry/clock.ts';
import { settle, type FleetFile, type Followed } from '../server/fleet/fleet-file.ts';
import type { ReportEvent } from '../server/registry-options.ts';
import { ChangeUnavailable } from '../server/catalogue/write-change.ts';
import { isOfValues } from '../sqlite/database-error.ts';
import { batchSender, type Waiting } from './batch-sender.ts';
import { followStream, type Applying } from './follow-stream.ts';
import { decodeBatch, encodeBatch } from './report-batch.ts';
import { retirementSender, type Retiring } from './retirement-sender.ts';
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

type StreamState = Awaited<ReturnType<ReportStream['state']>>;
type Batches = ReadonlyMap<string, readonly Waiting[]>;

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
  const retiring: Retiring = new Map();
  const stopping = new AbortController();
  const space = spaceFor(fleet, onEvent);
  const passOver = passingOver(stream, onEvent);
  const parts = { batches, retiring, passOver, isWaiting: space.isLacking };
  const { trouble, ...applying } = applyingTo(fleet, stream, parts);
  const { ended } = followStream(stream, applying, { clock, signal: stopping.signal });
  fleet.sendToAll = batchSender(stream, batches, clock);
  fleet.retireAtAll = retirementSender({ fleet, stream, clock }, retiring);
  fleet.contactsAtAll = (contacts) => {
    const id = randomUUID();
    const message = encodeBatch({ id, at: clock.now(), reports: [], contacts });
    // One that is lost is heard again within a minute (D186).
    stream.append(id, message).catch(() => undefined);
  };
  return {
    trouble,
    lacksSpace: space.wasLacking,
    async stop() {
      stopping.abort();
      await ended;
      fleet.sendToAll = undefined;
      fleet.retireAtAll = undefined;
      fleet.contactsAtAll = undefined;
      refuseAll([...[...batches.values()].flat(), ...retiring.values()]);
    },
  };
}

function refuseAll(waiting: readonly Pick<Waiting, 'reject'>[]): void {
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
  readonly retiring: Retiring;
  readonly passOver: (passed: PassedOver) => void;
}

/** Takes messages into the file. `trouble` is why that failed in the last round. */
function applyingTo(
  fleet: FleetFile,
  stream: ReportStream,
  { isWaiting, ...parts }: TakingParts & { readonly isWaiting: () => boolean },
): Applying<Uint8Array> & Pick<SharedReporting, 'trouble'> {
  let trouble: string | undefined;
  let failure: string | undefined;
  let state: StreamState = { stream: '', first: 1, last: 0 };
  const inFile = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      failure = `the reports of the cluster are not taken: ${messageOf(error)}`;
      throw error;
    }
  };
  return {
    trouble: () => trouble,
    atOnce: READ_AT_ONCE,
    isWaiting: () => inFile(isWaiting),
    async newest() {
      state = await stream.state();
      return state.last;
    },
    next: () => inFile(() => nextIn(fleet, state)),
    apply: (message, sequence) =>
      inFile(() => take(fleet, { stream: state.stream, sequence }, message, parts)),
    onRound() {
      [trouble, failure] = [failure, undefined];
    },
  };
}

/**
 * The number of the message after those that the file has taken. Another stream has other messages under the same numbers, and one that
 * has dropped its oldest begins later.
 */
function nextIn(fleet: FleetFile, { stream, first }: StreamState): number {
  const known = fleet.followed();
  const from = known.stream === stream ? known.sequence : 0;
  const sequence = Math.max(from, first - 1);
  if (known.stream !== stream || known.sequence !== sequence) {
    fleet.takeShared({ stream, sequence, at: 0, reports: [] });
  }
  return sequence + 1;
}

/** Takes a message, or passes over it: all fronts read the same bytes, and so do the same. Throws an error of the file or of its disk. */
function take(
  fleet: FleetFile,
  followed: Followed,
  message: Uint8Array,
  { batches, retiring, passOver }: TakingParts,
): void {
  const { sequence } = followed;
  const batch = decodeBatch(message);
  const pass = (because: string): void => {
    fleet.takeShared({ ...followed, at: 0, reports: [] });
    passOver({ sequence, machine: undefined, because });
  };
  if (!batch.ok) return pass(batch.error);
  const { id, ...taken } = batch.value;
  const waiting = batches.get(id) ?? [];
  try {
    for (const [place, answer] of fleet.takeShared({ ...followed, ...taken }).entries()) {
      if (answer.kind === 'refused') {
        const { machine, error } = answer;
        passOver({ sequence, machine, because: error.message });
      }
      const one = waiting[place];
      if (one) settle(one, answer);
    }
    retiring.get(id)?.resolve();
  } catch (error) {
    if (!isOfValues(error)) throw error;
    pass(messageOf(error));
    for (const { reject } of waiting) reject(error);
    retiring.get(id)?.reject(error);
  }
}
