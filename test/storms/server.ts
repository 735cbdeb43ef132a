import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { scheduler } from 'node:timers/promises';
import { ROOT } from '../support/modreg.ts';

const MODREG = `${ROOT}bin/modreg`;

/** Starts `modreg registry serve` on the database at `path`. */
export async function startServer(
  path: string,
): Promise<{ readonly child: ChildProcess; readonly address: string }> {
  const child = spawnServer(path);
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
  const lines = child.stdout ? createInterface(child.stdout) : [];
  for await (const line of lines) return { child, address: line.replace('listening on ', '') };
  throw new Error(`the server of ${path} did not start: ${log}`);
}

/** Starts a server, and kills it after `ms` milliseconds: often before it has started. */
export async function killStarting(path: string, ms: number): Promise<void> {
  const child = spawnServer(path);
  await scheduler.wait(ms);
  await kill(child);
}

export async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
  child.kill('SIGKILL');
  await ended;
}

/** What `modreg registry verify` says about a damaged registry; undefined if it is intact. */
export function damageOf(path: string): string | undefined {
  const { status, stderr } = spawnSync(MODREG, ['registry', 'verify', '--db', path], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : stderr;
}

function spawnServer(path: string): ChildProcess {
  const args = ['registry', 'serve', '--db', path, '--port', '0'];
  return spawn(MODREG, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}
