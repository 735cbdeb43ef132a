import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { excerpt } from '../../../core/text/quote.ts';
import type { Result } from '../../../core/index.ts';
import { usage, type Problem } from '../../../base/problem.ts';
import type { World } from '../../../base/world.ts';

/** The system on which the service of the agent is installed. */
export interface SystemdHost {
  /** `/`, except in tests: the folder of `etc` and `run`. */
  readonly root: string;
  readonly uid: number | undefined;
  /** Runs a program with the environment of a service. Throws an Error with its output. */
  readonly run: (program: string, args: readonly string[]) => string;
}

/** What a service finds in its environment. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const LIMIT_MS = 5 * 60_000;

export const THIS_HOST: SystemdHost = {
  root: '/',
  uid: process.getuid?.(),
  run: (program, args) => {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const options = { encoding: 'utf8', env: { PATH }, timeout: LIMIT_MS } as const;
    return execFileSync(program, args, { ...options, stdio: [...stdio] });
  },
};

/** Why no service can be installed here or removed; undefined if it can. */
export function whyNoService(
  what: string,
  { root, uid }: SystemdHost,
  { platform }: World,
): Problem | undefined {
  if (!platform.startsWith('linux/')) {
    return usage(`modreg agent ${what} needs Linux, and this is ${excerpt(platform)}`);
  }
  if (!existsSync(join(root, 'run/systemd/system'))) {
    const hint = 'start modreg agent run <machine.json> with the service manager of this machine';
    return usage(`modreg agent ${what} needs systemd, which does not run here`, hint);
  }
  if (uid === 0) return undefined;
  return usage(`modreg agent ${what} changes the system: run it as root`);
}

/** Returns the result of `work`, or the problem of a program or a file that it could not use. */
export function trying<T>(what: string, work: () => T): Result<T, Problem> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    const { stderr, message, code } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === undefined && stderr === undefined) throw error;
    const lines = (stderr || message).trim().split('\n');
    const why = excerpt(lines.at(-1) ?? '');
    return {
      ok: false,
      error: { severity: 'error', kind: 'state-write', message: `${what}: ${why}` },
    };
  }
}
