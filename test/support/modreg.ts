import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished, TestRunner } from 'vitest';
import { SLOWNESS } from './slowness.ts';

/** The folder of the project. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

/** `NODE_OPTIONS` of a program whose random numbers are 0: a poller begins its first round at once. */
export const NO_CHANCE = '--import=data:text/javascript,Math.random=()=>0';

/** Longer than any command takes beside other work. A test that waits for one without a promise cannot abort it. */
export const LONGEST_MS: number = 50_000 * SLOWNESS;

/** What a command printed, and its exit code. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | null;
}

/** Runs `bin/modreg` with no environment variables except PATH and `environment`. */
export function modreg(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Ended {
  const { stdout, stderr, status } = spawnSync(`${ROOT}bin/modreg`, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...environment },
    timeout: LONGEST_MS,
  });
  return { stdout, stderr, exit: status };
}

/**
 * Like `modreg`, but asynchronous, so that this process can answer its requests. If `isPatient`, `stderr` has no
 * lines that say for what it waits: on a busy machine each answer may take longer than a second. `input` is its stdin.
 */
export async function runModreg(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { isPatient = true, input = '' }: { readonly isPatient?: boolean; readonly input?: string } = {},
): Promise<Ended> {
  const child = spawn(`${ROOT}bin/modreg`, args, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
    // It ends with its test, also if that runs into its time limit.
    signal: TestRunner.getCurrentTest()?.context.signal,
    killSignal: 'SIGKILL',
  });
  // One that ends before it has read it is no fault of a test.
  child.stdin.on('error', () => undefined).end(input);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr, [exit]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  return { stdout, stderr: isPatient ? stderr.replaceAll(/^waiting: .*\n/gm, '') : stderr, exit };
}

/** A command that goes on until it gets a signal. */
export interface Started {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Sends a signal to the command alone. */
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts `bin/modreg`, whose random numbers are 0. It is killed with the test. */
export function startedApart(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd: string = ROOT,
): Started {
  const child = spawn(`${ROOT}bin/modreg`, args, {
    cwd,
    env: { PATH: process.env['PATH'], NODE_OPTIONS: NO_CHANCE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    kill: (signal) => void child.kill(signal),
    ended: closed.then(([exit]) => exit),
  };
}
