import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { quote } from '../core/text/quote.ts';
import { whyClosed, type RunAs } from './process/run-as.ts';

/** Of the folder of a module, which only its user can read, and of those that it is in. */
const DATA_MODE = 0o700;
const SHARED_MODE = 0o755;
/** What lets others enter a folder. */
const ENTER = 0o011;

/** Why there is no folder at `path` for the data of a module, or its user cannot enter it; undefined if it can (A23). */
export function whyNoData(path: string, runAs: RunAs | undefined): string | undefined {
  try {
    makeShared(dirname(dirname(path)));
    makeShared(dirname(path));
    if (!statSync(path, { throwIfNoEntry: false })) {
      const link = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
      if (link) return awayDisk(path);
      makeFolder(path, DATA_MODE);
      if (runAs) chownSync(path, runAs.uid, runAs.gid);
    }
  } catch (error) {
    return `${quote(path)} cannot be created (${codeOf(error)})`;
  }
  return whyClosed(path, runAs);
}

function awayDisk(path: string): string {
  return `${quote(path)} cannot be used: it is a link to ${quote(readlinkSync(path))}, which is not there; mount its disk, or remove the link`;
}

/**
 * Gives the data of a module to the user that it runs as now, if another one had it: what belonged to that one, without following
 * links. Returns why that is not possible; undefined if that user may write there (A23).
 */
export function whyNotHandedOver(path: string, runAs: RunAs | undefined): string | undefined {
  const user = runAs ?? ownUser();
  const before = statSync(path);
  if (before.uid === user.uid || mayWrite(before, user)) return undefined;
  try {
    handOver(realpathSync(path), before.uid, user);
    return undefined;
  } catch (error) {
    const remedy = `chown -R ${user.uid}:${user.gid} ${quote(path)}`;
    return `${quote(path)} belongs to user ${before.uid}, the module runs as user ${user.uid}, and its owner cannot be changed (${codeOf(error)}); stop the agent, and run: ${remedy}`;
  }
}

function ownUser(): RunAs {
  const { getuid, getgid, getgroups } = process;
  return { uid: getuid?.() ?? 0, gid: getgid?.() ?? 0, groups: getgroups?.() ?? [] };
}

/** Whether a user that does not own it may write to a folder. Root takes what belongs to others, too. */
function mayWrite({ mode, gid }: Stats, { uid, groups }: RunAs): boolean {
  const shift = groups.includes(gid) ? 3 : 0;
  return uid !== 0 && ((mode >> shift) & 3) === 3;
}

/** A user that still runs something may rename what is below, so each step is relative to an open folder. */
function handOver(path: string, from: number, to: RunAs): void {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    const below = `/proc/self/fd/${file}`;
    const all = stats.isDirectory() ? readdirSync(below, { withFileTypes: true }) : [];
    for (const one of all) {
      if (one.isDirectory() || one.isFile()) handOver(join(below, one.name), from, to);
    }
    // A file of root may have a second name elsewhere.
    const isOnlyHere = stats.isDirectory() || stats.nlink === 1 || from !== 0;
    // Last, so that what is interrupted is done again.
    if (stats.uid === from && isOnlyHere) fchownSync(file, to.uid, to.gid);
  } finally {
    closeSync(file);
  }
}

/** A folder of the agent that users of modules pass through, whatever its umask is. */
function makeShared(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) makeFolder(path, SHARED_MODE);
  else if (process.getuid?.() === 0 && stats.uid === 0 && (stats.mode & 1) === 0) {
    chmodSync(path, stats.mode | ENTER);
  }
}

function makeFolder(path: string, mode: number): void {
  mkdirSync(path);
  chmodSync(path, mode);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
