import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatConstraint, parseConstraint } from '../../src/core/index.ts';
import { constraintTexts } from '../support/arbitrary.ts';
import { constraint, version } from '../support/ask.ts';

const NUMBER_OR_WORD = 'a number, latest or latest-with-prerelease';
const LARGEST = 'a number up to 9007199254740991';

describe('a constraint is read (Versioning, Module version types)', () => {
  it.each([
    ['1.2.3', { kind: 'patch', version: version('1.2.3') }],
    ['1.2.3-rc.1+b', { kind: 'patch', version: version('1.2.3-rc.1+b') }],
    ['1.2.*', { kind: 'minor', major: 1, minor: 2 }],
    ['0.0.*', { kind: 'minor', major: 0, minor: 0 }],
    ['10.*', { kind: 'major', major: 10 }],
    ['9007199254740991.*', { kind: 'major', major: 9007199254740991 }],
    ['latest', { kind: 'latest' }],
    ['latest-with-prerelease', { kind: 'latest-with-prerelease' }],
  ])('%s', (text, value) => {
    expect(parseConstraint(text)).toEqual({ ok: true, value });
  });

  it('and formatted to the same text', () => {
    fc.assert(
      fc.property(constraintTexts, (text) => {
        expect(formatConstraint(constraint(text))).toBe(text);
      }),
    );
  });
});

/** Text, position, what was expected there, nearest legal form. */
type Bad = readonly [string, number, string, string | undefined];

function refuses(rows: readonly Bad[]): void {
  it.each(rows)('%j', (text, position, expected, suggestion) => {
    expect(parseConstraint(text)).toEqual({
      ok: false,
      error: {
        kind: 'bad-constraint',
        text,
        position,
        expected,
        suggestion,
        message: `${JSON.stringify(text)} is not a version constraint`,
      },
    });
  });
}

describe('[T1] nothing, blanks and what is not text are never "any version"', () => {
  refuses([
    ['', 0, NUMBER_OR_WORD, undefined],
    [' ', 0, NUMBER_OR_WORD, undefined],
    [' 1.2.3 ', 0, NUMBER_OR_WORD, '1.2.3'],
    ['1.2. *', 4, 'a number or *', '1.2.*'],
  ]);

  it.each([
    [undefined, 'nothing is not a version constraint'],
    [null, 'null is not a version constraint'],
    [1.2, 'the number 1.2 is not a version constraint'],
    [['1.2.*'], 'a list is not a version constraint'],
    [{}, 'an object is not a version constraint'],
  ])('%j', (value, message) => {
    expect(parseConstraint(value)).toMatchObject({
      error: { position: 0, expected: 'text', message, suggestion: undefined },
    });
  });
});

describe('[T2] the letters of the grammar are placeholders', () => {
  it.each(['X.*', 'X.Y.*', 'X.Y.Z', 'x.y.z'])('%s', (text) => {
    expect(parseConstraint(text)).toMatchObject({
      error: {
        message: `"${text}" is a placeholder: write numbers in place of the letters`,
        suggestion: undefined,
      },
    });
  });
});

describe('[T3] forms of other grammars, with the nearest legal one', () => {
  refuses([
    ['^1.2.3', 0, NUMBER_OR_WORD, '1.*'],
    ['^0.2.3', 0, NUMBER_OR_WORD, '0.2.*'],
    ['^2', 0, NUMBER_OR_WORD, '2.*'],
    ['~1', 0, NUMBER_OR_WORD, '1.*'],
    ['~1.2.3', 0, NUMBER_OR_WORD, '1.2.*'],
    ['~> 1.2', 0, NUMBER_OR_WORD, '1.2.*'],
    ['>=0', 0, NUMBER_OR_WORD, 'latest'],
    ['>1.2.3', 0, NUMBER_OR_WORD, 'latest'],
    ['<2.0.0', 0, NUMBER_OR_WORD, undefined],
    ['>=1.2.3 <2.0.0', 0, NUMBER_OR_WORD, undefined],
    ['*', 0, NUMBER_OR_WORD, 'latest'],
    ['*.*', 0, NUMBER_OR_WORD, 'latest'],
    ['1 || 2', 1, '"."', '2.*'],
    ['1.2.3 - 2', 5, '"-", "+" or the end', '2.*'],
    ['1', 1, '"."', '1.*'],
    ['1.2', 3, '"."', '1.2.*'],
    ['1.x', 2, 'a number or *', '1.*'],
    ['1.2.x', 4, 'a number or *', '1.2.*'],
    ['1.X', 2, 'a number or *', '1.*'],
    ['1.*.*', 3, 'the end', '1.*'],
    ['1.*.3', 3, 'the end', '1.*'],
    ['v1.2.3', 0, NUMBER_OR_WORD, '1.2.3'],
    ['v1.2.*', 0, NUMBER_OR_WORD, '1.2.*'],
    ['=1.2.3', 0, NUMBER_OR_WORD, '1.2.3'],
    ['1.2.*-beta', 5, 'the end', '1.2.*'],
    ['1.*-rc', 3, 'the end', '1.*'],
    ['1.2.3rc1', 5, '"-", "+" or the end', '1.2.3-rc1'],
    ['1.2.3-', 6, 'a letter, a digit or "-"', '1.2.3'],
    ['1.2.3-*', 6, 'a letter, a digit or "-"', undefined],
    ['1.2.3-01', 6, 'a number without leading zeros', undefined],
    ['\u0661.\u0662.*', 0, NUMBER_OR_WORD, '1.2.*'],
    ['1.\u06f2.\u06f3', 2, 'a number or *', '1.2.3'],
    ['\uff11.\uff12.\uff13', 0, NUMBER_OR_WORD, '1.2.3'],
    ['01.2.3', 0, 'a number without leading zeros', '1.2.3'],
    ['01.2.*', 0, 'a number without leading zeros', '1.2.*'],
    ['1.02.*', 2, 'a number without leading zeros', '1.2.*'],
    ['1.2.3.4', 5, '"-", "+" or the end', '1.2.3'],
    ['9007199254740992.*', 0, LARGEST, undefined],
    ['1.9007199254740992.*', 2, LARGEST, undefined],
    ['-1.*', 0, NUMBER_OR_WORD, undefined],
    ['1,2', 1, '"."', undefined],
    ['stable', 0, NUMBER_OR_WORD, undefined],
  ]);
});

