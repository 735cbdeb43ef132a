import { describe, expect, it } from 'vitest';
import { ask, chosen, refusals } from '../../support/ask.ts';
import { DAY, NOW, aged, built, decides, digested, on } from '../../support/decides.ts';

describe('[D7] [T31] yanked', () => {
  const list = ['1.2.3', { version: '1.2.4', yanked: 'stops the motor' }];
  decides([
    ...['1.2.*', '1.*', 'latest', 'latest-with-prerelease'].map((constraint) => ({
      case: `${constraint} does not select a yanked release`,
      constraint,
      list,
      chosen: '1.2.3',
      refused: ['1.2.4: yanked'],
    })),
    {
      case: 'a release that is yanked without a reason is refused',
      constraint: '1.2.*',
      list: [{ version: '1.2.4', yanked: '' }],
      chosen: undefined,
      refused: ['1.2.4: yanked'],
    },
    {
      case: 'a pin may select a yanked release',
      constraint: '1.2.4',
      list,
      chosen: '1.2.4',
      refused: ['1.2.3: other-version'],
    },
    {
      case: 'the reason yanked precedes no-artifact',
      constraint: '1.2.*',
      list: [{ version: '1.2.4', yanked: '', artifacts: [] }],
      eligibility: on('linux/amd64'),
      chosen: undefined,
      refused: ['1.2.4: yanked'],
    },
  ]);
});

describe('[D8] deprecated', () => {
  it('is selected if nothing is preferred to it, with the text of its deprecation', () => {
    const resolution = ask('1.1.*', ['1.0.0', { version: '1.1.0', deprecated: 'use 2.x' }]);
    expect(resolution).toMatchObject({
      kind: 'resolved',
      release: { version: { text: '1.1.0' }, deprecated: 'use 2.x' },
    });
  });
});

describe('[D9] artifacts are judged release by release', () => {
  decides([
    {
      case: 'a release without a matching artifact is refused, and the next lower one is selected',
      constraint: '1.*',
      list: [built('1.1.0', 'linux/amd64'), built('1.0.0', 'linux/amd64', 'linux/arm64')],
      eligibility: on('linux/arm64'),
      chosen: '1.0.0',
      refused: ['1.1.0: no-artifact'],
    },
    {
      case: 'a release that does not list artifacts is selected',
      constraint: '1.*',
      list: ['1.1.0'],
      eligibility: on('linux/arm64'),
      chosen: '1.1.0',
      refused: [],
    },
    {
      case: 'a release with an empty list of artifacts is refused',
      constraint: '1.*',
      list: [built('1.1.0')],
      eligibility: on('linux/arm64'),
      chosen: undefined,
      refused: ['1.1.0: no-artifact'],
    },
    {
      case: 'without a platform in the eligibility, artifacts are ignored',
      constraint: '1.*',
      list: [built('1.1.0', 'windows/amd64')],
      chosen: '1.1.0',
      refused: [],
    },
    ...[
      'any',
      'linux/any',
      'any/arm64',
      'any/any',
      'linux/arm64',
      'linux/aarch64',
      'any/aarch64',
    ].map((platform) => ({
      case: `${platform} fits linux/arm64`,
      constraint: '1.*',
      list: [built('1.1.0', platform)],
      eligibility: on('linux/arm64'),
      chosen: '1.1.0',
      refused: [],
    })),
    ...['linux/x86_64', 'linux/x64', 'any/x64'].map((platform) => ({
      case: `${platform} fits linux/amd64`,
      constraint: '1.*',
      list: [built('1.1.0', platform)],
      eligibility: on('linux/amd64'),
      chosen: '1.1.0',
      refused: [],
    })),
    ...[
      'linux',
      'arm64',
      'darwin/any',
      'any/amd64',
      'linux/arm',
      'linux/arm64/v8',
      'LINUX/ARM64',
      '',
    ].map((platform) => ({
      case: `"${platform}" does not fit linux/arm64`,
      constraint: '1.*',
      list: [built('1.1.0', platform)],
      eligibility: on('linux/arm64'),
      chosen: undefined,
      refused: ['1.1.0: no-artifact'],
    })),
  ]);
});

describe('[D10] entries that are not SemVer', () => {
  it('are refused one by one, after all versions, and the rest of the list is used', () => {
    const resolution = ask('1.*', ['reload-1', '1.2', 'v1.2.3', '1.0.0', '__proto__', '1.2', '']);
    expect(chosen(resolution)).toBe('1.0.0');
    expect(refusals(resolution)).toEqual([
      'reload-1: not-a-version',
      '1.2: not-a-version',
      'v1.2.3: not-a-version',
      '__proto__: not-a-version',
      '1.2: not-a-version',
      ': not-a-version',
    ]);
  });
});

