import { readFileSync } from 'node:fs';
import { marked, runIdOf, type MarkedProcess } from '../../agent/process/process-table.ts';
import { withoutLinks } from '../home-of.ts';

/** The processes that a module has now. */
export interface ModuleProcess {
  /** The process that the others descend from. */
  readonly pid: number;
  /** How long that one has run, in milliseconds. */
  readonly ageMs: number;
  /** What all of them have in memory, in bytes. */
  readonly memory: number;
}

/** As Linux counts for programs, on every platform. */
const TICKS_PER_SECOND = 100;

/**
 * The processes of the modules that modreg's agent runs in `home`, by the name of the module entry. A module without one, or whose
 * processes belong to a user whose processes are hidden, is left out (D353).
 */
export function moduleProcesses(home: string): ReadonlyMap<string, ModuleProcess> {
  const all = marked(`${runIdOf(withoutLinks(home))}/`);
  const names = new Set(all.map(({ mark }) => mark.slice(0, mark.indexOf('/'))));
  const uptimeMs = Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 1000;
  return new Map(
    Array.from(names, (name) => {
      const pids = pidsOf(name, all);
      const [pid = 0] = pids;
      const started = all.find((one) => one.pid === pid)?.startedAt ?? '0';
      const ageMs = Math.max(0, uptimeMs - (Number(started) * 1000) / TICKS_PER_SECOND);
      const memory = pids.reduce((sum, one) => sum + residentBytes(one), 0);
      return [name, { pid, ageMs, memory }] as const;
    }),
  );
}

/**
 * The ids of the processes of a module, its main process first, and then the lowest first. Numbers begin again after the highest, so
 * that a child can have a lower one than its parent.
 */
export function pidsOf(
  name: string,
  processes: readonly Pick<MarkedProcess, 'pid' | 'parent' | 'group' | 'mark'>[],
): number[] {
  const own = processes.filter(({ mark }) => mark.startsWith(`${name}/`));
  const ids = new Set(own.map(({ pid }) => pid));
  const isChild = ({ parent }: (typeof own)[number]): number => Number(ids.has(parent));
  return own.toSorted((a, b) => isChild(a) - isChild(b) || a.pid - b.pid).map(({ pid }) => pid);
}

/** The memory of a process that is in use, in bytes; 0 if it has ended. */
function residentBytes(pid: number): number {
  try {
    const [, kilobytes] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
