import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Result } from '../../core/text/result.ts';
import { quote } from '../../core/text/quote.ts';
import { userNamed, usersBelow, type RunAs, type UserSources } from './system-user.ts';

export type { RunAs } from './system-user.ts';

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
    sources = usersBelow('/'),
  }: { readonly uid?: number; readonly sources?: UserSources } = {},
): Result<RunAs | undefined, string> {
  const isRoot = uid === 0;
  if (named === undefined && !isRoot) return { ok: true, value: undefined };
  const name = named ?? DEFAULT_USER;
  const user = userNamed(name, sources);
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
function closedFolder(path: string, user: RunAs): string | undefined {
  const { uid, groups } = user;
  const parent = dirname(path);
  if (uid === 0 || parent === path) return undefined;
  const stats = statSync(parent, { throwIfNoEntry: false });
  // What does not exist closes nothing: that the package is missing is said elsewhere.
  if (!stats) return closedFolder(parent, user);
  const shift = stats.uid === uid ? 6 : groups.includes(stats.gid) ? 3 : 0;
  const mayEnter = ((stats.mode >> shift) & 1) === 1;
  return closedFolder(parent, user) ?? (mayEnter ? undefined : parent);
}

/** Why a user cannot run what is at `path`: it may not enter a folder above it. Undefined if it can. */
export function whyClosed(path: string, user: RunAs | undefined): string | undefined {
  const folder = user && closedFolder(path, user);
  if (folder === undefined) return undefined;
  return `the user that the module runs as may not enter ${quote(folder)}; change its mode, or set PLATFORM_HOME to another folder`;
}
