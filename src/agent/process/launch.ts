import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { excerpt } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import { AGENT_ID, guardPrograms } from './guard.ts';
import { launchLine, startScript, type LaunchLine } from './launch-line.ts';
import type { ProgramEnd } from './program-end.ts';
import { agentLine, programOutput, type OutputLine } from './program-output.ts';
import { isRunning, MARK } from './process-table.ts';
import { programCgroup, type ProgramCgroup } from './cgroup.ts';
import type { RunAs } from './run-as.ts';
import { whyNotRunnable, type LaunchFailure } from './runnable.ts';
import { stopping, type StopResult } from './stop.ts';

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
  /** Whether neither it nor what it starts gets more privileges than its user has (D60). */
  readonly noNewPrivs?: boolean;
  /** Marks its processes. Unique among those that exist, and ends with a slash. */
  readonly mark: string;
  /** The cgroup below which it gets its own, from `delegatedCgroup`. */
  readonly cgroups?: string | undefined;
  readonly onLine: (line: OutputLine) => void;
}

/** A program that was started. */
export interface RunningProgram {
  readonly pid: number;
  /** The folder of its cgroup; undefined if it has none of its own. */
  readonly cgroup: string | undefined;
  /** Resolves once the program itself has ended, and what it wrote last was read. */
  readonly ended: Promise<ProgramEnd>;
  /** Whether the program itself runs. It may have ended although `ended` has not resolved yet. */
  readonly isAlive: () => boolean;
  /**
   * Ends its process group with SIGTERM, after `graceMs` with SIGKILL, and kills what left the group. If the program has
   * ended by itself, kills what it left behind. Resolves once nothing is left. May be called again, with a shorter time.
   */
  readonly stop: (graceMs: number) => Promise<StopResult>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Starts a program in a process group and a session of its own. If this process ends, however it does, the program and
 * what it started are killed. Call it on the main thread: the kernel kills the program when the calling thread ends.
 */
export async function launch(start: ProgramStart): Promise<Result<RunningProgram, LaunchFailure>> {
  const { path, environment, mark, cgroups, onLine } = start;
  const why = whyNotRunnable(path, environment['PATH']) ?? whyNotPassed(environment);
  if (why) return { ok: false, error: why };
  const line = await launchLine();
  if (start.noNewPrivs === true && !line.isKilledWithParent)
    return { ok: false, error: LACKS_SETPRIV };
  noteFallback(line, onLine);
  guardPrograms();
  const cgroup = cgroups === undefined ? undefined : programCgroup(cgroups, mark);
  const child = spawned(start, line, cgroup);
  const ended = endOf(child, cgroup);
  const { promise, resolve } = Promise.withResolvers<Result<RunningProgram, LaunchFailure>>();
  child.once('error', ({ message }) => {
    resolve({ ok: false, error: { blame: 'machine', reason: excerpt(message) } });
  });
  child.once('spawn', () => {
    // A child that was spawned has an id.
    const { pid = 0 } = child;
    const isAlive = (): boolean =>
      child.exitCode === null && child.signalCode === null && isRunning(pid);
    const stop = stopping({ pid, mark, ended, isAlive, cgroup, onLine });
    resolve({ ok: true, value: { pid, cgroup: cgroup?.folder, ended, isAlive, stop } });
  });
  programOutput(child, onLine);
  return await promise;
}

const LACKS_SETPRIV = {
  blame: 'machine',
  reason:
    'the policy says no_new_privs, which needs setpriv of util-linux; install it, or remove no_new_privs',
} as const;

/** The kernel passes on no variable that is longer. The shell would say so as if the program had ended (T271). */
const LONGEST_VARIABLE = 131_071;

function whyNotPassed(environment: ProgramStart['environment']): LaunchFailure | undefined {
  for (const [name, value] of Object.entries(environment)) {
    const bytes = Buffer.byteLength(`${name}=${value}`);
    if (bytes <= LONGEST_VARIABLE) continue;
    const reason = `the variable ${name} has ${bytes} bytes with its name, expected at most ${LONGEST_VARIABLE}`;
    return { blame: 'machine', reason };
  }
  return undefined;
}

function spawned(
  { path, arguments: args, folder, environment, runAs, noNewPrivs = false, mark }: ProgramStart,
  launcher: LaunchLine,
  cgroup: ProgramCgroup | undefined,
): Child {
  const { line, options } = launcher.of([path, ...args], {
    runAs,
    noNewPrivs,
    cgroup: cgroup?.members,
  });
  const [program, ...rest] = line;
  const marked = { [MARK]: mark + AGENT_ID };
  const child = spawn(program, rest, {
    ...options,
    cwd: folder,
    // It may still be root, and gets nothing of the module's (T271).
    env: marked,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // One that ends before it has read all says why by its end.
  child.stdin.on('error', () => undefined).end(startScript({ ...environment, ...marked }));
  return child;
}

/** How a program ended, once what it wrote last was read: at most so long after its end, because others may hold its output open. */
const LAST_OUTPUT_MS = 50;

async function endOf(child: Child, cgroup: ProgramCgroup | undefined): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  child.once('exit', (code, by) => {
    const end: ProgramEnd =
      by === null
        ? { kind: 'exited', code: code ?? 0 }
        : { kind: 'killed', by, isOutOfMemory: cgroup?.wasOutOfMemory() };
    const late = setTimeout(resolve, LAST_OUTPUT_MS, end);
    child.once('close', () => {
      clearTimeout(late);
      resolve(end);
    });
  });
  return await promise;
}

let isNoted = false;

function noteFallback({ isKilledWithParent }: LaunchLine, onLine: ProgramStart['onLine']): void {
  if (isKilledWithParent || isNoted) return;
  isNoted = true;
  onLine(
    agentLine(
      'setpriv of util-linux was not found: programs are not killed by the kernel when the agent ends, only by the shell that waits for that; users other than the agent get no supplementary groups',
    ),
  );
}
