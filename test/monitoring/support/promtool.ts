import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { ROOT } from '../../support/modreg.ts';
import { needs } from '../../support/prerequisite.ts';

export const EXAMPLES = join(ROOT, 'examples/monitoring');
export const RULES = join(EXAMPLES, 'modreg.rules.yml');

const PROMTOOL = process.env['MODREG_PROMTOOL'] ?? 'promtool';

/** Runs promtool. Returns its exit code, and what it prints if that is not 0. */
export function promtool(
  context: TestContext,
  ...args: readonly string[]
): [number | null, string] {
  const { error, status, stdout, stderr } = spawnSync(PROMTOOL, args, { encoding: 'utf8' });
  const missing =
    'no promtool: apt-get download prometheus, dpkg -x, and set MODREG_PROMTOOL to its path';
  needs(context, error === undefined, missing);
  return [status, status === 0 ? '' : `${stdout}${stderr}`];
}
