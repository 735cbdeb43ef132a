/*
 * Removes row ids, as in "(D13, I15)", from the declarations in dist: the documents that they cite are for maintainers,
 * not for users of the package.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DIST = join(import.meta.dirname, '../dist');
const CITATION = / ?\((?=[^()]*\b[DILRT]\d{1,2}\b)[^()]*\)/g;

for (const file of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.d.ts')) continue;
  const path = join(DIST, file);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(CITATION, ''));
}
