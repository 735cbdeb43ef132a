import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { MARK, runIdOf } from '../../src/agent/process/process-table.ts';

/** A program with the mark of a module's processes, until the end of the test. Returns its process id. */
export function programOf(home: string, mark: string): number {
  const child = spawn('sleep', ['600'], {
    env: { PATH: process.env['PATH'], [MARK]: `${runIdOf(realpathSync(home))}/${mark}` },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? 0;
}
