import { readFileSync } from 'node:fs';

/** A system call that fails, or kills its process, while a process works on some files. */
export interface InjectedFault {
  readonly call: string;
  /** The error of the call, such as ENOSPC; `KILL` kills the process before the call. */
  readonly error: string;
  /** The first call that fails, counted from 1. */
  readonly first: number;
  /** How many calls fail. */
  readonly times: number;
}

const FOR_EVER = Infinity;
const A_WHILE = 25;

/** What a disk, a file system or a limit of the system may answer. */
const ERRORS: Readonly<Record<string, readonly string[]>> = {
  access: ['EIO', 'EACCES'],
  chmod: ['EPERM', 'EROFS'],
  close: ['EIO', 'ENOSPC'],
  fallocate: ['ENOSPC'],
  fchmod: ['EPERM', 'EIO'],
  fchown: ['EPERM'],
  fcntl: ['EIO', 'ENOLCK', 'EINTR'],
  fdatasync: ['EIO', 'ENOSPC'],
  flock: ['ENOLCK'],
  fstat: ['EIO', 'ESTALE'],
  fsync: ['EIO', 'ENOSPC'],
  ftruncate: ['EIO', 'ENOSPC'],
  link: ['EIO', 'ENOSPC', 'EPERM'],
  lstat: ['EIO', 'EACCES'],
  mkdir: ['ENOSPC', 'EACCES', 'EIO'],
  mmap: ['ENOMEM', 'EACCES'],
  openat: ['EIO', 'EACCES', 'EMFILE', 'ENOSPC', 'EINTR', 'ESTALE'],
  pread64: ['EIO', 'EINTR', 'ESTALE'],
  pwrite64: ['ENOSPC', 'EIO', 'EINTR', 'EDQUOT', 'EROFS'],
  read: ['EIO', 'EINTR'],
  readlink: ['EIO'],
  rename: ['EIO', 'ENOSPC', 'EACCES'],
  rmdir: ['EIO', 'EACCES'],
  stat: ['EIO', 'EACCES', 'ESTALE'],
  statfs: ['EIO'],
  statx: ['EIO', 'EACCES'],
  syncfs: ['EIO', 'ENOSPC'],
  unlink: ['EIO', 'EACCES', 'EROFS'],
  write: ['ENOSPC', 'EIO', 'EDQUOT'],
};

/** After these, a process may be killed: they change a file, or say that it has changed. */
const CHANGES: ReadonlySet<string> = new Set(
  'fallocate fdatasync fsync ftruncate link mkdir openat pwrite64 rename rmdir syncfs unlink write'.split(
    ' ',
  ),
);
/** These may also fail for a while, or from then on: the disk is full, or read-only. */
const LASTING: ReadonlySet<string> = new Set(['ENOSPC', 'EIO', 'EROFS', 'EDQUOT', 'EMFILE']);

const CALLS: readonly string[] = Object.keys(ERRORS);

/** Every fault of the calls that a process made, by their number: each call with each error, and with a kill. */
export function faultsOf(counts: ReadonlyMap<string, number>): InjectedFault[] {
  return [...counts].flatMap(([call, count]) => {
    const errors = [...(ERRORS[call] ?? []), ...(CHANGES.has(call) ? ['KILL'] : [])];
    const firsts = Array.from({ length: count }, (_, place) => place + 1);
    return firsts.flatMap((first) =>
      errors.flatMap((error) => {
        const isLasting = LASTING.has(error) && CHANGES.has(call);
        const lengths = isLasting ? [1, A_WHILE, FOR_EVER] : [1];
        return lengths.map((times) => ({ call, error, first, times }));
      }),
    );
  });
}

/** `pwrite64:ENOSPC:7` fails once, `…:7..31` for a while, `…:7+` from then on. */
export function formatFault({ call, error, first, times }: InjectedFault): string {
  return `${call}:${error}:${whenOf(first, times)}`;
}

export function parseFault(text: string): InjectedFault | undefined {
  const [, call = '', error = '', first, last, more] =
    /^(\w+):([A-Z]+):(\d+)(?:\.\.(\d+))?(\+)?$/.exec(text) ?? [];
  if (!(call in ERRORS) || first === undefined) return undefined;
  const times = more === undefined ? Number(last ?? first) - Number(first) + 1 : FOR_EVER;
  return { call, error, first: Number(first), times };
}

function whenOf(first: number, times: number): string {
  if (times === FOR_EVER) return `${first}+`;
  return times === 1 ? `${first}` : `${first}..${first + times - 1}`;
}

/** The arguments of strace that inject `fault` into the calls on `paths`, or only count these calls; before those of the command. */
export function straceArguments(
  fault: InjectedFault | undefined,
  { paths, log }: { readonly paths: readonly string[]; readonly log: string },
): string[] {
  const on = paths.flatMap((path) => ['-P', path]);
  const common = ['-f', '-qq', '-y', '-s', '0', '-o', log, ...on];
  if (!fault) return [...common, '-e', `trace=${CALLS.join()}`];
  const { call, error, first, times } = fault;
  const effect = error === 'KILL' ? 'signal=KILL' : `error=${error}`;
  const inject = `inject=${call}:${effect}:when=${whenOf(first, times)}`;
  return [...common, '-e', `trace=${call}`, '-e', inject];
}

const CALL = /^\d+ +(\w+)\(/;

/** How often each call occurs in a log of strace. */
export function countsIn(log: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of readFileSync(log, 'latin1').split('\n')) {
    const call = CALL.exec(line)?.[1];
    if (call !== undefined) counts.set(call, (counts.get(call) ?? 0) + 1);
  }
  return counts;
}

/** The first injected call in a log of strace. */
export interface InjectedCall {
  /** The name of its file. */
  readonly on: string;
  /**
   * Whether it was to release a lock. That fails on no local file system, and SQLite then holds the lock until its process
   * ends.
   */
  readonly isUnlock: boolean;
}

/** Undefined if the process made fewer calls than expected. */
export function injectedIn(log: string): InjectedCall | undefined {
  const lines = readFileSync(log, 'latin1').split('\n');
  const line =
    lines.find((one) => one.endsWith('(INJECTED)')) ?? lines.find((one) => one.endsWith('= ?'));
  if (line === undefined) return undefined;
  // Not the folder of the process.
  const [, on = 'a file'] = /\/([^/<>"]+)[>"]/.exec(line.replace(/AT_FDCWD<[^>]*>/, '')) ?? [];
  return { on, isUnlock: line.includes('F_UNLCK') };
}
