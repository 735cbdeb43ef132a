import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { ROOT } from '../../support/modreg.ts';

/** A running `modreg watch` process. */
export interface Watching {
  /** The next line of stdout. */
  readonly out: () => Promise<string>;
  /** The next line of stderr. */
  readonly err: () => Promise<string>;
  /** Closes the reading end of its stdout. */
  readonly leave: () => void;
  /** Sends `signal` if given, and returns the remaining output and the exit code. */
  readonly end: (signal?: NodeJS.Signals) => Promise<Ended>;
}

interface Ended {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly exit: number | null;
}

/** Starts `modreg watch`. In its output, `TIME` replaces each time of day, and `SOME` each duration. */
export function watching(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Watching {
  const child = spawn(`${ROOT}bin/modreg`, ['watch', '--platform', 'linux/arm64', ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close') as Promise<[number | null]>;
  const lines = createInterface(child.stdout);
  const out = lines[Symbol.asyncIterator]();
  const err = createInterface(child.stderr)[Symbol.asyncIterator]();
  return {
    out: async () => await next(out),
    err: async () => await next(err),
    leave: () => {
      lines.close();
      child.stdout.destroy();
    },
    end: async (signal) => {
      if (signal) child.kill(signal);
      const [[exit], stdout, stderr] = await Promise.all([closed, restOf(out), restOf(err)]);
      return { stdout, stderr, exit };
    },
  };
}

async function next(lines: AsyncIterator<string>): Promise<string> {
  const line = await lines.next();
  return line.done === true ? 'the process ended' : timeless(line.value);
}

async function restOf(lines: AsyncIterator<string>): Promise<string[]> {
  const rest: string[] = [];
  for (;;) {
    const line = await lines.next();
    if (line.done === true) return rest;
    rest.push(timeless(line.value));
  }
}

function timeless(line: string): string {
  return line
    .replace(/^\d\d:\d\d:\d\dZ/, 'TIME')
    .replace(
      /(?<=stopped after |published |again after |next attempt in )\d+ (?:s|min(?: \d+ s)?)/,
      'SOME',
    );
}
