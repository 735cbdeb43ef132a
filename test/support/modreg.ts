import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | null;
}

/** Runs `bin/modreg` as a process of its own, with nothing in its environment but `environment`. */
export function modreg(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Ended {
  const { stdout, stderr, status } = spawnSync(`${ROOT}bin/modreg`, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...environment },
    timeout: 20_000,
  });
  return { stdout, stderr, exit: status };
}
