import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Result } from '../../core/text/result.ts';
import { excerpt } from '../../core/text/quote.ts';
import { whyNotRunnable } from './runnable.ts';
import { endGroup, killMarked, MARK } from './process-group.ts';
import { limitedLines, type OutputLine } from './output-lines.ts';
import type { RunAs } from './run-as.ts';

/** A program to start. */
export interface ProgramStart {
  /** Absolute. */
  readonly path: string;
  readonly arguments: readonly string[];
  /** Its working directory. */
  readonly folder: string;
  /** All of its variables, except the mark. */
  readonly environment: Readonly<Record<string, string>>;
  /** Undefined to run it as this process. */
  readonly runAs: RunAs | undefined;
  /** Marks its processes, and is unique among those that exist. */
  readonly mark: string;
  readonly onLine: (line: OutputLine) => void;
}

/** How a program ended. */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly by: NodeJS.Signals };

export interface RunningProgram {
  readonly pid: number;
  /** Resolves once the program itself has ended. */
  readonly ended: Promise<ProgramEnd>;
  /**
   * Ends its process group with SIGTERM, after `graceMs` with SIGKILL, and then kills what left the group. Resolves once
   * nothing is left.
   */
  readonly stop: (graceMs: number) => Promise<void>;
}

const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
/** Starts the program only if this process has not ended since: then no signal would come. */
const IF_PARENT_LIVES = '[ "$PPID" = "$0" ] || exit 1; exec "$@"';

/**
 * Starts a program in a process group and a session of its own. If this process ends, however it does, the program is
 * killed. The error says why it cannot be started.
 */
export async function launch(start: ProgramStart): Promise<Result<RunningProgram, string>> {
  const why = whyNotRunnable(start.path);
  if (why !== undefined) return { ok: false, error: why };
  const child = spawned(start);
  const { promise, resolve } = Promise.withResolvers<Result<RunningProgram, string>>();
  const ended = endOf(child);
  child.once('error', ({ message }) => resolve({ ok: false, error: excerpt(message) }));
  child.once('spawn', () => {
    // A child that was spawned has an id.
    const { pid = 0 } = child;
    resolve({ ok: true, value: { pid, ended, stop: stopOf(pid, start.mark) } });
  });
  limitedLines(child, start.onLine);
  return await promise;
}

function spawned({
  path,
  arguments: args,
  folder,
  environment,
  runAs,
  mark,
}: ProgramStart): ChildProcess {
  const command = [...privileges(runAs), '/bin/sh', '-c', IF_PARENT_LIVES, String(process.pid)];
  const [program = path, ...rest] = [...command, path, ...args];
  return spawn(program, rest, {
    cwd: folder,
    env: { ...environment, [MARK]: mark },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The command that sets the user and the signal, and then runs the rest of the line. */
function privileges(runAs: RunAs | undefined): string[] {
  if (SETPRIV === undefined) return [];
  const user = runAs ? [`--reuid=${runAs.uid}`, `--regid=${runAs.gid}`, '--init-groups'] : [];
  return [SETPRIV, ...user, '--pdeathsig=KILL', '--'];
}

function stopOf(pid: number, mark: string): RunningProgram['stop'] {
  return async (graceMs) => {
    await endGroup(pid, graceMs);
    await killMarked(mark);
  };
}

async function endOf(child: ChildProcess): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  child.once('exit', (code, by) => {
    resolve(by === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'killed', by });
  });
  return await promise;
}
