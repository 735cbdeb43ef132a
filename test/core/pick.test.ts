import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pick, resolve, type ReleaseRecord } from '../../src/core/index.ts';
import { inputs } from '../support/random-inputs.ts';

const RECORDS: readonly ReleaseRecord[] = [
  { version: '1.0.0' },
  { version: '1.1.0', yanked: 'loses points' },
];

it.each([
  [['1.9.0', '1.10.0', '2.0.0'], '1.*', '1.10.0'],
  [['1.9.0', '1.10.0'], '1.9.*', '1.9.0'],
  [['1.0.0+b', '1.0.0+a'], 'latest', '1.0.0+b'],
  [['1.0.0', '2.0.0-rc.1'], 'latest', '1.0.0'],
  [['1.0.0', '2.0.0-rc.1'], 'latest-with-prerelease', '2.0.0-rc.1'],
  [['1.0.0', '1.0.0+b'], '1.0.0+b', '1.0.0+b'],
  // Texts that are not versions are skipped.
  [['v3.0.0', 'nightly', '', '1.0.0'], 'latest', '1.0.0'],
  [['1.0.0'], '2.*', undefined],
  [[], 'latest', undefined],
  [new Set(['1.0.0', '1.1.0']), 'latest', '1.1.0'],
  [RECORDS, 'latest', '1.0.0'],
  [RECORDS, '1.1.0', '1.1.0'],
] as const)('pick(%j, %j) is %j', (versions, constraint, picked) => {
  expect(pick(versions, constraint)).toBe(picked);
});

it.each([
  ['^1.2.3', '"^1.2.3" is not a version constraint; did you mean 1.* ?'],
  ['', '"" is not a version constraint'],
  ['1.2.\u001b[31m', '"1.2.\\u{1b}[31m" is not a version constraint'],
])('a constraint that cannot be parsed is a RangeError: %j', (constraint, message) => {
  const error = expect.objectContaining({
    name: 'RangeError',
    message: `pick(): ${message}`,
    cause: expect.objectContaining({ kind: 'bad-constraint', text: constraint }),
  });
  expect(() => pick(['1.0.0'], constraint)).toThrow(error);
});

it('[D348] picks what resolve selects without a policy', () => {
  fc.assert(
    fc.property(inputs, ({ constraintText, list }) => {
      const resolution = resolve(constraintText, list);
      const selected = resolution.kind === 'resolved' ? resolution.release.version.text : undefined;
      expect(pick(list, constraintText)).toBe(selected);
    }),
  );
});

const DIGESTS = ['a', 'b'].map((one) => ({
  platform: 'linux/arm64',
  digest: `sha256:${one.repeat(64)}`,
}));

it.each<[string, Partial<ReleaseRecord>, string, string | undefined]>([
  ['is deprecated', { deprecated: 'use 1.0' }, '1.*', '1.0.0'],
  ['is deprecated, and pinned', { deprecated: 'use 1.0' }, '1.1.0', '1.1.0'],
  ['is a prerelease for its registry', { prerelease: true }, '1.*', '1.0.0'],
  ['is one, and prereleases are accepted', { prerelease: true }, 'latest-with-prerelease', '1.1.0'],
  ['cannot be read', { unreadable: 'no such field' }, '1.1.0', undefined],
  ['has two digests for one platform', { artifacts: DIGESTS }, '1.1.0', undefined],
])('[D348] of two releases, the newer of which %s', (_name, newer, constraint, picked) => {
  expect(pick([{ version: '1.0.0' }, { version: '1.1.0', ...newer }], constraint)).toBe(picked);
});
