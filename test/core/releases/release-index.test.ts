import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareVersions,
  indexReleases,
  parseVersion,
  resolve,
  type ReleaseRecord,
} from '../../../src/core/index.ts';
import { mismatch } from '../../../src/core/version/constraint.ts';
import { constraintTexts, versionTexts } from '../../support/arbitrary.ts';
import {
  ask,
  chosen,
  constraint,
  refusals,
  version as versionOf,
  type Published,
} from '../../support/ask.ts';
import { cases } from '../../support/runs.ts';

describe('a list of versions without records', () => {
  it.each([
    [
      'selects the newest',
      ['1.9.0', '1.10.0', '1.2.0'],
      '1.10.0',
      ['1.9.0: older', '1.2.0: older'],
    ],
    [
      'refuses text that is not a version',
      ['v1.0.0', '1.0.0'],
      '1.0.0',
      ['v1.0.0: not-a-version', 'v1.0.0: not-a-version'],
    ],
    [
      'merges an entry with a record of the same version',
      ['1.0.0', '1.1.0'],
      '1.0.0',
      ['1.1.0: yanked'],
    ],
  ])('%s', (_, versions, version, refused) => {
    const records = versions.map((text) =>
      text === '1.1.0' ? { version: text, yanked: '' } : text,
    );
    const index = indexReleases([...records, ...versions]);
    const resolution = resolve(constraint('latest'), index);
    expect([index.published, chosen(resolution), refusals(resolution)]).toEqual([
      2 * versions.length,
      version,
      refused,
    ]);
  });
});

describe('the first query', () => {
  it.each<[string, string, readonly Published[], string]>([
    ['accepts a hyphen in build metadata', 'latest', ['1.0.0', '1.1.0+a-b'], '1.1.0+a-b'],
    ['refuses a prerelease with build metadata', 'latest', ['1.0.0', '1.1.0-rc.1+a'], '1.0.0'],
    [
      'refuses a prerelease with a hyphen in its build metadata',
      '1.*',
      ['1.0.0', '1.1.0-rc.1+a-b'],
      '1.0.0',
    ],
    [
      'does not take a yank from a prerelease of the selected release',
      'latest-with-prerelease',
      ['1.1.0', '1.0.0', { version: '1.1.0-rc.1', yanked: 'burns' }],
      '1.1.0',
    ],
    [
      'does not take a yank from another build of the selected release',
      'latest',
      ['1.1.0+2', '1.0.0', { version: '1.1.0+1', yanked: 'burns' }],
      '1.1.0+2',
    ],
  ])('%s', (_, wanted, list, expected) => {
    for (const order of [list, list.toReversed()]) {
      expect(chosen(ask(wanted, order))).toBe(expected);
    }
  });
});

function recordOf(more: Partial<ReleaseRecord>): ReleaseRecord {
  return { version: '1.0.0', ...more };
}

describe('entries of one version are merged, in any order [D11]', () => {
  const half = { salt: 's1', percent: 50, share: 0.5 };
  const file = { platform: 'any', url: 'https://files.example/a' };
  it.each<[string, readonly Partial<ReleaseRecord>[], Partial<ReleaseRecord>]>([
    ['without files', [{}, {}], { artifacts: undefined }],
    ['of which one lists no files', [{}, { artifacts: [file] }], { artifacts: [file] }],
    [
      'with the same file twice',
      [{ artifacts: [file] }, { artifacts: [file] }],
      { artifacts: [file] },
    ],
    [
      'with two files',
      [{ artifacts: [{ ...file, platform: 'linux/arm64' }] }, { artifacts: [file] }],
      { artifacts: [file, { ...file, platform: 'linux/arm64' }] },
    ],
    ['of which one has a publish time', [{ publishedAt: 7 }, {}], { publishedAt: 7 }],
    ['with two publish times', [{ publishedAt: 7 }, { publishedAt: 5 }], { publishedAt: 5 }],
    ['with two reasons', [{ yanked: 'b' }, { yanked: 'a' }, { yanked: '' }], { yanked: 'a' }],
    [
      'with rollouts of two shares',
      [{ rollout: half }, { rollout: { ...half, percent: 20, share: 0.2 } }],
      { rollout: { ...half, percent: 20, share: 0.2 } },
    ],
    [
      'with rollouts of two salts',
      [
        { rollout: { ...half, salt: 's2' } },
        { rollout: half },
        { rollout: { ...half, salt: 's3' } },
      ],
      { rollout: half },
    ],
    [
      '[D107] with rollouts of other groups: only those of both',
      [{ rollout: { ...half, groups: ['a', 'b'] } }, { rollout: { ...half, groups: ['c', 'b'] } }],
      { rollout: { ...half, groups: ['b'] } },
    ],
    [
      '[D107] with a rollout for all, and one with groups',
      [{ rollout: { ...half, share: 1 } }, { rollout: { ...half, groups: ['a'] } }],
      { rollout: { ...half, groups: ['a'] } },
    ],
    [
      '[D107] with a rollout without groups, and a lower one with some',
      [{ rollout: half }, { rollout: { ...half, share: 0, groups: ['a'] } }],
      { rollout: { ...half, share: 0, groups: [] } },
    ],
    [
      'of which one is halted',
      [{ rollout: { ...half, halted: 'burns' } }, { rollout: { ...half, share: 0 } }],
      { rollout: { ...half, halted: 'burns' } },
    ],
  ])('%s', (_, entries, expected) => {
    const rotated = [...entries.slice(1), ...entries.slice(0, 1)];
    for (const order of [entries, entries.toReversed(), rotated]) {
      const index = indexReleases(order.map(recordOf));
      expect([...index.releases()]).toEqual([
        expect.objectContaining({ version: versionOf('1.0.0'), ...expected }),
      ]);
    }
  });
});

