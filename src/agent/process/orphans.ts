import { systemClock } from '../../registry/clock.ts';
import { familyOf, type Family } from './family.ts';
import {
  killExactly,
  marked,
  processes,
  type MarkedProcess,
  type Process,
} from './process-table.ts';

const POLL_MS = 10;
/** A process that SIGKILL does not end in this time waits for a device. */
const KILL_MS = 5000;

/**
 * Kills every process whose mark begins with `prefix`, those of `family`, what they have started, and what is in their
 * sessions. Returns how many there were, and whether all of them ended within five seconds. A process is killed only while its
 * id still has its start time, so another one that has the id by then is not (T345).
 */
export async function killMarked(
  prefix: string,
  family: Family = familyOf(),
): Promise<{ readonly count: number; readonly isOver: boolean }> {
  const seen = new Set<number>();
  const deadline = systemClock.monotonic() + KILL_MS;
  for (;;) {
    // A process may start another one before it is killed.
    const { table, marks } = await found();
    for (const one of marks) if (one.mark.startsWith(prefix)) family.add(one);
    const left = family.among(table);
    for (const one of left) {
      seen.add(one.pid);
      killExactly(one);
    }
    const isOver = left.length === 0;
    if (isOver || systemClock.monotonic() > deadline) return { count: seen.size, isOver };
    await systemClock.sleep(POLL_MS);
  }
}

interface Found {
  readonly table: readonly Process[];
  readonly marks: readonly MarkedProcess[];
}

let search: Promise<Found> | undefined;

/** All processes, and those with a mark, where all searches of one turn of the event loop read them once. */
async function found(): Promise<Found> {
  search ??= new Promise((resolve) => {
    setImmediate(() => {
      search = undefined;
      resolve({ marks: marked(''), table: processes() });
    });
  });
  return await search;
}
