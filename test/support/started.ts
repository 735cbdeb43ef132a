import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/registries/index.ts';
import { printed } from './command.ts';
import { NO_CHANCE, ROOT } from './modreg.ts';

/** A command that goes on until it gets a signal. */
export interface Started {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** In this process, SIGINT and SIGTERM. */
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Closes the reading end of its stdout. */
  readonly leave: () => void;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
}

/** Variables besides PATH. */
type Variables = Readonly<Record<string, string>>;

/** Starts a command in this process. Its random numbers are 0, so a poller begins its first round at once. It is ended with the test. */
export function startedHere(
  args: readonly string[],
  environment: Variables,
  clock: Clock,
): Started {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const signals: ('SIGINT' | 'SIGTERM')[] = [];
  const listeners: (() => void)[] = [];
  const left = Promise.withResolvers<void>();
  const kill: Started['kill'] = (signal) => {
    if (signal !== 'SIGINT' && signal !== 'SIGTERM')
      throw new Error(`a test cannot survive ${signal}`);
    signals.push(signal);
    for (const listener of listeners) listener();
  };
  const running = printed(args, {
    environment: { PATH: process.env['PATH'], ...environment },
    clock: () => clock.now(),
    timer: clock,
    print: (line) => stdout.write(`${line}\n`),
    note: (line) => stderr.write(`${line}\n`),
    log: (stream, line) => (stream === 'stdout' ? stdout : stderr).write(`${line}\n`),
    untilStdoutCloses: async () => await left.promise,
    untilSignal: async (nth = 1) => {
      const { promise, resolve } = Promise.withResolvers<'SIGINT' | 'SIGTERM'>();
      listeners.push(() => {
        const name = signals[nth - 1];
        if (name) resolve(name);
      });
      return await promise;
    },
  });
  const ended = running.then((last) => {
    stdout.end(last.stdout.map((line) => `${line}\n`).join(''));
    stderr.end(last.stderr.map((line) => `${line}\n`).join(''));
    return last.exit;
  });
  onTestFinished(async () => {
    kill('SIGTERM');
    kill('SIGTERM');
    await ended;
  });
  return { stdout, stderr, kill, leave: left.resolve, ended };
}

/** Starts `bin/modreg`, whose random numbers are 0 as well. It is killed with the test. */
export function startedApart(args: readonly string[], environment: Variables): Started {
  const child = spawn(`${ROOT}bin/modreg`, args, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], NODE_OPTIONS: NO_CHANCE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    kill: (signal) => void child.kill(signal),
    leave: () => void child.stdout.destroy(),
    ended: closed.then(([exit]) => exit),
  };
}
