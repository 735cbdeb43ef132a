import type { JetStreamManager } from '@nats-io/jetstream';
import { decodeEvent } from '../event.ts';
import { nameOf } from '../held-events.ts';
import { eventIn, STREAM } from './release-stream.ts';

const AT_ONCE = 64;
/** Fronts do not get behind the first. */
const MOST = 10;

/** Reads the events up to the number `last`, as a front does. A line for each of the first that this modreg cannot read. */
export async function unreadableEvents(
  { direct }: JetStreamManager,
  last: number,
): Promise<string[]> {
  const lines: string[] = [];
  for (let first = 1; first <= last && lines.length < MOST; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, last - first + 1);
    const numbers = Array.from({ length: count }, (_none, place) => first + place);
    const found = await Promise.all(
      numbers.map(async (seq) => await direct.getMessage(STREAM, { seq })),
    );
    for (const event of found.map(eventIn)) {
      if (!event) continue;
      const read = decodeEvent(event.body);
      if (!read.ok) lines.push(`${nameOf(event)} cannot be read: ${read.error.message}`);
    }
  }
  return lines.slice(0, MOST);
}
