import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** The variable that marks every process of a module, also those that leave its process group. */
export const MARK = 'MODREG_RUN';

const RUN_ID_LENGTH = 12;
/** The place of the start time among the fields that follow the name. */
const STARTED_AT = 19;

/** What the marks of all modules of one agent begin with: the same for each agent whose packages are below `home`. */
export function runIdOf(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, RUN_ID_LENGTH);
}

/** A process that runs. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Its process group. */
  readonly group: number;
  readonly session: number;
  /** When it was started, as the kernel counts it: no other process has this one together with the same `pid`. */
  readonly startedAt: string;
}

/** A process of a module. */
export interface MarkedProcess extends Process {
  /** Its mark after the prefix. */
  readonly mark: string;
}

/** All processes that run: those that ended are left out, although nobody may have taken their exit codes yet. */
export function processes(): Process[] {
  return pids().flatMap((pid) => {
    const stat = statOf(pid);
    return stat?.isRunning === true ? stat : [];
  });
}

/** A process, also one that has ended and whose exit code nobody has taken yet. Undefined if there is none. */
export function processOf(pid: number): Process | undefined {
  return statOf(pid);
}

/** The processes whose mark begins with `prefix`. Only root sees those of other users. */
export function marked(prefix: string): MarkedProcess[] {
  const needle = `\0${MARK}=${prefix}`;
  return pids().flatMap((pid) => {
    const environment = `\0${contentsOf(pid, 'environ')}`;
    const place = environment.indexOf(needle);
    const stat = place === -1 ? undefined : statOf(pid);
    if (!stat || pid === process.pid) return [];
    const [mark = ''] = environment.slice(place + needle.length).split('\0', 1);
    return Object.assign(stat, { mark });
  });
}

/** Whether a process runs: it has not ended, even if nobody has taken its exit code yet. */
export function isRunning(pid: number): boolean {
  return statOf(pid)?.isRunning ?? false;
}

/** Kills a process with SIGKILL, unless its id belongs to another one by now. */
export function killExactly({ pid, startedAt }: Process): void {
  if (statOf(pid)?.startedAt === startedAt) signal(pid, 'SIGKILL');
}

/** Whether a process of the group runs. */
export function isGroupRunning(group: number): boolean {
  // In a container without an init, processes that ended stay in the table for good.
  return (
    signal(-group, 0) &&
    pids().some((pid) => {
      const stat = statOf(pid);
      return stat?.group === group && stat.isRunning;
    })
  );
}

/** Sends a signal to a process, or to a group if `pid` is negative. Returns false if there is none. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return false;
    // Programs that run as another user, such as sudo, are there but get no signal.
    if (code === 'EPERM') return true;
    throw error;
  }
}

function pids(): number[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
}

/** Undefined if there is no such process. */
function statOf(pid: number): (Process & { readonly isRunning: boolean }) | undefined {
  const stat = contentsOf(pid, 'stat');
  // The second field is the name in parentheses, which may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  const startedAt = fields[STARTED_AT];
  if (startedAt === undefined) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt,
    isRunning: state !== 'Z' && state !== 'X',
  };
}

function contentsOf(pid: number, file: 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It has ended, or its environment is that of another user.
    return '';
  }
}
