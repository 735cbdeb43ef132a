/*
 * Prepares the declarations in dist for the package. Removes files that no entry point imports, and row ids, as in
 * "(D13, I15)": the documents that they cite are for maintainers, not for users of the package.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const CITATION = / ?\((?=[^()]*\b[ADILRT]\d{1,3}\b)[^()]*\)/g;
const IMPORT = /(?:from |import\()['"](\.[^'"]+)\.ts['"]/g;

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
};
// Iterating over a set also visits what is added during the iteration.
const published = new Set(
  Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [join(ROOT, entry.types)],
  ),
);
for (const file of published) {
  const text = readFileSync(file, 'utf8').replaceAll(CITATION, '');
  for (const [, path = ''] of text.matchAll(IMPORT)) {
    published.add(join(dirname(file), `${path}.d.ts`));
  }
  writeFileSync(file, text);
}
for (const file of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.d.ts') && !published.has(join(DIST, file))) rmSync(join(DIST, file));
}
