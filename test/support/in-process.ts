import { EventEmitter } from 'node:events';
import { PassThrough, type Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { run } from '../../src/cli/main.ts';
import { systemClock, type Clock } from '../../src/registries/index.ts';
import type { Ended, Started } from './modreg.ts';

/** What surrounds a command: by default no variables of the environment, and streams that are no terminals. */
export interface Surroundings {
  readonly env?: object;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
  readonly platform?: string;
  readonly arch?: string;
  /** The machine's by default. */
  readonly clock?: Clock;
  /** Called when the command ends its process. */
  readonly exit?: () => void;
}

/** A command that runs as a process of its own would. */
interface Running {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Sends a signal to the command alone. */
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves with the exit code when the command has ended. */
  readonly ended: Promise<number | undefined>;
}

/** A stream that is no terminal. */
function stream(): PassThrough {
  return Object.assign(new PassThrough(), { isTTY: false });
}

/**
 * Runs modreg in this process as the process whose arguments these are. Its random numbers are 0, so a poller begins its first
 * round at once.
 */
export function startedInProcess(
  args: readonly string[],
  {
    stdout = stream(),
    stderr = stream(),
    env = {},
    clock = systemClock,
    ...own
  }: Surroundings = {},
): Running {
  const running = Object.assign(new EventEmitter(), {
    argv: ['node', 'modreg', ...args],
    env,
    platform: process.platform,
    arch: process.arch,
    exit: () => undefined,
    ...own,
    stdout,
    stderr,
    exitCode: undefined as number | undefined,
  });
  const end = async (): Promise<number | undefined> => {
    // A cast: modreg reads only these fields of a process.
    const process = running as unknown as NodeJS.Process;
    await run(process, { clock: () => clock.now(), timer: clock, random: () => 0 });
    // Errors of a stream are events of the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    stdout.end();
    stderr.end();
    return running.exitCode;
  };
  return { stdout, stderr, kill: (signal) => void running.emit(signal, signal), ended: end() };
}

/** Starts a command in this process that goes on until it gets a signal. It is ended with the test. */
export function startedHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  clock: Clock = systemClock,
): Started {
  const [stdout, stderr] = [stream(), stream()];
  const env = { PATH: process.env['PATH'], ...environment };
  const running = startedInProcess(args, { stdout, stderr, env, clock });
  const ended = running.ended.then((exit) => exit ?? null);
  onTestFinished(async () => {
    // The second one does not wait for programs.
    running.kill('SIGTERM');
    running.kill('SIGTERM');
    await ended;
  });
  return { stdout, stderr, kill: running.kill, ended };
}

/** Like `runModreg`, without the start of a Node: all of `bin/modreg` but its launcher and the bundle. */
export async function inProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { isPatient = true }: { readonly isPatient?: boolean } = {},
): Promise<Ended> {
  const { stdout, stderr, ended } = startedInProcess(args, {
    env: { PATH: process.env['PATH'], ...environment },
  });
  const exit = (await ended) ?? null;
  const said = textOf(stderr);
  return {
    stdout: textOf(stdout),
    stderr: isPatient ? said.replaceAll(/^waiting: .*\n/gm, '') : said,
    exit,
  };
}

/** What was written and not read; nothing for a stream that is broken. */
export function textOf(written: Writable): string {
  if (!(written instanceof PassThrough)) return '';
  let text = '';
  // Node 24 returns all of it at once, and Node 26 chunk by chunk.
  for (;;) {
    // A cast: `read` of a stream of bytes without a size returns bytes, or null.
    const bytes = written.read() as Buffer | null;
    if (bytes === null) return text;
    text += bytes.toString();
  }
}
