import { describe, expect, it } from 'vitest';
import { indexReleases, parseConstraint, pick, resolve } from '../../src/core/index.ts';

/* What JavaScript callers put into a list of releases, at any place of it (D474). */

const PLATFORM = 'linux/arm64';
const URL = 'https://files.example/lidar.tgz';
const RECORD = { version: '1.0.0' };
const latest = parseConstraint('latest');

/** An entry, and what is said about it; `%` is its place. */
const WRONG: readonly (readonly [unknown, string])[] = [
  [{ version: '1.1.0', yankd: 'burns' }, 'found "yankd" in %, expected "yanked"'],
  [
    { version: '1.1.0', publishedAt: '2026-01-01' },
    'found "2026-01-01" as %.publishedAt, expected milliseconds since the epoch, or nothing',
  ],
  [
    { version: '1.1.0', yanked: true },
    'found the boolean true as %.yanked, expected the reason as text, or nothing if it is not yanked',
  ],
  [
    { version: '1.1.0', floor: 'yes' },
    'found "yes" as %.floor, expected true, or nothing if it is not a floor',
  ],
  [
    { version: '1.1.0', prerelease: false },
    'found the boolean false as %.prerelease, expected true, or nothing if its version says it',
  ],
  [
    { version: '1.1.0', deprecated: true },
    'found the boolean true as %.deprecated, expected the reason as text, or nothing if it is not deprecated',
  ],
  [
    { version: '1.1.0', requires: { 'acme:cam': '>=1' } },
    'found an object as %.requires, expected an object with arrays of texts or nothing',
  ],
  [
    { version: '1.1.0', requires: ['acme:cam'] },
    'found a list as %.requires, expected an object with arrays of texts or nothing',
  ],
  [
    { version: '1.1.0', requires: 'acme:cam >=1' },
    'found "acme:cam >=1" as %.requires, expected an object with arrays of texts or nothing',
  ],
  [{ version: '1.1.0', tag: 7 }, 'found the number 7 as %.tag, expected text or nothing'],
  [
    { version: '1.1.0', unreadable: true },
    'found the boolean true as %.unreadable, expected text or nothing',
  ],
  [
    { version: '1.1.0', distTags: 'latest' },
    'found "latest" as %.distTags, expected an array of texts or nothing',
  ],
  [
    { version: '1.1.0', hasNotes: 'yes' },
    'found "yes" as %.hasNotes, expected true, or nothing if it has no notes',
  ],
  [
    { version: '1.1.0', signatures: { k1: 7 } },
    'found an object as %.signatures, expected an object with texts or nothing',
  ],
  [
    { version: '1.1.0', yankSignatures: 'x' },
    'found "x" as %.yankSignatures, expected an object with texts or nothing',
  ],
  [
    { version: '1.1.0', rollout: 0.5 },
    'found the number 0.5 as %.rollout, expected an object with salt, percent and share, or nothing',
  ],
  [
    { version: '1.1.0', rollout: { salt: 's', percent: 5, share: '0.05' } },
    'found "0.05" as %.rollout.share, expected a number',
  ],
  [
    { version: '1.1.0', rollout: { salt: 's', percent: 5, share: 0.05, groups: 'canary' } },
    'found "canary" as %.rollout.groups, expected an array or nothing',
  ],
  [5, 'found the number 5 as %, expected text or a record with a version'],
  [null, 'found null as %, expected text or a record with a version'],
  [undefined, 'found nothing as %, expected text or a record with a version'],
  [{ tag: '1.1.0' }, 'found an object as %, expected text or a record with a version'],
  [{ version: '1.1.0', artifacts: 'x' }, 'found "x" as %.artifacts, expected an array or nothing'],
  [
    { version: '1.1.0', artifacts: [{ platform: PLATFORM, url: URL, digset: 'sha256:0' }] },
    'found "digset" in %.artifacts[0], expected "digest"',
  ],
  [
    { version: '1.1.0', artifacts: [{ platform: PLATFORM }, { url: URL }] },
    'found nothing as %.artifacts[1].platform, expected text',
  ],
  [
    { version: '1.1.0', artifacts: [undefined] },
    'found nothing as %.artifacts[0], expected an object',
  ],
  [
    { version: '1.1.0', artifacts: [{ platform: PLATFORM, url: 5 }] },
    'found the number 5 as %.artifacts[0].url, expected text or nothing',
  ],
  [
    { version: '1.1.0', artifacts: [{ platform: PLATFORM, digest: null }] },
    'found null as %.artifacts[0].digest, expected text or nothing',
  ],
  [
    { version: '1.1.0', artifacts: [{ platform: PLATFORM, size: '5 MB' }] },
    'found "5 MB" as %.artifacts[0].size, expected a number or nothing',
  ],
];

