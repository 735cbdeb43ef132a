import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/modreg.ts';
import { listedRows, pageAt } from '../support/pages.ts';

const ROWS = listedRows(pageAt('docs/design/trust-checklist.md'));
const CITED = ROWS.flatMap(({ parts }) =>
  Array.from(
    (parts['ours'] ?? '').matchAll(/\[([^\]]+)\]\(\.\.\/\.\.\/([^)]+)\)/g),
    ([, title = '', path = '']) => [title, path] as const,
  ),
);

it('the checklist has each of the 53 functions once, with tests or a reason', () => {
  expect(new Set(ROWS.map(({ term }) => term)).size).toBe(53);
  expect(ROWS.length).toBe(53);
  const without = ROWS.filter(
    ({ parts }) => (parts['ours'] === undefined) === (parts['does not apply'] === undefined),
  );
  expect(without.map(({ term }) => term)).toEqual([]);
});

it.each(CITED)('the checklist cites the test "%s" of %s', (title, path) => {
  expect(existsSync(join(ROOT, path))).toBe(true);
  // The title is a text of the code.
  expect(readFileSync(join(ROOT, path), 'utf8')).toContain(title);
});

it('each row with tests of ours cites one', () => {
  const rows = ROWS.filter(({ parts }) => parts['ours'] !== undefined);
  expect(rows.length).toBeGreaterThan(30);
  expect(CITED.length).toBeGreaterThanOrEqual(rows.length);
});
