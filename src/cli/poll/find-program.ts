import { join } from 'node:path';
import type { Result } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { whyNotRunnable } from '../../agent/process/runnable.ts';

/** The path of the program that `option` names: a path, or a name that is in a folder of `PATH`. */
export function findProgram(
  option: '--exec' | '--prepare',
  named: string,
  { environment }: World,
): Result<string, Problem> {
  const failed = (message: string, hint: string | undefined): Result<string, Problem> => {
    const problem = { severity: 'error', kind: 'unreadable-file', hint } as const;
    return { ok: false, error: { ...problem, message: `${option}: ${message}` } };
  };
  const searchPath = environment['PATH'] ?? '';
  const folders = searchPath.split(':');
  const paths = named.includes('/') ? [named] : folders.map((folder) => join(folder, named));
  const found = paths.find((path) => !whyNotRunnable(path, searchPath));
  if (found !== undefined && named !== '') return { ok: true, value: found };
  if (!named.includes('/')) {
    const hint = `a program in the current folder is ./${excerpt(named)}`;
    return failed(`${quote(named)} is not in a folder of PATH`, hint);
  }
  const why = whyNotRunnable(named, searchPath)?.reason ?? '';
  const hint = `chmod +x ${excerpt(named)} makes it executable`;
  const isHelped = why === 'it is not executable for this user';
  return failed(`${quote(named)} cannot be run: ${why}`, isHelped ? hint : undefined);
}
