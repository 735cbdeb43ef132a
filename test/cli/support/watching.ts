import { createInterface } from 'node:readline';
import { skippingClock, type TestClock } from '../../support/clock.ts';
import { startedHere } from '../../support/in-process.ts';
import { startedApart, type Started } from '../../support/modreg.ts';

/** A running `modreg watch`. */
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

/** A running `modreg watch` of this process, whose waits a test skips. */
export type WatchingHere = Watching & Pick<TestClock, 'skip'>;

/** Starts `modreg watch` in this process. In its output, `TIME` replaces each time of day, and `SOME` each duration. */
export function watchingHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): WatchingHere {
  const clock = skippingClock();
  return { ...outputOf(startedHere(watchOf(args), environment, clock)), skip: clock.skip };
}

/** Starts `bin/modreg watch` in the same way. */
export function watching(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Watching {
  return outputOf(startedApart(watchOf(args), environment));
}

function watchOf(args: readonly string[]): string[] {
  return ['watch', '--platform', 'linux/arm64', ...args];
}

function outputOf(started: Started): Watching {
  const lines = createInterface(started.stdout);
  const out = lines[Symbol.asyncIterator]();
  const err = createInterface(started.stderr)[Symbol.asyncIterator]();
  return {
    out: async () => await next(out),
    err: async () => await next(err),
    leave: () => {
      lines.close();
      started.stdout.destroy();
    },
    end: async (signal) => {
      if (signal) started.kill(signal);
      const [exit, stdout, stderr] = await Promise.all([started.ended, restOf(out), restOf(err)]);
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
