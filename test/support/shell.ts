import { spawnSync } from 'node:child_process';
import { ROOT } from './modreg.ts';

/** Runs a line of sh in the project folder, and returns its stdout. */
export function sh(script: string, environment: Readonly<Record<string, string>> = {}): string {
  const env = { PATH: process.env['PATH'], ...environment };
  const { stdout } = spawnSync('sh', ['-c', script], {
    cwd: ROOT,
    encoding: 'utf8',
    env,
    // Without stdin, because a pipe without a writer would block the script.
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
  });
  return stdout;
}