it.each(['toString', 'valueOf', 'hasOwnProperty', 'constructor', '__proto__'])(
  '[D474] a record may have a member of its own that is called %s',
  (name) => {
    const named = Object.defineProperty({ version: '1.1.0' }, name, {
      value: () => '1.1.0',
      enumerable: true,
    });
    expect(pick([RECORD, named], '1.*')).toBe('1.1.0');
  },
);

describe('[D474] a wrong entry is a TypeError', () => {
  it.each(WRONG)('as the second: %#', (entry, message) => {
    const error = (callee: string): TypeError =>
      new TypeError(`${callee}: ${message.replace('%', 'releases[1]')}`);
    const list = [RECORD, entry] as never;
    expect(() => indexReleases(list)).toThrow(error('indexReleases()'));
    expect(() => resolve('1.*', list)).toThrow(error('resolve()'));
    expect(() => pick(list, '1.*')).toThrow(error('pick()'));
  });

  it.each(WRONG)('as the last, behind text: %#', (entry, message) => {
    const error = (callee: string): TypeError =>
      new TypeError(`${callee}: ${message.replace('%', 'releases[2]')}`);
    const list = ['1.0.0', RECORD, entry] as never;
    expect(() => resolve('1.*', list)).toThrow(error('resolve()'));
    expect(() => pick(list, '1.*')).toThrow(error('pick()'));
    const inIndex = error('indexReleases()');
    const index = (): ReturnType<typeof indexReleases> => indexReleases(list);
    if (!latest.ok || latest.value.kind !== 'latest') throw new Error('a constraint');
    const { value } = latest;
    expect(() => resolve(value, index())).toThrow(inIndex);
    expect(() => [...index().releases()]).toThrow(inIndex);
    expect(() => index().unreadable()).toThrow(inIndex);
    expect(() => index().floors()).toThrow(inIndex);
  });

  it.each(WRONG.slice(0, 4))('as the first: %#', (entry, message) => {
    expect(() => indexReleases([entry] as never)).toThrow(
      new TypeError(`indexReleases(): ${message.replace('%', 'the first release')}`),
    );
  });
});

it('a name that is far from each known one is allowed, in records and in artifacts', () => {
  const artifacts = [{ platform: PLATFORM, url: URL, mirrors: [] }];
  const list = [
    { ...RECORD, artifacts },
    { version: '1.1.0', changelog: 'new', artifacts },
    { version: '1.2.0', changelog: 'newer' },
  ];
  const found = resolve('1.1.*', list, { now: 0, platform: PLATFORM as never });
  expect(found.artifact?.url).toBe(URL);
  const misspelt = { version: '1.3.0', changelog: '', yankd: 'burns' };
  expect(() => indexReleases([...list, misspelt])).toThrow(
    new TypeError('indexReleases(): found "yankd" in releases[3], expected "yanked"'),
  );
});

it('[D474] a field is looked at again after a record with an unknown name', () => {
  const first = { ...RECORD, changelog: 'new', deprecated: 'use 1.1' };
  expect(() => indexReleases([first, { version: '1.1.0', deprecated: true }] as never)).toThrow(
    new TypeError(
      'indexReleases(): found the boolean true as releases[1].deprecated, expected the reason as text, or nothing if it is not deprecated',
    ),
  );
});
