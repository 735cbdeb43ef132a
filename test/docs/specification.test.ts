import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/modreg.ts';
import { pageAt, tableRows } from '../support/pages.ts';

/** The id of a row of the decision table (D), of a fault (T) or of an invariant (I, L, R). */
const ID = /\b(?:D|T|I|L|R)\d{1,2}\b(?![:\d])/g;

interface Row {
  readonly id: string;
  /** What the column `tests` says. */
  readonly tests: string;
  /** The files that it links to, from the root. */
  readonly files: readonly string[];
}

const ROWS = ['docs/design/decision-table.md', 'docs/design/faults.md'].flatMap((path) => {
  const page = pageAt(path);
  const targets = new Map(
    Array.from(page.text.matchAll(/^\[(.+)\]: \.\.\/\.\.\/(.+)$/gm), ([, label, to]) => [
      label,
      to,
    ]),
  );
  const rows = tableRows(page).filter(([id = '']) => /^[DTILR]\d+$/.test(id));
  return rows.map(([id = '', ...cells]): Row => {
    const tests = cells.at(-1) ?? '';
    const labels = Array.from(tests.matchAll(/\[([^\]]+)\](?!\()/g), ([, label]) => label);
    return { id, tests, files: labels.map((label) => targets.get(label) ?? `[${label}]`) };
  });
});

const IDS = ROWS.map(({ id }) => id);

const FOLDERS = ['src', 'test', 'tools', 'mocks', 'benchmarks', 'examples', 'docs'];

/** What may cite a row: everything but release lists that others published. */
const FILES = globSync(['*.md', `{${FOLDERS.join(',')}}/**/*.{ts,json,md}`], {
  cwd: ROOT,
  exclude: ['test/fixtures/registry/**'],
});

/** A text without the sentences that say which ids have no row. */
function withoutReserved(text: string): string {
  return text.replaceAll(/[^.]*\b(?:reserved|unused|continue at)\b[^.]*\./g, '');
}

it('gives each row an id of its own', () => {
  expect(IDS.filter((id, place) => IDS.indexOf(id) !== place)).toEqual([]);
  expect(IDS.length).toBeGreaterThan(100);
});

it('has a row for each id that a file cites', () => {
  const missing = FILES.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const cited = (path.startsWith('docs/design/') ? withoutReserved(text) : text).match(ID) ?? [];
    return cited.filter((id) => !IDS.includes(id)).map((id) => `${path}: ${id}`);
  });
  expect(missing).toEqual([]);
});

describe.each(ROWS.filter(({ files }) => files.length > 0))('$id', ({ id, files }) => {
  it.each(files)('is cited by %s', (path) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toMatch(new RegExp(`\\b${id}\\b`));
  });
});

it('says of each row which test has it, or why there is none', () => {
  const without = ROWS.filter(({ files, tests }) => files.length === 0 && tests === '');
  expect(without.map(({ id }) => id)).toEqual([]);
  const decisions = ROWS.filter(({ id, files }) => id.startsWith('D') && files.length === 0);
  expect(decisions.map(({ id }) => id)).toEqual([]);
});
