import { describe, expect, it } from 'vitest';
import { explain, type Eligibility } from '../../../src/core/index.ts';
import { ask, type Published } from '../../support/ask.ts';

const NOW = Date.parse('2026-11-21T00:00:00Z');
const LIDAR: readonly Published[] = [
  '2.1.0-rc.1',
  '2.0.1',
  '1.3.4',
  '1.2.10-rc.2',
  '1.2.9',
  '1.2.8',
  '0.9.0',
  'reload-7',
];

const patches = (minor: number, count: number): string[] =>
  Array.from({ length: count }, (_, patch) => `1.${minor}.${patch}`);

describe('one line for each entry, newest first', () => {
  it('names the chosen release, the reason against each other one, and what wider constraints would select', () => {
    expect(explain(ask('1.2.*', LIDAR))).toEqual([
      '2.1.0-rc.1   no   major 2 is not 1   ← would be selected by latest-with-prerelease',
      '2.0.1        no   major 2 is not 1   ← would be selected by latest',
      '1.3.4        no   minor 3 is not 2   ← would be selected by 1.*',
      '1.2.10-rc.2  no   prerelease; only latest-with-prerelease accepts prereleases',
      '1.2.9        YES  newest patch of 1.2',
      '1.2.8        no   older than 1.2.9',
      '0.9.0        no   major 0 is not 1',
      'reload-7     no   not a version: expected a number at character 1',
    ]);
  });

  it.each<[string, readonly Published[], readonly string[]]>([
    [
      '1.*',
      ['1.0.0', '1.1.0'],
      ['1.1.0  YES  newest release of 1', '1.0.0  no   older than 1.1.0'],
    ],
    ['latest', ['1.0.0'], ['1.0.0  YES  newest release']],
    [
      '10.*',
      ['10.0.0', '9.0.0'],
      ['10.0.0  YES  newest release of 10', '9.0.0   no   major 9 is not 10'],
    ],
    [
      'latest',
      ['1.0.0', '1.1.0-rc.1'],
      [
        '1.1.0-rc.1  no   prerelease; only latest-with-prerelease accepts prereleases   ← would be selected by latest-with-prerelease',
        '1.0.0       YES  newest release',
      ],
    ],
    ['latest-with-prerelease', ['1.0.0-a'], ['1.0.0-a  YES  newest release or prerelease']],
    [
      '1.0.0',
      ['1.0.0', '1.0.1', '2.0.0'],
      [
        '2.0.0  no   not 1.0.0   ← would be selected by latest, latest-with-prerelease',
        '1.0.1  no   not 1.0.0   ← would be selected by 1.0.*, 1.*',
        '1.0.0  YES  pinned',
      ],
    ],
    [
      '1.0.0',
      ['1.0.0+1', '1.0.0+2'],
      [
        '1.0.0+2  no   not 1.0.0   ← would be selected by 1.0.*, 1.*, latest, latest-with-prerelease',
        '1.0.0+1  no   not 1.0.0',
      ],
    ],
    [
      '1.0.0',
      [{ version: '1.0.0', yanked: 'burns', deprecated: '' }],
      ['1.0.0  YES  pinned; yanked: burns; deprecated'],
    ],
    ['1.*', [], []],
  ])('%s of %j', (constraint, list, lines) => {
    expect(explain(ask(constraint, list))).toEqual(lines);
  });
});

