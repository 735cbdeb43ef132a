import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Result } from '../../core/text/result.ts';
import { quote } from '../../core/text/quote.ts';

/** A user of the system, by numbers. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** The user of modules where the agent is root and the policy names none. */
const DEFAULT_USER = 'modreg-modules';

/**
 * The user that a module runs as: the policy's `run_as`; `modreg-modules` where the agent is root; undefined for the
 * agent's own user elsewhere. Only root can run a program as another user.
 */
export function runAsOf(
  named: string | undefined,
  {
    uid = process.getuid?.() ?? 0,
    passwd = '/etc/passwd',
  }: { readonly uid?: number; readonly passwd?: string } = {},
): Result<RunAs | undefined, string> {
  const isRoot = uid === 0;
  if (named === undefined && !isRoot) return { ok: true, value: undefined };
  const name = named ?? DEFAULT_USER;
  const user = userNamed(name, passwd);
  if (!user) {
    const create = `useradd --system --user-group --no-create-home --shell /usr/sbin/nologin ${name}`;
    return {
      ok: false,
      error: `there is no user ${quote(name)} to run modules as; create it: ${create}, or name another one with run_as in the policy`,
    };
  }
  if (isRoot) return { ok: true, value: user };
  if (user.uid === uid) return { ok: true, value: undefined };
  const error = `the policy says run_as ${quote(name)}, which only an agent that runs as root can do`;
  return { ok: false, error };
}

/** The first folder above `path` that a user may not enter; undefined if there is none. */
function closedFolder(path: string, { uid, gid }: RunAs): string | undefined {
  const parent = dirname(path);
  if (uid === 0 || parent === path) return undefined;
  const stats = statSync(parent, { throwIfNoEntry: false });
  // What does not exist closes nothing: that the package is missing is said elsewhere.
  if (!stats) return closedFolder(parent, { uid, gid });
  const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0;
  const mayEnter = ((stats.mode >> shift) & 1) === 1;
  return closedFolder(parent, { uid, gid }) ?? (mayEnter ? undefined : parent);
}

/** Why a user cannot run what is at `path`: it may not enter a folder above it. Undefined if it can. */
export function whyClosed(path: string, user: RunAs | undefined): string | undefined {
  const folder = user && closedFolder(path, user);
  if (folder === undefined) return undefined;
  return `the user that the module runs as may not enter ${quote(folder)}; change its mode, or set PLATFORM_HOME to another folder`;
}

function userNamed(name: string, passwd: string): RunAs | undefined {
  const line = readFileSync(passwd, 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined
    ? undefined
    : { uid: Number(uid), gid: Number(gid) };
}