it.each([
  ['1.2.3\n', 5, '"1.2.3\\u{a}" is not a version constraint'],
  ['1.2.3\u0000', 5, '"1.2.3\\u{0}" is not a version constraint'],
  ['\ufeff1.2.3', 0, '"\\u{feff}1.2.3" is not a version constraint'],
  ['1.\u202e2.3', 2, '"1.\\u{202e}2.3" is not a version constraint'],
])(
  '[T3] what cannot be seen is shown and left out of the nearest form: %j',
  (text, position, message) => {
    expect(parseConstraint(text)).toMatchObject({
      error: { position, message, suggestion: '1.2.3' },
    });
  },
);

describe('[T4] words with a typing mistake', () => {
  refuses([
    ['Latest', 0, NUMBER_OR_WORD, 'latest'],
    ['LATEST', 0, NUMBER_OR_WORD, 'latest'],
    ['lastest', 0, NUMBER_OR_WORD, 'latest'],
    ['latest ', 6, 'the end', 'latest'],
    ['latest-with-prereleases', 22, 'the end', 'latest-with-prerelease'],
    ['latest-with-prelease', 6, 'the end', 'latest-with-prerelease'],
    ['latest-with-pre-release', 6, 'the end', 'latest-with-prerelease'],
    ['latest-prerelease', 6, 'the end', undefined],
    ['late', 0, NUMBER_OR_WORD, 'latest'],
    ['lat', 0, NUMBER_OR_WORD, undefined],
  ]);

  it.each([
    ['latest\u0000', '"latest\\u{0}" is not a version constraint'],
    ['la\u200btest', '"la\\u{200b}test" is not a version constraint'],
  ])('an invisible character: %j', (text, message) => {
    expect(parseConstraint(text)).toMatchObject({ error: { message, suggestion: 'latest' } });
  });
});

describe('[T5] what is too long is refused by its length', () => {
  it.each([
    ['1e6 characters', '1'.repeat(1e6), 'at most 256 characters, not 1000000'],
    ['1e5 alternatives', '1.2.3 || '.repeat(1e5), 'at most 256 characters, not 900000'],
    ['2e4 comparators', '>=1.2.3 '.repeat(2e4), 'at most 256 characters, not 160000'],
    ['257 characters', `1.2.3-${'a'.repeat(251)}`, 'at most 256 characters, not 257'],
  ])('%s', (_, text, expected) => {
    expect(parseConstraint(text)).toEqual({
      ok: false,
      error: {
        kind: 'bad-constraint',
        text,
        position: 256,
        expected,
        suggestion: undefined,
        message: `"${text.slice(0, 200)}…" is not a version constraint`,
      },
    });
  });
});

it('never throws, and every suggestion is itself legal', () => {
  const nearly = fc
    .tuple(constraintTexts, fc.nat(30), fc.string({ maxLength: 3 }))
    .map(([text, at, junk]) => text.slice(0, at) + junk + text.slice(at));
  fc.assert(
    fc.property(fc.oneof(nearly, fc.string({ unit: 'binary' }), fc.anything()), (input) => {
      const parsed = parseConstraint(input);
      if (parsed.ok) return;
      expect(parsed.error.position).toBeLessThanOrEqual(parsed.error.text.length);
      if (parsed.error.suggestion !== undefined) constraint(parsed.error.suggestion);
    }),
    { numRuns: 2000 },
  );
});
