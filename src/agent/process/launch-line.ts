import { execFile } from 'node:child_process';
import type { SpawnOptions } from 'node:child_process';
import type { OpenFiles } from './open-files.ts';
import type { RunAs } from './run-as.ts';

/** A program and its arguments. */
type Line = readonly [string, ...string[]];

const SHELL = '/bin/sh';
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'];
const KILLED_WITH_PARENT = ['--pdeathsig', 'KILL'] as const;

/** Joins a cgroup before anything else can happen. If it is gone, the program runs without it. */
const JOIN = 'echo 0 2>/dev/null >"$0"; exec "$@"';
/** What a shell accepts as the name of a variable, as the config does. It drops others that it inherits, too. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * What the last shell, which is no longer root, reads from its stdin: the environment of the program, so that no loader,
 * shell or tool that still is root gets any of it (T271), and no list of processes shows it. It ends if the agent has ended
 * before the kernel knew what to do then. The shell's own variables are no part of the environment.
 */
export function startScript(
  environment: Readonly<Record<string, string>>,
  openFiles?: OpenFiles,
): string {
  const variables = Object.entries(environment).filter(([name]) => NAME.test(name));
  return [
    `[ "$PPID" = ${process.pid} ] || exit 1`,
    ...(openFiles === undefined ? [] : [`ulimit -Sn ${openFiles} 2>/dev/null`]),
    'unset PWD OLDPWD SHLVL',
    // A shell keeps few variables for itself, and goes on after "command".
    ...variables.map(([name, value]) => `command export ${name}=${quoted(value)}`),
    'exec "$@" </dev/null',
    '',
  ].join('\n');
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}

/** What a program is started with. */
interface StartTerms {
  readonly runAs: RunAs | undefined;
  /** The file with the members of its cgroup. */
  readonly cgroup: string | undefined;
  readonly noNewPrivs: boolean;
}

/** How programs are started on this machine. */
export interface LaunchLine {
  /** Whether the kernel kills a program when the agent ends, however that happens, and can refuse it new privileges. */
  readonly isKilledWithParent: boolean;
  /** The line that starts `program`, once its stdin has the `startScript`. */
  readonly of: (
    program: Line,
    terms: StartTerms,
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
    of: (program, { runAs, cgroup, noNewPrivs }) => {
      const user = runAs
        ? [`--reuid=${runAs.uid}`, `--regid=${runAs.gid}`, `--groups=${runAs.groups.join(',')}`]
        : [];
      const options = [...user, ...(noNewPrivs ? ['--no-new-privs'] : []), ...KILLED_WITH_PARENT];
      const line: Line = [setpriv, ...options, '--', ...withScript(program)];
      return { line: joining(cgroup, line), options: {} };
    },
  };
}

/** Node sets the user as well, without the groups that it is a member of. */
const WITHOUT_SETPRIV: LaunchLine = {
  isKilledWithParent: false,
  of: (program, { runAs, cgroup }) => ({
    line: joining(cgroup, withScript(program)),
    options: runAs ? { uid: runAs.uid, gid: runAs.gid } : {},
  }),
};

function withScript(program: Line): Line {
  return [SHELL, '-s', '--', ...program];
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
