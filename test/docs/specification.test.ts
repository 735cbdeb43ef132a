import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/modreg.ts';
import { listedRows, pageAt } from '../support/pages.ts';

/** The id of a row of the decision table (D), of a fault (T; A of the agent) or of an invariant (I, L, R). */
const ID = /\b(?:D|T|A|I|L|R)\d{1,3}\b(?![:\d])/g;

const COMMENT = /^\s*(?:\/\*[^]*?\*\/|\/\/.*$)/gm;

interface Row {
  readonly id: string;
  /** The text of its part `tests`. */
  readonly tests: string;
  /** The code and test files that it links to, relative to the root. */
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
  const rows = listedRows(page).filter(({ term }) => /^[DTAILR]\d+$/.test(term));
  return rows.map(({ term: id, parts }): Row => {
    const { code = '', tests = '' } = parts;
    const labels = Array.from(
      `${code} ${tests}`.matchAll(/\[([^\]]+)\](?!\()/g),
      ([, label]) => label,
    );
    return { id, tests, files: labels.map((label) => targets.get(label) ?? `[${label}]`) };
  });
});

const IDS = ROWS.map(({ id }) => id);

const FOLDERS = ['src', 'mocks', 'test', 'tools', 'benchmarks', 'examples', 'docs'];

/** The files that may cite a row. */
const FILES = globSync(['*.md', `{${FOLDERS.join(',')}}/**/*.{ts,json,md}`], {
  cwd: ROOT,
  exclude: ['test/fixtures/registry/**', '**/node_modules/**'],
});

/** `text` without the sentences that reserve ids. */
function withoutReserved(text: string): string {
  return text.replaceAll(/[^.]*\b(?:reserved|unused|continue at)\b[^.]*\./g, '');
}

it('has unique row ids', () => {
  expect(IDS.filter((id, place) => IDS.indexOf(id) !== place)).toEqual([]);
  expect(IDS.length).toBeGreaterThan(100);
});

it('has a row for each cited id', () => {
  const missing = FILES.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const cited = (path.startsWith('docs/design/') ? withoutReserved(text) : text).match(ID) ?? [];
    return cited.filter((id) => !IDS.includes(id)).map((id) => `${path}: ${id}`);
  });
  expect(missing).toEqual([]);
});

describe.each(ROWS.filter(({ files }) => files.length > 0))('$id', ({ id, files }) => {
  it.each(files)('is cited by %s', (path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    // The title of a test has the id, and not only a comment.
    const cited = path.startsWith('test/') ? text.replaceAll(COMMENT, '') : text;
    expect(cited).toMatch(new RegExp(`\\b${id}\\b`));
  });
});

it('names the tests of each row, or the reason why there is none', () => {
  const without = ROWS.filter(({ files, tests }) => files.length === 0 && tests === '');
  expect(without.map(({ id }) => id)).toEqual([]);
  const decisions = ROWS.filter(
    ({ id, files }) => id.startsWith('D') && !files.some((path) => path.startsWith('test/')),
  );
  expect(decisions.map(({ id }) => id)).toEqual([]);
});