describe('each reason has a text', () => {
  const day = 86_400_000;
  const eligibility: Eligibility = {
    now: NOW,
    platform: 'linux/arm64',
    notAfter: NOW,
    minimumAge: { ms: 7 * day, unknown: 'refuse' },
    changedDigests: new Map([
      ['1.0.2', { platform: 'linux/any', first: 'sha1:aa', now: 'sha1:bb' }],
      ['1.0.3', { platform: 'any', first: 'sha1:aa', now: undefined }],
    ]),
    quarantine: [{ version: '1.0.4' }, { version: '1.0.5', until: NOW + day }],
  };
  it.each<[string, Published, string]>([
    ['yanked', { version: '1.0.1', yanked: 'stops the motor' }, 'yanked: stops the motor'],
    ['yanked without a reason', { version: '1.0.1', yanked: '' }, 'yanked'],
    [
      'artifacts only for other platforms',
      { version: '1.0.1', artifacts: [{ platform: 'linux/amd64' }, { platform: 'darwin/any' }] },
      'no artifact for linux/arm64; published for linux/amd64, darwin/any',
    ],
    [
      'an empty list of artifacts',
      { version: '1.0.1', artifacts: [] },
      'no artifact for linux/arm64; published for no platform at all',
    ],
    ['quarantined without an end', '1.0.4', 'quarantined on this machine'],
    ['quarantined until a time', '1.0.5', 'quarantined on this machine until 2026-11-22T00:00:00Z'],
    [
      'younger than the minimum age',
      { version: '1.0.1', publishedAt: NOW - day },
      'too young until 2026-11-27T00:00:00Z',
    ],
    ['without a publish time', '1.0.1', 'unknown age: it has no publish time'],
    [
      'published after `notAfter`',
      { version: '1.0.1', publishedAt: NOW + 1 },
      'not yet published: its publish time is 2026-11-21T00:00:00.001Z',
    ],
    [
      'two digests for one platform',
      {
        version: '1.0.1',
        artifacts: [
          { platform: 'any', digest: 'sha1:aa' },
          { platform: 'any', digest: 'sha1:bb' },
        ],
      },
      'two digests for any: sha1:aa and sha1:bb',
    ],
    [
      'another digest than first seen',
      '1.0.2',
      'digest changed: sha1:bb for linux/any, first seen as sha1:aa',
    ],
    ['no longer any digest', '1.0.3', 'digest changed: none for any, first seen as sha1:aa'],
  ])('%s', (_, entry, words) => {
    const [line] = explain(ask('1.*', [entry], eligibility));
    expect(line).toBe(`${typeof entry === 'string' ? entry : entry.version}  no   ${words}`);
  });
});

describe('[T35] untrusted text is escaped and cut', () => {
  it.each<[string, Published, string]>([
    [
      'a reason',
      { version: '1.0.0', yanked: '\u001b[2J\r\n' },
      String.raw`1.0.0  no   yanked: \u{1b}[2J\u{d}\u{a}`,
    ],
    [
      'a platform',
      { version: '1.0.0', artifacts: [{ platform: 'a\u202e' }] },
      String.raw`1.0.0  no   no artifact for linux/amd64; published for a\u{202e}`,
    ],
    [
      'an entry',
      '\u009b2J',
      String.raw`\u{9b}2J  no   not a version: expected a number at character 1`,
    ],
    [
      'a long reason',
      { version: '1.0.0', yanked: 'x'.repeat(1e6) },
      `1.0.0  no   yanked: ${'x'.repeat(200)}…`,
    ],
  ])('%s', (_, entry, line) => {
    expect(explain(ask('1.*', [entry], { now: NOW, platform: 'linux/amd64' }))).toEqual([line]);
  });
});

describe('long runs are counted', () => {
  it('three of more than four rows are shown, besides those that a wider constraint would select', () => {
    expect(explain(ask('1.1.*', [...patches(0, 4), ...patches(1, 1), ...patches(2, 6)]))).toEqual([
      '1.2.5  no   minor 2 is not 1   ← would be selected by 1.*, latest, latest-with-prerelease',
      '1.2.4  no   minor 2 is not 1',
      '1.2.3  no   minor 2 is not 1',
      '1.2.2  no   minor 2 is not 1',
      '… 2 more',
      '1.1.0  YES  newest patch of 1.1',
      '1.0.3  no   minor 0 is not 1',
      '1.0.2  no   minor 0 is not 1',
      '1.0.1  no   minor 0 is not 1',
      '1.0.0  no   minor 0 is not 1',
    ]);
  });

  it('all rows are shown with `all`', () => {
    const resolution = ask('1.0.*', patches(0, 3000));
    expect(explain(resolution)).toHaveLength(5);
    expect(explain(resolution).at(-1)).toBe('… 2996 more');
    expect(explain(resolution, { all: true })).toHaveLength(3000);
  });
});

it('releases that are refused for another reason begin a new run', () => {
  const prereleases = Array.from({ length: 12 }, (_, count) => `1.2.9-rc.${count}`);
  const lines = explain(ask('1.2.*', [...patches(3, 12), ...prereleases, ...patches(2, 2)]));
  expect(lines.map((line) => /^(… \d+|\S+)/.exec(line)?.[0])).toEqual([
    '1.3.11',
    '1.3.10',
    '1.3.9',
    '1.3.8',
    '… 8',
    '1.2.9-rc.11',
    '1.2.9-rc.10',
    '1.2.9-rc.9',
    '… 9',
    '1.2.1',
    '1.2.0',
  ]);
});
