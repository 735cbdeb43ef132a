import { describe, expect, it } from 'vitest';
import { parseConstraint } from '../../../src/core/index.ts';
import { version } from '../../support/ask.ts';

describe('parses each version type (Versioning, Module version types)', () => {
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
});

describe('refuses values that are not text', () => {
  it.each([
    [undefined, 'nothing is not a version constraint'],
    [null, 'null is not a version constraint'],
    [1.2, 'the number 1.2 is not a version constraint'],
    [['1.2.*'], 'a list is not a version constraint'],
    [{}, 'an object is not a version constraint'],
  ])('[T1] %j', (value, message) => {
    expect(parseConstraint(value)).toMatchObject({
      error: { position: 0, expected: 'text', message, suggestion: undefined },
    });
  });
});

it.each([
  ['1e6 characters', '1'.repeat(1e6), 1000000],
  ['1e5 alternatives', '1.2.3 || '.repeat(1e5), 900000],
  ['2e4 comparators', '>=1.2.3 '.repeat(2e4), 160000],
])('[T5] refuses %s because of the length', (_, text, length) => {
  expect(parseConstraint(text)).toMatchObject({
    error: {
      position: 256,
      expected: `at most 256 characters, not ${length}`,
      message: `"${text.slice(0, 200)}…" is not a version constraint`,
    },
  });
});
