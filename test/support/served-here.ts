import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { startedInProcess } from './in-process.ts';

/** A registry that `modreg registry serve` serves in this process. */
export interface ServedHere {
  /** Its first line without `listening on`. */
  readonly address: string;
  /** What it has logged. */
  readonly log: () => string;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | undefined>;
  /** Sends a signal to the server, and returns its exit code. */
  readonly end: (signal?: 'SIGINT' | 'SIGTERM') => Promise<number | undefined>;
}

/** Like `serve`, without the start of a Node. It ends with its test. */
export async function servedHere(db: string, ...options: readonly string[]): Promise<ServedHere> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let log = '';
  stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const args = ['registry', 'serve', '--db', db, '--port', '0', ...options];
  const env = { PATH: process.env['PATH'] };
  const { kill, ended } = startedInProcess(args, { stdout, stderr, env });
  const end: ServedHere['end'] = async (signal = 'SIGTERM') => {
    kill(signal);
    return await ended;
  };
  onTestFinished(async () => void (await end()));
  const [line] = (await once(createInterface(stdout), 'line')) as [string];
  return { address: line.replace('listening on ', ''), log: () => log, ended, end };
}
