import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Result } from '../../core/text/result.ts';
import { follow, type Followed } from './followed.ts';
import { AGENT_ID, guardPrograms } from './guard.ts';
import { launchLine, startScript, type LaunchLine } from './launch-line.ts';
import type { OpenFiles } from './open-files.ts';
import { outputPipes, type OutputPipes } from './output-pipes.ts';
import type { ProgramEnd } from './program-end.ts';
import { agentLine, programOutput, type OutputLine } from './program-output.ts';
import { isRunning, MARK } from './process-table.ts';
import { programCgroup, type ProgramCgroup } from './cgroup.ts';
import type { RunAs } from './run-as.ts';
import { whyNotPassed, whyNotSpawned } from './passed.ts';
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
  /** How many files it may have open at first; undefined for what this process may. */
  readonly openFiles?: OpenFiles | undefined;
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

/**
 * Starts a program in a process group and a session of its own. If this process ends, however it does, the program and
 * what it started are killed. Call it on the main thread: the kernel kills the program when the calling thread ends.
 */
export async function launch(start: ProgramStart): Promise<Result<RunningProgram, LaunchFailure>> {
  const { path, environment, mark, cgroups, onLine } = start;
  const why = whyNotRunnable(path, environment['PATH'], start.folder) ?? whyNotPassed(start);
  if (why) return { ok: false, error: why };
  const line = await launchLine();
  if (start.noNewPrivs === true && !line.isKilledWithParent)
    return { ok: false, error: LACKS_SETPRIV };
  noteFallback(line, onLine);
  guardPrograms();
  const pipes = await outputPipes(start.runAs);
  const cgroup = cgroups === undefined ? undefined : programCgroup(cgroups, mark);
  try {
    const child = await spawned(start, line, { cgroup, pipes });
    return { ok: true, value: running(child, start, { cgroup, pipes }) };
  } catch (error) {
    pipes?.stdout.destroy();
    pipes?.stderr.destroy();
    await cgroup?.remove();
    return { ok: false, error: { blame: 'machine', reason: whyNotSpawned(error, start) } };
  } finally {
    pipes?.closeEnds();
  }
}

/** What a program gets besides its line. */
interface Outfit {
  readonly cgroup: ProgramCgroup | undefined;
  readonly pipes: OutputPipes | undefined;
}

function running(
  child: ChildProcess,
  { mark, onLine }: ProgramStart,
  { cgroup, pipes }: Outfit,
): RunningProgram {
  // A child that was spawned has an id.
  const { pid = 0 } = child;
  const family = follow(pid, mark);
  const isAlive = (): boolean =>
    child.exitCode === null && child.signalCode === null && isRunning(pid);
  // Without pipes of ours, Node has created these.
  const streams = pipes ?? { stdout: child.stdout as Readable, stderr: child.stderr as Readable };
  let isStopped = false;
  const ended = endOf(child, { cgroup, family, streams, isStopped: () => isStopped });
  const end = stopping({ pid, mark, family, ended, isAlive, cgroup, onLine });
  programOutput(streams, onLine);
  const stop = async (graceMs: number): Promise<StopResult> => {
    isStopped = true;
    return await end(graceMs);
  };
  return { pid, cgroup: cgroup?.folder, ended, isAlive, stop };
}

const LACKS_SETPRIV = {
  blame: 'machine',
  reason:
    'the policy says no_new_privs, which needs setpriv of util-linux; install it, or remove no_new_privs',
} as const;

/** Rejects if the system does not start it. */
async function spawned(
  {
    path,
    arguments: args,
    folder,
    environment,
    runAs,
    noNewPrivs = false,
    mark,
    openFiles,
  }: ProgramStart,
  launcher: LaunchLine,
  { cgroup, pipes }: Outfit,
): Promise<ChildProcess> {
  const { line, options } = launcher.of([path, ...args], {
    runAs,
    noNewPrivs,
    cgroup: cgroup?.members,
  });
  const [program, ...rest] = line;
  const marked = { [MARK]: mark + AGENT_ID };
  const [stdout, stderr] = pipes?.ends ?? (['pipe', 'pipe'] as const);
  const child = spawn(program, rest, {
    ...options,
    cwd: folder,
    // It may still be root, and gets nothing of the module's (T271).
    env: marked,
    detached: true,
    stdio: ['pipe', stdout, stderr],
  });
  // One that ends before it has read all says why by its end.
  child.stdin
    ?.on('error', () => undefined)
    .end(startScript({ ...environment, ...marked }, openFiles));
  await once(child, 'spawn');
  return child;
}

/** How a program ended, once what it wrote last was read: at most so long after its end, because others may hold its output open. */
const LAST_OUTPUT_MS = 50;

async function endOf(
  child: ChildProcess,
  {
    cgroup,
    family,
    streams,
    isStopped,
  }: Pick<Outfit, 'cgroup'> & {
    readonly family: Followed;
    readonly isStopped: () => boolean;
    readonly streams: Readonly<Record<'stdout' | 'stderr', Readable>>;
  },
): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  const closed = Promise.all(
    [streams.stdout, streams.stderr].map(async (one) => await once(one, 'close')),
  );
  child.once('exit', (code, by) => {
    // While it was there, its session had no other members than its own.
    const left = family.look().length;
    // A process that was between two programs had no mark (T351).
    const isSure = code !== 0 || left > 0 || isStopped();
    const end = (): ProgramEnd =>
      by === null
        ? { kind: 'exited', code: code ?? 0, left: isSure ? left : family.look().length }
        : { kind: 'killed', by, isOutOfMemory: cgroup?.wasOutOfMemory() };
    const late = setTimeout(() => resolve(end()), LAST_OUTPUT_MS);
    if (!isSure) return;
    void closed.finally(() => {
      clearTimeout(late);
      resolve(end());
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
