import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { systemClock } from '../../registry/index.ts';

/** The variable that marks every process of a module, also those that leave its process group. */
export const MARK = 'MODREG_RUN';

const RUN_ID_LENGTH = 12;
const POLL_MS = 10;
/** A process that SIGKILL does not end waits for a device. */
const KILL_MS = 5000;

/** Sends a signal to a process, or to a group if `pid` is negative. Returns false if there is none. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** A process of a module. */
export interface MarkedProcess {
  readonly pid: number;
  /** Its mark, from the name of the module on. */
  readonly mark: string;
}

/** What marks the processes of the modules whose packages are below `home`: the same for each agent. */
export function runIdOf(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, RUN_ID_LENGTH);
}

/** The processes whose mark begins with `prefix`. Those of other users are only seen by root. */
export function marked(prefix: string): MarkedProcess[] {
  const needle = `\0${MARK}=${prefix}`;
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      const environment = `\0${readFileSync(`/proc/${name}/environ`, 'latin1')}`;
      const place = environment.indexOf(needle);
      if (place === -1) return [];
      const [mark = ''] = environment.slice(place + needle.length).split('\0', 1);
      return { pid, mark };
    } catch {
      // It has ended, or belongs to another user.
      return [];
    }
  });
}

/** Kills every process whose mark begins with `prefix`. Returns how many there were, and whether all of them ended. */
export async function killMarked(
  prefix: string,
): Promise<{ readonly count: number; readonly isOver: boolean }> {
  const seen = new Set<number>();
  const deadline = systemClock.monotonic() + KILL_MS;
  for (;;) {
    // A process may start another one while it is being killed.
    const left = marked(prefix);
    for (const { pid } of left) {
      seen.add(pid);
      signal(pid, 'SIGKILL');
    }
    const isOver = left.length === 0;
    if (isOver || systemClock.monotonic() > deadline) return { count: seen.size, isOver };
    await systemClock.sleep(POLL_MS);
  }
}

/** Ends a process group with SIGTERM, after `graceMs` with SIGKILL. Resolves once it is empty. */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  const start = systemClock.monotonic();
  if (!signal(-leader, 'SIGTERM')) return;
  // A stopped process does not get SIGTERM before it continues.
  signal(-leader, 'SIGCONT');
  while (signal(-leader, 0)) {
    const ms = systemClock.monotonic() - start;
    if (ms >= graceMs) signal(-leader, 'SIGKILL');
    if (ms >= graceMs + KILL_MS) return;
    await systemClock.sleep(POLL_MS);
  }
}
