import { spawnSync } from 'node:child_process';
import type { TestContext } from 'vitest';
import { LONGEST_MS, ROOT } from './modreg.ts';
import { needs } from './prerequisite.ts';

type Environment = Readonly<Record<string, string>>;

/** Runs a line of sh in the project folder, and returns its stdout. */
export function sh(script: string, environment: Environment = {}): string {
  return outputOf(['sh', '-c', script], environment);
}

/** Runs steps of sh that may mount file systems, which only they see, until one fails. Returns their stdout. */
export function shWithMounts(
  context: TestContext,
  steps: readonly string[],
  environment: Environment = {},
): string {
  const mayMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  needs(context, mayMount.status === 0, 'this process may not mount file systems (unshare -rm)');
  return outputOf(['unshare', '-rm', 'sh', '-c', steps.join(' && ')], environment);
}

function outputOf([command, ...args]: [string, ...string[]], environment: Environment): string {
  const { stdout, error } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...environment },
    // Without stdin, because a pipe without a writer would block the script.
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
  });
  if (error) throw error;
  return stdout;
}
