import { describe, expect, it } from 'vitest';
import { formatConstraint, parseConstraint } from '../../../src/core/index.ts';
import { isInBranch, mismatch } from '../../../src/core/version/constraint.ts';
import { constraint, version } from '../../support/ask.ts';

describe('parses each version type', () => {
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

it.each(['1.2.3-rc.1+b', '1.2.*', '1.*', 'latest', 'latest-with-prerelease'])(
  '%s is formatted as it was written',
  (text) => {
    expect(formatConstraint(constraint(text))).toBe(text);
  },
);

describe('a constraint', () => {
  it.each([
    ['1.2.3', '1.2.3', undefined],
    ['1.2.3', '1.2.4', 'other-version'],
    ['1.2.3', '1.2.3+b', 'other-version'],
    ['1.2.3-rc.1', '1.2.3-rc.1', undefined],
    ['1.2.*', '1.2.10', undefined],
    ['1.2.*', '2.2.0', 'other-major'],
    ['1.2.*', '1.3.0', 'other-minor'],
    ['1.2.*', '1.2.4-rc.1', 'prerelease'],
    ['1.*', '1.10.0', undefined],
    ['1.*', '10.0.0', 'other-major'],
    ['1.*', '1.3.0-rc.1', 'prerelease'],
    ['latest', '2.0.0', undefined],
    ['latest', '3.0.0-alpha.1', 'prerelease'],
    ['latest-with-prerelease', '3.0.0-alpha.1', undefined],
  ])('%s, and the version %s: %s', (text, offered, expected) => {
    expect(mismatch(constraint(text), version(offered))).toBe(expected);
    // The branch has its prereleases.
    const isIn = expected === undefined || expected === 'prerelease';
    expect(isInBranch(constraint(text), version(offered))).toBe(isIn);
  });
});

describe('the nearest form', () => {
  it.each([
    ['[T3] ^0.2.3', 0, 'a number, latest or latest-with-prerelease', '0.2.*'],
    ['[T3] ^0', 0, 'a number, latest or latest-with-prerelease', '0.*'],
    ['[T3] 1.22.x', 5, 'a number or *', '1.22.*'],
    ['[T3] 1.2.3rc-1', 5, '"-", "+" or the end', '1.2.3-rc-1'],
    ['[T3] 001.2.3', 0, 'a number without leading zeros', '1.2.3'],
    [`[T5] ^1.2.3${' '.repeat(250)}`, 0, 'a number, latest or latest-with-prerelease', '1.*'],
    [`[T5] ^1.2.3${' '.repeat(251)}`, 256, 'at most 256 characters, not 257', undefined],
    [`[T5] latest${'x'.repeat(250)}`, 6, 'the end', undefined],
  ])('%s', (title, position, expected, suggestion) => {
    const text = title.replace(/^\S+ /, '');
    expect(parseConstraint(text)).toMatchObject({ error: { position, expected, suggestion } });
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
