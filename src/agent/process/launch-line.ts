import { execFile } from 'node:child_process';
import type { SpawnOptions } from 'node:child_process';
import type { RunAs } from './run-as.ts';

/** A program and its arguments. */
type Line = readonly [string, ...string[]];

const SHELL = '/bin/sh';
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'];
const KILLED_WITH_PARENT = ['--pdeathsig', 'KILL'] as const;

/** Joins a cgroup before anything else can happen. If it is gone, the program runs without it. */
const JOIN = 'echo 0 2>/dev/null >"$0"; exec "$@"';
/** Ends if the agent has ended before the kernel knew what to do then. The shell's own variables are no part of the environment. */
const WITH_PARENT = '[ "$PPID" = "$0" ] || exit 1; unset PWD OLDPWD SHLVL; exec "$@"';

/** How programs are started on this machine. */
export interface LaunchLine {
  /** Whether the kernel kills a program when the agent ends, however that happens. */
  readonly isKilledWithParent: boolean;
  /** The line that starts `program` as `runAs`, in the cgroup of which `cgroup` has the members. */
  readonly of: (
    program: Line,
    terms: { readonly runAs: RunAs | undefined; readonly cgroup: string | undefined },
  ) => { readonly line: Line; readonly options: Pick<SpawnOptions, 'uid' | 'gid'> };
}

let found: Promise<LaunchLine> | undefined;

/** Looks once for the tools of this machine. */
export async function launchLine(): Promise<LaunchLine> {
  found ??= lineWith(SETPRIV);
  return await found;
}

async function lineWith([setpriv, ...others]: readonly string[]): Promise<LaunchLine> {
  if (setpriv === undefined) return WITHOUT_SETPRIV;
  // The one of BusyBox knows neither option.
  if (!(await succeeds([setpriv, ...KILLED_WITH_PARENT, '--', SHELL, '-c', ':']))) {
    return await lineWith(others);
  }
  return {
    isKilledWithParent: true,
    of: (program, { runAs, cgroup }) => {
      const user = runAs ? [`--reuid=${runAs.uid}`, `--regid=${runAs.gid}`, '--init-groups'] : [];
      const line: Line = [setpriv, ...user, ...KILLED_WITH_PARENT, '--', ...withParent(program)];
      return { line: joining(cgroup, line), options: {} };
    },
  };
}

/** Node sets the user as well, without the groups that it is a member of. */
const WITHOUT_SETPRIV: LaunchLine = {
  isKilledWithParent: false,
  of: (program, { runAs, cgroup }) => ({
    line: joining(cgroup, withParent(program)),
    options: runAs ?? {},
  }),
};

function withParent(program: Line): Line {
  return [SHELL, '-c', WITH_PARENT, String(process.pid), ...program];
}

function joining(cgroup: string | undefined, line: Line): Line {
  return cgroup === undefined ? line : [SHELL, '-c', JOIN, cgroup, ...line];
}

/** Whether a program ends with exit code 0. */
async function succeeds([program, ...args]: Line): Promise<boolean> {
  return await new Promise((resolve) => {
    execFile(program, args, { env: {}, cwd: '/' }, (error) => resolve(error === null));
  });
}
