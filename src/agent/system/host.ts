import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';

/** What a test replaces of the machine. */
export interface SystemHost {
  /** What comes before the path of each managed file: empty on a machine. */
  readonly root: string;
  /** The folders in which programs are found, as in PATH. */
  readonly programs: string;
  /** Part of the name of the hotspot. */
  readonly hostName: string;
  /** Ends the programs that run. */
  readonly stopping?: AbortSignal;
}

export const THIS_MACHINE: SystemHost = {
  root: '',
  programs: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  hostName: hostname(),
};

/** No program of the system may take longer: nmcli hangs if NetworkManager does (A20). */
const DEADLINE_MS = 10_000;
const LONGEST_OUTPUT = 65_536;
const LONGEST_REASON = 160;

/**
 * Runs a program of the system, and returns what it prints, or why that is not known: in one line. After ten seconds it
 * is killed with all that it started, and not waited for.
 */
export async function runProgram(
  { programs, stopping }: SystemHost,
  [program, ...rest]: readonly [string, ...string[]],
): Promise<Result<string, string>> {
  const child = spawn(program, rest, {
    // Messages of programs are read, so they must not be translated.
    env: { PATH: programs, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      printed[stream] = (printed[stream] + text).slice(0, LONGEST_OUTPUT);
    });
  }
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const deadline = setTimeout(() => {
    resolve(`it took longer than ${describeDuration(DEADLINE_MS)}`);
  }, DEADLINE_MS);
  const onAbort = (): void => resolve('it was stopped');
  stopping?.addEventListener('abort', onAbort, { once: true });
  if (stopping?.aborted) onAbort();
  child.once('error', ({ message, code }: NodeJS.ErrnoException) => {
    resolve(code === 'ENOENT' ? 'it is not installed' : message);
  });
  child.once('close', (code, signal) => {
    const words = (printed.stderr || printed.stdout).trim().replaceAll(/\s+/g, ' ');
    const end = `it ended with ${signal ?? `exit code ${code}`}`;
    resolve(code === 0 ? undefined : words === '' ? end : excerpt(words, LONGEST_REASON));
  });
  const reason = await promise;
  clearTimeout(deadline);
  stopping?.removeEventListener('abort', onAbort);
  if (reason === undefined) return { ok: true, value: printed.stdout };
  killGroup(child.pid);
  child.stdout.destroy();
  child.stderr.destroy();
  return { ok: false, error: `${[program, ...rest].join(' ')}: ${reason}` };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
