import {
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../files/replace-file.ts';
import { syncFolder } from '../../files/sync.ts';
import { LAUNCHER } from './launcher-text.ts';

/** Why the launcher went back from a release. */
export interface FallBack {
  /** The program of the release. */
  readonly program: string;
  readonly reason: string;
}

const PROGRAM_MODE = 0o755;
const FILE_MODE = 0o644;
/** The link to the program for people: the last one that has shown that it works. */
const COMMAND = 'modreg';

/** The folder of the launcher and its links. */
export function launcherFolder(home: string): string {
  return join(home, 'agent');
}

/** The path of the program for people. */
export function commandIn(home: string): string {
  return join(launcherFolder(home), COMMAND);
}

/**
 * Writes the launcher, and which program it starts until a release is installed: an earlier one is not started any more.
 * Returns its path.
 */
export function writeLauncher(home: string, first: string): string {
  const folder = launcherFolder(home);
  const path = join(folder, 'launch');
  mkdirSync(folder, { recursive: true, mode: PROGRAM_MODE });
  replaceFile(path, LAUNCHER, { mode: PROGRAM_MODE });
  link(folder, 'first', first);
  link(folder, COMMAND, first);
  // In this order, an interruption leaves no release whose starts are not counted.
  for (const name of ['current', 'unconfirmed', 'previous', 'failed']) {
    rmSync(join(folder, name), { force: true });
  }
  syncFolder(folder);
  syncFolder(home);
  return path;
}

/**
 * Lets the launcher start `program` from its next start on, and `running` if that does not stay up. Both are on disk when
 * this returns. Throws the error of the system.
 */
export function startNext(home: string, program: string, running: string): void {
  const folder = launcherFolder(home);
  link(folder, 'previous', running);
  replaceFile(join(folder, 'unconfirmed'), '0\n', { mode: FILE_MODE });
  link(folder, 'current', program);
  syncFolder(folder);
}

/** The program that the launcher starts next; undefined if no release was installed. */
export function nextProgram(home: string): string | undefined {
  return targetOf(join(launcherFolder(home), 'current'));
}

/** The programs that the launcher may start, without links. */
export function launchedPrograms(home: string): string[] {
  const folder = launcherFolder(home);
  return ['current', 'previous', 'first', COMMAND].flatMap(
    (name) => targetOf(join(folder, name)) ?? [],
  );
}

/** Records that `program`, which runs, works: its starts are no longer counted. */
export function confirmStart(home: string, program: string): void {
  const folder = launcherFolder(home);
  link(folder, COMMAND, program);
  rmSync(join(folder, 'unconfirmed'), { force: true });
  syncFolder(folder);
}

/** Records that the last start counts for nothing: the program was stopped before it could show that it works. */
export function forgiveStart(home: string): void {
  try {
    writeFileSync(join(launcherFolder(home), 'unconfirmed'), '0\n', { flag: 'r+' });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Records what runs, for a command of another process. */
export function noteRunning(home: string, version: string): void {
  const path = join(launcherFolder(home), 'running');
  replaceFile(path, `${process.pid} ${version}\n`, { mode: FILE_MODE });
}

/** The version that the process `pid` has recorded; undefined if it did not, or is not of the launcher. */
export function runningVersion(home: string, pid: number | undefined): string | undefined {
  const [owner, version] = textOf(join(launcherFolder(home), 'running'))?.split(/[ \n]/) ?? [];
  return owner === String(pid) ? version : undefined;
}

/** What the launcher went back from; undefined if that was reported. */
export function fallBackOf(home: string): FallBack | undefined {
  const text = textOf(join(launcherFolder(home), 'failed'));
  if (text === undefined) return undefined;
  const [program = '', reason = ''] = text.split('\n');
  return { program, reason };
}

export function forgetFallBack(home: string): void {
  rmSync(join(launcherFolder(home), 'failed'), { force: true });
}

/** Replaces a link at once: it names the one program or the other, whatever happens. */
function link(folder: string, name: string, target: string): void {
  const path = join(folder, name);
  rmSync(`${path}.new`, { force: true });
  symlinkSync(target, `${path}.new`);
  renameSync(`${path}.new`, path);
}

function targetOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  try {
    return readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
