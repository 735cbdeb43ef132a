import { describe, expect, it } from 'vitest';
import { DOCUMENT_KINDS } from '../../src/config/document-kind.ts';
import {
  badDocuments,
  checkFixture,
  goodDocuments,
  printed,
  type Fixture,
} from '../support/documents.ts';

/** The fault rows, by a pattern for the names of their documents. */
const ROWS: readonly (readonly [row: string, name: RegExp])[] = [
  ['T1', /^bad-constraint--is-/],
  ['T2', /^bad-constraint--placeholder-/],
  ['T4', /^bad-constraint--(latest|keyword)-/],
  ['T3', /^bad-constraint--/],
  ['T6', /^(bad-json|too-large)--/],
  ['T7', /^forbidden-key--/],
  ['T8', /^duplicate-key--/],
  ['T9', /^duplicate-name--/],
  ['T10', /^bad-module-id--/],
  ['T11', /^(model-mismatch|unknown-reference|cycle)--/],
  ['T12', /--(priority|agent-channel|server-channel)-/],
  ['T13', /^(bad-version|shadowed-pin)--/],
  ['T14', /^bad-address--/],
  ['T15', /^unset-variable--|--environment-/],
  ['T16', /^forbidden-variable--/],
  ['T17', /^unknown-field--/],
  ['T19', /--(system|runtime)-max-use-/],
  ['T65', /^permissions--/],
  ['T335', /--blackout-/],
];

const BAD = badDocuments();

function withTitles<F extends Fixture>(documents: readonly F[]): [string, F][] {
  return documents.map((document) => {
    const [row] = ROWS.find(([, name]) => name.test(document.name)) ?? [];
    return [`${row === undefined ? '' : `[${row}] `}${document.kind}/${document.name}`, document];
  });
}

describe.each(DOCUMENT_KINDS)('a bad %s', (kind) => {
  it.each(withTitles(BAD.filter((document) => document.kind === kind)))(
    '%s',
    (_title, document) => {
      const checked = checkFixture(document);
      const lines = document.expected.map((line) => line.replace(/^(?=\d+:\d+ )/, 'file.json:'));
      expect(printed(checked, 'file.json')).toBe(lines.join('\n') + '\n');
      // Each document has one fault, and its name begins with the kind.
      expect(checked.problems.map((problem) => problem.kind)).toEqual([
        document.name.split('--')[0],
      ]);
    },
  );
});

it.each(withTitles(goodDocuments()))('finds no problem in %s', (_title, document) => {
  expect(checkFixture(document)).toMatchObject({ problems: [], errors: 0, warnings: 0 });
});

it('names each document once', () => {
  const names = BAD.map(({ kind, name }) => `${kind}/${name}`);
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
});

it('has a document for each row', () => {
  const titles = withTitles(BAD).map(([title]) => title);
  expect(ROWS.filter(([row]) => !titles.some((title) => title.startsWith(`[${row}]`)))).toEqual([]);
});

it('has at least three documents for each code, and 250 in all', () => {
  const codes = BAD.map(({ name }) => name.split('--')[0]);
  const rare = [...new Set(codes)].filter((code) => codes.filter((one) => one === code).length < 3);
  expect(rare).toEqual([]);
  expect(new Set(codes).size).toBe(26);
  expect(BAD.length).toBeGreaterThanOrEqual(250);
});
