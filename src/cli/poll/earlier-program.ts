import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { systemClock } from '../../registry/clock.ts';

const CHECK_MS = 200;

/**
 * The program that a poller runs, recorded beside machine.db: if the poller is killed, its program may keep running, and
 * the next poller must not run another one beside it (T72).
 */
export interface ProgramRecord {
  /** Records the running program. */
  readonly note: (pid: number) => void;
  /** Records that none is running. */
  readonly clear: () => void;
  /** The process id of the program of an earlier poller, if it is still running. */
  readonly earlier: () => number | undefined;
  /** Resolves once that program has ended; rejects with the reason of `signal`. */
  readonly ended: (signal: AbortSignal) => Promise<void>;
}

export function programRecord(path: string): ProgramRecord {
  const earlier = (): number | undefined => {
    const [, digits, since] = /^(\d{1,10}) (\S+)$/.exec(contentsOf(path) ?? '') ?? [];
    const pid = Number(digits);
    // The start time tells the program from another process that has its id by now.
    return digits !== undefined && startOf(pid) === since ? pid : undefined;
  };
  return {
    note: (pid) => writeFileSync(path, `${pid} ${startOf(pid) ?? 'ended'}`, { mode: 0o600 }),
    clear: () => rmSync(path, { force: true }),
    earlier,
    ended: async (signal) => {
      while (earlier() !== undefined) await systemClock.sleep(CHECK_MS, signal);
    },
  };
}

/** When a process started, in clock ticks since boot, with the id of that boot; undefined if it is not running. */
function startOf(pid: number): string | undefined {
  const stat = contentsOf(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the name in parentheses, which may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  return `${fields[19]}@${contentsOf('/proc/sys/kernel/random/boot_id')?.trim()}`;
}

function contentsOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It does not exist, or cannot be read: then nothing is known of such a process.
    return undefined;
  }
}
