import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { ROOT } from './modreg.ts';

/** A server in a separate process, its address and its log. */
export async function serve(
  db: string,
  ...options: readonly string[]
): Promise<{ child: ChildProcess; address: string; log: () => string }> {
  const args = ['registry', 'serve', '--db', db, '--port', '0', ...options];
  const env = { PATH: process.env['PATH'] };
  const child = spawn(`${ROOT}bin/modreg`, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, address: line.replace('listening on ', ''), log: () => log };
}