describe('[D11] the same version twice is one release', () => {
  decides([
    {
      case: 'their artifacts are merged',
      constraint: '1.*',
      list: [built('1.0.0', 'linux/amd64'), built('1.0.0', 'linux/arm64')],
      eligibility: on('linux/arm64'),
      chosen: '1.0.0',
      refused: [],
    },
    {
      case: 'an entry without artifacts does not lift the restriction of another entry',
      constraint: '1.*',
      list: [built('1.0.0', 'linux/amd64'), '1.0.0'],
      eligibility: on('linux/arm64'),
      chosen: undefined,
      refused: ['1.0.0: no-artifact'],
    },
    {
      case: 'yanked if one of two entries is',
      constraint: '1.*',
      list: ['1.0.0', { version: '1.0.0', yanked: '' }],
      chosen: undefined,
      refused: ['1.0.0: yanked'],
    },
    {
      case: 'yanked if only the first of three entries is',
      constraint: '1.*',
      list: [{ version: '1.0.0', yanked: '' }, '1.0.0', { version: '1.0.0', deprecated: '' }],
      chosen: undefined,
      refused: ['1.0.0: yanked'],
    },
    {
      case: 'the earliest publish time counts',
      constraint: '1.*',
      list: [aged('1.0.0', 1), aged('1.0.0', 9), '1.0.0'],
      eligibility: { now: NOW, minimumAge: { ms: 7 * DAY, unknown: 'refuse' } },
      chosen: '1.0.0',
      refused: [],
    },
    {
      case: 'two digests for one platform under two names are refused',
      constraint: '1.*',
      list: [
        digested('1.1.0', 'linux/arm64', 'sha256:aa'),
        digested('1.1.0', 'linux/aarch64', 'sha256:bb'),
        '1.0.0',
      ],
      chosen: '1.0.0',
      refused: ['1.1.0: conflicting-digest'],
    },
    {
      case: 'two digests for one platform in one entry are refused',
      constraint: '1.1.0',
      list: [
        {
          version: '1.1.0',
          artifacts: [
            { platform: 'any', digest: 'sha1:aa' },
            { platform: 'any', digest: 'sha1:bb' },
          ],
        },
      ],
      chosen: undefined,
      refused: ['1.1.0: conflicting-digest'],
    },
    {
      case: 'digests of two kinds do not conflict',
      constraint: '1.*',
      list: [digested('1.0.0', 'any', 'sha1:aa'), digested('1.0.0', 'any', 'sha256:bb')],
      chosen: '1.0.0',
      refused: [],
    },
    {
      case: 'the reason conflicting-digest precedes other-major',
      constraint: '2.*',
      list: [digested('1.0.0', 'any', 'sha1:aa'), digested('1.0.0', 'any', 'sha1:bb')],
      chosen: undefined,
      refused: ['1.0.0: conflicting-digest'],
    },
  ]);

  it('artifacts that differ only in size and spelling are all kept, in a fixed order', () => {
    const duplicates = [
      { version: '1.0.0', artifacts: [{ platform: 'linux/amd64', size: 1 }] },
      {
        version: '1.0.0',
        artifacts: [
          { platform: 'linux/x64', size: 2 },
          { platform: 'linux/amd64', size: 1 },
        ],
      },
    ];
    for (const list of [duplicates, duplicates.toReversed()]) {
      expect(ask('1.0.0', list)).toMatchObject({
        release: {
          artifacts: [
            { platform: 'linux/amd64', size: 1 },
            { platform: 'linux/x64', size: 2 },
          ],
        },
      });
    }
  });

  it('the order of the entries does not change the merged release', () => {
    const duplicates = [
      { version: '1.0.0', publishedAt: 2, yanked: '', artifacts: [{ platform: 'linux/arm64' }] },
      { version: '1.0.0', yanked: 'b', deprecated: 'old' },
      { version: '1.0.0', publishedAt: 1, yanked: 'a', artifacts: [{ platform: 'linux/amd64' }] },
    ];
    for (const list of [duplicates, duplicates.toReversed()]) {
      expect(ask('1.0.0', list)).toMatchObject({
        release: {
          publishedAt: 1,
          yanked: 'a',
          deprecated: 'old',
          artifacts: [{ platform: 'linux/amd64' }, { platform: 'linux/arm64' }],
        },
      });
    }
  });
});
