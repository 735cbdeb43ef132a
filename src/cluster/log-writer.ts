import { randomUUID } from 'node:crypto';
import type { Clock } from '../registry/clock.ts';
import type {
  CatalogueChange,
  ChangeKind,
  ChangeResults,
} from '../server/catalogue/catalogue-change.ts';
import type { ChangeLog, LoggedEvent } from '../server/catalogue/change-log.ts';
import {
  ChangeUnavailable,
  OlderFrontError,
  type WriteChange,
} from '../server/catalogue/write-change.ts';
import { encodeEvent, schemaOf, subjectOf } from './event.ts';
import type { EventStream } from './event-stream.ts';
import type { Follower } from './follower.ts';
import type { OlderFront } from './older-front.ts';

type Outcome = ChangeResults[ChangeKind];

interface Parts {
  readonly log: ChangeLog;
  readonly stream: EventStream;
  readonly follower: Follower;
  readonly clock: Pick<Clock, 'sleep' | 'monotonic'>;
  readonly olderFront: OlderFront;
}

/** How long a change may take: an election takes up to ten seconds. */
const LONGEST_WRITE_MS = 15_000;
const AGAIN_AFTER_MS = 250;

/**
 * Appends changes to the stream. A change that this front would refuse is not appended, once this front knows what the leader knows of
 * the module. Rejects with ChangeUnavailable, or with OlderFrontError.
 */
export function logWriter(parts: Parts): WriteChange {
  return async <K extends ChangeKind>(change: CatalogueChange<K>) =>
    // The result of a change is of its kind; the compiler cannot follow both through the stream.
    (await written(parts, change as CatalogueChange)) as ChangeResults[K];
}

async function written(parts: Parts, change: CatalogueChange): Promise<Outcome> {
  const { follower, clock } = parts;
  const subject = subjectOf(change);
  const event = { subject, id: randomUUID(), body: encodeEvent(change) };
  const ends = clock.monotonic() + LONGEST_WRITE_MS;
  for (;;) {
    const left = ends - clock.monotonic();
    try {
      // An event whose acknowledgement was lost is appended again unchanged, and found by its id.
      const result = follower.resultOf(event.id) ?? (await tried(parts, change, event, left));
      if (result !== undefined) return result;
      if (left <= 0) throw new Error('other writers were faster each time');
    } catch (error) {
      if (error instanceof OlderFrontError) throw error;
      if (follower.trouble() !== undefined || left <= AGAIN_AFTER_MS) throw unavailable(error);
      await clock.sleep(AGAIN_AFTER_MS, new AbortController().signal);
    }
  }
}

/** The result of the change; undefined if what another writer appended came first, and this front knows it now. */
async function tried(
  { log, stream, follower, olderFront }: Parts,
  change: CatalogueChange,
  event: Omit<LoggedEvent, 'sequence'>,
  ms: number,
): Promise<Outcome | undefined> {
  const trouble = follower.trouble();
  // A front that does not follow the stream would never learn what its change resulted in.
  if (trouble !== undefined) throw new Error(trouble);
  const known = log.lastOf(event.subject);
  const preview = log.preview(change);
  if (isChange(preview)) {
    // The first event of a module would be accepted by a stream that was lost, under the number of another event.
    const isFilling = (await stream.last()) < log.last() || stream.isFilling();
    if (isFilling) throw new Error('the stream is being filled again');
    // It would stop at the event (D205).
    const older = await olderFront(schemaOf(change));
    if (older !== undefined) throw new OlderFrontError(older);
    const sequence = await stream.append(event, { lastOfSubject: known });
    await expectReached(follower, sequence ?? (await stream.lastOf(event.subject)), ms);
    return follower.resultOf(event.id);
  }
  // What another front appended may make this change possible.
  const newest = await stream.lastOf(event.subject);
  if (newest <= known) return preview;
  await expectReached(follower, newest, ms);
  return follower.resultOf(event.id);
}

async function expectReached(follower: Follower, sequence: number, ms: number): Promise<void> {
  if (await follower.reaches(sequence, ms)) return;
  throw new Error(`event ${sequence} did not arrive`);
}

/** That signatures were added is a change, too (D167). */
const MADE: ReadonlySet<unknown> = new Set(['published', 'signed', 'yanked', 'done']);
/** For machines (D397, D398). */
const MADE_FOR_MACHINES: ReadonlySet<unknown> = new Set(['saved', 'sourced', 'given']);

/** Whether a change with this result changes something. */
function isChange(result: Outcome): boolean {
  if (typeof result === 'string') return MADE.has(result);
  if ('ok' in result) return result.ok && result.value !== 'unchanged';
  return [result].flat().some(({ kind }) => MADE_FOR_MACHINES.has(kind));
}

function unavailable(cause: unknown): ChangeUnavailable {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ChangeUnavailable(`the change was not confirmed: ${why}`, { cause });
}
