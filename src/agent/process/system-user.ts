import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A user of the system, by numbers. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
  /** All of its groups, `gid` included. */
  readonly groups: readonly number[];
}

/** Where users are looked up. */
export interface UserSources {
  /** The folder of `passwd` and `group`. */
  readonly files: string;
  /** The folders in which programs are found, as in PATH. */
  readonly programs: string;
}

const PROGRAMS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The users of the system whose root folder is `root`. */
export function usersBelow(root: string): UserSources {
  const programs = PROGRAMS.map((folder) => join(root, folder)).join(':');
  return { files: join(root, '/etc'), programs };
}

/** A directory that does not answer keeps the agent waiting for so long. */
const DEADLINE_MS = 5000;

/**
 * The user of this name, whatever the system asks about it: files, LDAP, systemd (T342). Undefined if the system does not know
 * it. Where `getent` or `id` is missing or fails, the files say who it is and which groups it is a member of.
 */
export function userNamed(name: string, sources: UserSources): RunAs | undefined {
  const line =
    lineOf(linesIn('passwd', sources), name) ??
    lineOf(said(['getent', 'passwd', name], sources), name);
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined) return undefined;
  const groups = said(['id', '-G', name], sources)[0]?.split(' ').map(Number);
  const all = groups ?? groupsInFile(name, sources);
  return { uid: Number(uid), gid: Number(gid), groups: [...new Set([Number(gid), ...all])] };
}

function lineOf(lines: readonly string[], name: string): string | undefined {
  return lines.find((one) => one.startsWith(`${name}:`));
}

function groupsInFile(name: string, sources: UserSources): number[] {
  return linesIn('group', sources).flatMap((line) => {
    const [, , gid, members = ''] = line.split(':');
    return members.split(',').includes(name) ? Number(gid) : [];
  });
}

function linesIn(file: 'passwd' | 'group', { files }: UserSources): string[] {
  try {
    return readFileSync(join(files, file), 'utf8').split('\n');
  } catch (error) {
    // A system without files has its users elsewhere.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The lines that a program prints; none if it is missing, fails or is late. */
function said(
  [program, ...rest]: readonly [string, ...string[]],
  { programs }: UserSources,
): string[] {
  try {
    const text = execFileSync(program, rest, {
      cwd: '/',
      encoding: 'utf8',
      env: { PATH: programs, LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: DEADLINE_MS,
    });
    return text.split('\n').filter((line) => line !== '');
  } catch {
    // The files say what they know.
    return [];
  }
}
