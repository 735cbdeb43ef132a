import { systemClock } from '../../registry/clock.ts';
import { marked, signal, type MarkedProcess } from './process-table.ts';

const POLL_MS = 10;
/** A process that SIGKILL does not end in this time waits for a device. */
const KILL_MS = 5000;

/**
 * Kills every process whose mark begins with `prefix`, and the process groups of these processes. Returns how many there
 * were, and whether all of them ended within five seconds. No process is found by a stored id, which another one may have
 * by now.
 */
export async function killMarked(
  prefix: string,
): Promise<{ readonly count: number; readonly isOver: boolean }> {
  const seen = new Set<number>();
  const deadline = systemClock.monotonic() + KILL_MS;
  for (;;) {
    // A process may start another one before it is killed.
    const left = await found(prefix);
    for (const { pid, group } of left) {
      seen.add(pid);
      // A module's processes have groups of their own, so the group has no other members.
      if (group > 1) signal(-group, 'SIGKILL');
      signal(pid, 'SIGKILL');
    }
    const isOver = left.length === 0;
    if (isOver || systemClock.monotonic() > deadline) return { count: seen.size, isOver };
    await systemClock.sleep(POLL_MS);
  }
}

let search: Promise<readonly MarkedProcess[]> | undefined;

/** `marked`, where all searches of one turn of the event loop read the table of processes once. */
async function found(prefix: string): Promise<MarkedProcess[]> {
  search ??= new Promise((resolve) => {
    setImmediate(() => {
      search = undefined;
      resolve(marked(''));
    });
  });
  const all = await search;
  return all.filter(({ mark }) => mark.startsWith(prefix));
}