/** Text whose first characters look like those of a high version. */
const lookalikes = fc.constantFrom(
  '',
  '.',
  '9',
  '9.',
  '9.9',
  '9.9.',
  '09.9.9',
  '9.09.9',
  '9.9.09',
  '9.9.9.9',
  '9.9.9_1',
  'v9.9.9',
  '-9.9.9',
  '9.9.9-',
  '9.9.9+',
  '9007199254740992.0.0',
  '9007199254740991.9007199254740991.9007199254740991',
  '9'.repeat(300),
  '9.9.9-01',
);

it('the first query selects the highest accepted version, whatever the order of the list', () => {
  const orders = fc.constantFrom('ascending', 'descending', 'shuffled');
  const texts = fc.array(
    fc.oneof({ weight: 5, arbitrary: versionTexts }, { weight: 1, arbitrary: lookalikes }),
  );
  const property = fc.property(texts, constraintTexts, orders, (list, text, order) => {
    const wanted = constraint(text);
    const sorted = list.toSorted();
    const ordered =
      order === 'shuffled' ? list : order === 'ascending' ? sorted : sorted.toReversed();
    const accepted = list.flatMap((one) => {
      const version = parseVersion(one);
      return version.ok && !mismatch(wanted, version.value) ? [version.value] : [];
    });
    const highest = accepted.toSorted(compareVersions).at(-1);
    const found = chosen(resolve(wanted, indexReleases(ordered)));
    expect(found).toBe(highest?.text);
  });
  fc.assert(property, cases(1000));
});

describe('patch numbers above 2^32', () => {
  const VERSIONS = ['4294967294', '4294967295', '4294967296', '4294967297', '9007199254740991'];
  const texts = ['1.1.0', ...VERSIONS.map((patch) => `1.1.${patch}`), '1.2.0'];
  const index = indexReleases(texts);
  it.each(texts)('a pin of %s selects it in a sorted list', (text) => {
    for (const query of [1, 2])
      expect([query, chosen(resolve(constraint(text), index))]).toEqual([query, text]);
    const version = parseVersion(text);
    expect(version.ok && index.find(version.value)?.version.text).toBe(text);
  });

  it('the newest one is selected', () => {
    expect(chosen(resolve(constraint('1.1.*'), index))).toBe('1.1.9007199254740991');
  });
});

describe('a list that is read in part', () => {
  // More than an index keeps, and more than it decodes one by one.
  const COUNT = 50;
  const entries = Array.from({ length: COUNT }, (_, at) => ({ version: `1.0.${at}` }));
  const yanked = entries.map((entry) => ({ ...entry, yanked: 'burns' }));

  it.each([
    ['first', [...yanked, ...entries]],
    ['last', [...entries, ...yanked]],
  ])('has each release once, however often it is read: its yanked entry is the %s', (_, list) => {
    const index = indexReleases(list);
    const expected = yanked.map(({ version }) => [version, 'burns']).toReversed();
    for (const query of [1, 2]) {
      const releases = Array.from(index.releases(), (release) => {
        return [release.version.text, release.yanked];
      });
      expect([query, releases]).toEqual([query, expected]);
    }
  });

  it('selects the only release that may be selected', () => {
    const index = indexReleases([...entries.slice(0, 1), ...yanked.slice(1)]);
    for (const query of [1, 2]) {
      expect([query, chosen(resolve(constraint('1.0.*'), index))]).toEqual([query, '1.0.0']);
    }
  });
});

it.each<[string, readonly string[], readonly string[]]>([
  ['1.2.*', ['1.1.0', '1.3.0'], []],
  ['1.2.*', ['0.2.0', '2.2.0'], []],
  ['1.2.*', ['0.2.0', '1.1.0'], []],
  ['1.2.*', ['0.9.0'], []],
  ['2.2.*', ['1.2.0', '2.2.0', '2.2.1', '3.2.0'], ['2.2.1', '2.2.0']],
  ['2.*', ['1.2.0', '2.2.0', '2.3.0', '3.2.0'], ['2.3.0', '2.2.0']],
  ['2.*', ['1.2.0', '3.2.0'], []],
  ['2.2.1', ['2.2.0', '2.2.1+a', '2.2.1', '2.2.2'], ['2.2.1']],
  ['2.2.1', ['2.2.0', '2.2.1+a', '2.2.2'], []],
])('the candidates of %s in %j are %j', (text, list, expected) => {
  const index = indexReleases(list);
  for (const query of [1, 2]) {
    const found = Array.from(index.candidates(constraint(text)), (one) => one.version.text);
    expect([query, found]).toEqual([query, expected]);
  }
});

it('the candidates are the releases that the constraint accepts, newest first', () => {
  const property = fc.property(fc.array(versionTexts), constraintTexts, (list, text) => {
    const wanted = constraint(text);
    const accepted = [...new Set(list)].flatMap((one) => {
      const version = parseVersion(one);
      return version.ok && !mismatch(wanted, version.value) ? [version.value] : [];
    });
    const expected = accepted.toSorted(compareVersions).toReversed();
    const index = indexReleases(list);
    for (const query of [1, 2]) {
      const found = Array.from(index.candidates(wanted), ({ version }) => version);
      expect([query, found]).toEqual([query, expected]);
    }
  });
  fc.assert(property, cases(1000));
});
