import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { excerpt } from '../../core/text/quote.ts';
import { systemClock } from '../../registry/clock.ts';
import { eachLine } from '../../agent/process/output-lines.ts';
import { whyNotRunnable } from '../../agent/process/runnable.ts';

/** How a program ended. */
export type Ended =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly by: NodeJS.Signals }
  /** It runs on: it belongs to another user by now, and was to be killed. */
  | { readonly kind: 'left' }
  /** It could not be started, and why. */
  | { readonly kind: 'not-started'; readonly why: string };

/** A program to run. It is the leader of its own process group. */
export interface ProgramRun {
  /** A path, or a name to search in `PATH`. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The text on its stdin. */
  readonly input: string;
  /** Called with its process id, before it receives its input. */
  readonly onStart: (pid: number) => void;
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void;
  /** When it aborts, the process group gets SIGTERM, and after ten seconds SIGKILL. */
  readonly signal: AbortSignal;
  /** When it aborts, the process group gets SIGKILL. */
  readonly kill: AbortSignal;
  /** Called when it gets no signal: all of it runs as another user by now, as after `exec sudo` (T352). */
  readonly onRefused: () => void;
}

/** How long a program may take to end after SIGTERM. */
export const KILL_AFTER_MS = 10_000;
/** How long output may follow the end of a program. What it started may keep its output open for longer. */
const LAST_OUTPUT_MS = 250;

/** Runs a program until it ends. What it started in the background keeps running, and its output is still read. */
export async function runProgram(run: ProgramRun): Promise<Ended> {
  const { program, environment, input, onStart, onLine } = run;
  const why = whyNotRunnable(program, environment['PATH']);
  if (why) return { kind: 'not-started', why: why.reason };
  const child = spawn(program, [], { env: environment, detached: true, stdio: 'pipe' });
  const ended = endOf(child);
  const { pid } = child;
  if (pid === undefined) return await ended;
  onStart(pid);
  eachLine(child.stdout, (line) => onLine(line, 'stdout'));
  eachLine(child.stderr, (line) => onLine(line, 'stderr'));
  // A program need not read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const { left, stopKilling } = killingGroup(pid, run);
  const closed = once(child, 'close');
  const end = await Promise.race([ended, left]);
  stopKilling();
  if (end.kind === 'left') child.unref();
  await Promise.race([closed, systemClock.sleep(LAST_OUTPUT_MS)]);
  // What it left behind must not keep this process alive.
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
  return end;
}

async function endOf(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  child.on('error', ({ message }) => resolve({ kind: 'not-started', why: excerpt(message) }));
  child.once('exit', (code, by) => {
    resolve(by === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'killed', by });
  });
  return await promise;
}

/** Ends the process group when a signal aborts, until `stopKilling`. `left` resolves once it cannot be killed. */
function killingGroup(
  pid: number,
  { signal, kill, onRefused }: Pick<ProgramRun, 'signal' | 'kill' | 'onRefused'>,
): { readonly left: Promise<Ended>; readonly stopKilling: () => void } {
  const { promise: left, resolve } = Promise.withResolvers<Ended>();
  let killing: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (!signalGroup(pid, 'SIGKILL')) resolve({ kind: 'left' });
  };
  const ask = (): void => {
    if (!signalGroup(pid, 'SIGTERM')) onRefused();
    else killing = setTimeout(signalGroup, KILL_AFTER_MS, pid, 'SIGKILL');
  };
  const actions = [
    [signal, ask],
    [kill, end],
  ] as const;
  for (const [on, act] of actions) {
    if (on.aborted) act();
    else on.addEventListener('abort', act, { once: true });
  }
  const stopKilling = (): void => {
    for (const [on, act] of actions) on.removeEventListener('abort', act);
    clearTimeout(killing);
  };
  return { left, stopKilling };
}

/** Returns false if no process of the group takes signals of this user. */
function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPERM') return false;
    // It has ended already.
    if (code === 'ESRCH') return true;
    throw error;
  }
}
