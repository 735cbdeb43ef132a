import { describe, expect, it } from 'vitest';
import { parseVersion } from '../../../src/core/index.ts';
import { isPrerelease } from '../../../src/core/version/version.ts';
import { version } from '../../support/ask.ts';

describe('parses', () => {
  it.each([
    ['1.2.3', [1, 2, 3], '', ''],
    ['0.0.0', [0, 0, 0], '', ''],
    ['10.20.30', [10, 20, 30], '', ''],
    ['9007199254740991.0.0', [9007199254740991, 0, 0], '', ''],
    ['1.2.3-rc.1', [1, 2, 3], 'rc.1', ''],
    ['1.2.3-0', [1, 2, 3], '0', ''],
    ['1.2.3--', [1, 2, 3], '-', ''],
    ['1.2.3-0a.01a', [1, 2, 3], '0a.01a', ''],
    ['1.2.3-99999999999999999999', [1, 2, 3], '99999999999999999999', ''],
    ['1.2.3+001', [1, 2, 3], '', '001'],
    ['1.2.3+a-b.c', [1, 2, 3], '', 'a-b.c'],
    ['1.2.3-rc.1+sha.5114f85', [1, 2, 3], 'rc.1', 'sha.5114f85'],
  ])('%s', (text, [major, minor, patch], prerelease, build) => {
    const value = { text, major, minor, patch, prerelease, build };
    expect(parseVersion(text)).toEqual({ ok: true, value });
  });

  it('at most 256 characters', () => {
    const longest = `1.2.3-${'a'.repeat(250)}`;
    expect(version(longest).prerelease).toHaveLength(250);
    expect(parseVersion(`${longest}a`)).toMatchObject({
      error: { position: 256, expected: 'at most 256 characters, not 257' },
    });
  });
});

describe('refuses values that are not text', () => {
  it.each([
    [undefined, 'nothing is not a version'],
    [null, 'null is not a version'],
    [1.2, 'the number 1.2 is not a version'],
    [true, 'the boolean true is not a version'],
    [['1.2.3'], 'a list is not a version'],
    [{ text: '1.2.3' }, 'an object is not a version'],
    [10n, 'a bigint is not a version'],
    [Symbol('1.2.3'), 'a symbol is not a version'],
  ])('%s', (value, message) => {
    expect(parseVersion(value)).toMatchObject({ error: { expected: 'text', message } });
  });
});

it.each([
  ['1.2.3-rc.1', true],
  ['1.2.3-rc.1+b', true],
  ['1.2.3', false],
  ['1.2.3+rc-1', false],
])('%s is a prerelease: %s', (text, expected) => {
  expect(isPrerelease(version(text))).toBe(expected);
});
