import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/modreg.ts';
import { listedRows, pageAt } from '../support/pages.ts';

const README = pageAt('README.md').text.replaceAll(/\s+/g, ' ');
const PAGE = pageAt('docs/design/promises.md');
const PROMISES = listedRows(PAGE).map(({ term, text }) => [term, text] as const);
const LINK = /\[((?:\[\w+\] )?[^[\]]+)\]\(([^)#]+)[^)]*\)/g;

function linksIn(cell: string): [title: string, path: string][] {
  return Array.from(cell.matchAll(LINK), ([, title = '', path = '']) => [
    title,
    normalize(join('docs/design', path)),
  ]);
}

it.each(PROMISES)('README says that it %s, and something shows it', (words, shown) => {
  expect(README).toContain(words);
  expect(linksIn(shown)).not.toEqual([]);
});

const TESTS = PROMISES.flatMap(([, shown]) => linksIn(shown)).filter(([, path]) =>
  path.endsWith('.test.ts'),
);

it.each(TESTS)('the test "%s" is in %s', (title, path) => {
  expect(existsSync(join(ROOT, path))).toBe(true);
  expect(readFileSync(join(ROOT, path), 'utf8')).toContain(title);
});
