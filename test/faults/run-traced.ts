import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ROOT } from '../support/modreg.ts';
import { straceArguments, type InjectedFault } from './injected-fault.ts';

/** How a process has ended. */
export interface Ended {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** A fault, if there is one, and where strace logs the calls on `paths`. */
export interface Traced {
  readonly fault: InjectedFault | undefined;
  readonly paths: readonly string[];
  readonly log: string;
}

/** A process that takes longer hangs. */
const LONGEST = '180';

/** Whether strace is installed, and this process may use it. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;
}

/** Runs a command; under strace if `traced` is given. */
export async function runTraced(
  command: readonly string[],
  traced: Traced | undefined,
): Promise<Ended> {
  if (!traced) return await run(command);
  return await runRecorded(straceArguments(traced.fault, traced), command);
}

/** Runs a command under strace with these arguments. */
export async function runRecorded(
  strace: readonly string[],
  command: readonly string[],
): Promise<Ended> {
  return await run(['strace', ...strace, ...command]);
}

async function run(command: readonly string[]): Promise<Ended> {
  // strace ends with its process, but not the other way round.
  const child = spawn('timeout', ['--signal=KILL', LONGEST, ...command], {
    env: {
      PATH: `${ROOT}node_modules/.bin:${process.env['PATH']}`,
      // A program that is compiled already starts faster.
      NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/faults`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  const [stderr, [exit, signal]] = await Promise.all([text(child.stderr), ended]);
  return { exit, signal, stderr };
}
