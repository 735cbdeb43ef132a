import type { ChangeLog, LoggedEvent } from '../server/catalogue/change-log.ts';
import type { EventStream } from './event-stream.ts';

/** What was found. */
interface Refilled {
  /** How many events this front appended. */
  readonly refilled: number;
  /** Why this front must not follow the stream; undefined if it may. */
  readonly message: string | undefined;
}

/**
 * Appends the events that a front has and the stream has not, such as after all nodes were lost: with the same numbers, so that
 * fronts that do so at once agree. A front with another event under the number of the last one that both have has another history, and stops.
 */
export async function refill(log: ChangeLog, stream: EventStream): Promise<Refilled> {
  let refilled = 0;
  let last = await stream.last();
  const common = log.at(Math.min(last, log.last()));
  if (common && (await isAnother(stream, common))) {
    return { refilled, message: replacedAt(common) };
  }
  while (last < log.last()) {
    const event = log.at(last + 1);
    if (!event) break;
    const { subject, id, body } = event;
    const sequence = await stream.append({ subject, id, body }, { last });
    if (sequence !== undefined) refilled += 1;
    else if (await isAnother(stream, event)) return { refilled, message: replacedAt(event) };
    last += 1;
  }
  return { refilled, message: undefined };
}

/** Whether the stream has another event with this number. */
async function isAnother(stream: EventStream, { sequence, id }: LoggedEvent): Promise<boolean> {
  const found = await stream.readAtLeader(sequence);
  return found !== undefined && found.id !== id;
}

function replacedAt({ sequence }: LoggedEvent): string {
  return `event ${sequence} of the stream is not the one that this front has applied: the stream was replaced. Move the file away, and start this front with an empty one`;
}
