import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { quote } from '../core/text/quote.ts';
import { translated } from '../sqlite/database.ts';
import type { MachineFile } from './machine-file.ts';

/** What follows the path of a file that was set aside, before its number. */
export const SET_ASIDE = '.set-aside-';

/**
 * Where a deployed version was recorded that the file has lost, in words: a file that was set aside, until it is removed, or a
 * damaged row. Undefined if nothing was lost.
 */
export function lostMemory({ path, sql }: Pick<MachineFile, 'path' | 'sql'>): string | undefined {
  const [folder, start] = [dirname(path), `${basename(path)}${SET_ASIDE}`];
  const names = translated(path, () => readdirSync(folder)).filter((name) =>
    name.startsWith(start),
  );
  const aside = names.find((name) => /^\d+$/.test(name.slice(start.length)));
  if (aside !== undefined) return quote(join(folder, aside));
  // Without an action it is not known what is deployed either (T90).
  const lost = sql.get(
    "SELECT 1 FROM damaged_rows WHERE row ->> '$.table' IN ('deployed', 'actions') LIMIT 1",
  );
  return lost && `a damaged row of ${quote(path)}`;
}
