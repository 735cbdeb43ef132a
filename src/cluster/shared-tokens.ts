import { randomUUID } from 'node:crypto';
import type { Clock } from '../registry/clock.ts';
import type { ChangeLog } from '../server/catalogue/change-log.ts';
import { encodeEvent, subjectOf, type FleetEvent } from './event.ts';
import type { EventStream } from './event-stream.ts';
import type { Follower } from './follower.ts';

interface Parts {
  readonly log: ChangeLog;
  readonly stream: EventStream;
  readonly follower: Pick<Follower, 'reaches'>;
  readonly clock: Pick<Clock, 'sleep'>;
}

const EVERY_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

/**
 * Appends the tokens that are created and revoked in the file of a front, so that all fronts know them, until the result is called.
 * While the stream cannot be reached, they wait.
 */
export function shareTokens({ log, stream, follower, clock }: Parts): () => Promise<void> {
  const stopping = new AbortController();
  /** Whether the next ones follow at once. */
  const share = async (): Promise<boolean> => {
    const [last, rows] = [log.last(), log.tokensToShare()];
    if (last === 0 || rows.length === 0) return false;
    if ((await stream.last()) !== last || stream.isFilling()) return false;
    const event: FleetEvent = { kind: 'rows', rows };
    const [subject, body] = [subjectOf(event), encodeEvent(event)];
    // Refused if another front was first, which may have the same tokens, and by a stream that was lost and is filled again.
    const sequence = await stream.append({ subject, id: randomUUID(), body }, { last });
    return sequence !== undefined && (await follower.reaches(sequence, LONGEST_WAIT_MS));
  };
  const repeat = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // The follower reports a stream that cannot be reached.
      if (await share().catch(() => false)) continue;
      await clock.sleep(EVERY_MS, stopping.signal).catch(() => undefined);
    }
  };
  const ended = repeat();
  return async () => {
    stopping.abort();
    await ended;
  };
}
