import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The module that records when it starts and stops. */
export const PROGRAM: string = fileURLToPath(new URL('program.pl', import.meta.url));
export const PROGRAMS: readonly string[] = Array.from({ length: 10 }, (_, place) => `m${place}`);
const TICK_MS = 10;
/** An agent begins its first round within a minute. */
const LONGEST_MS = 90_000;

/** What keeps ten programs running: modreg's agent, or somebody else's supervisor. */
export interface Supervisor {
  readonly name: string;
  readonly pid: number;
  /** The folder in which each program records its starts and stops. */
  readonly records: string;
  /** Replaces a program by its next version, or restarts it where there are no versions. */
  readonly replace: (program: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Creates the folder of the records in `folder`, and returns it. */
export function recordsIn(folder: string): string {
  mkdirSync(`${folder}/records`);
  return `${folder}/records`;
}

/** A start of a program, or a request to stop. */
export interface Recorded {
  readonly kind: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly pid: number;
}

export function recorded({ records }: Pick<Supervisor, 'records'>, program: string): Recorded[] {
  const path = `${records}/${program}`;
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [kind = '', at, pid] = line.split(' ');
    return { kind, at: Number(at), pid: Number(pid) };
  });
}

/** Resolves with the start of a program after those in `before`. */
export async function nextStart(
  supervisor: Pick<Supervisor, 'name' | 'records'>,
  program: string,
  before: readonly Recorded[],
): Promise<Recorded> {
  const end = performance.now() + LONGEST_MS;
  for (;;) {
    const start = recorded(supervisor, program)
      .slice(before.length)
      .find(({ kind }) => kind === 'start');
    if (start) return start;
    if (performance.now() > end) {
      throw new Error(`${supervisor.name} did not start ${program} in time`);
    }
    await sleep(5);
  }
}

/** The memory of a supervisor's processes in MB, without its programs, and its CPU time in milliseconds. */
export function usageOf(
  supervisor: Supervisor,
  started: readonly string[] = PROGRAMS,
): { rss: number; pss: number; cpuMs: number } {
  const programs = new Set(started.map((one) => recorded(supervisor, one).at(-1)?.pid));
  const own = familyOf(supervisor.pid).filter((pid) => !programs.has(pid));
  const sum = (of: (pid: number) => number): number =>
    own.reduce((total, pid) => total + of(pid), 0);
  return {
    rss: sum((pid) => kilobytes(pid, 'smaps_rollup', 'Rss')) / 1000,
    pss: sum((pid) => kilobytes(pid, 'smaps_rollup', 'Pss')) / 1000,
    cpuMs: sum((pid) => {
      const fields = statOf(pid);
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    }),
  };
}

/** A value in kB of a file of /proc, such as `Rss: 1234 kB`. */
export function kilobytes(pid: number, file: string, name: string): number {
  const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
  const [, value] = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text) ?? [];
  return Number(value) * 1.024;
}

function familyOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/stat`))
    .map((name) => [Number(name), Number(statOf(Number(name))[1])] as const);
  const family = [pid];
  for (const member of family) {
    family.push(...parents.filter(([, parent]) => parent === member).map(([child]) => child));
  }
  return family;
}

/** The fields of /proc/<pid>/stat after the name: its state, parent, …. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
