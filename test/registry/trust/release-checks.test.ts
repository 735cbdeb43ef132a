import { describe, expect, it } from 'vitest';
import { indexReleases, type ReleaseRecord } from '../../../src/core/index.ts';
import { readTrustDocument } from '../../../src/core/trust/trust-document.ts';
import { moduleEntries } from '../../../src/registry/formats/module-document.ts';
import { lazyList } from '../../../src/registry/formats/decoded-list.ts';
import { releaseChecks } from '../../../src/registry/trust/release-checks.ts';
import { moduleId, version } from '../../support/ask.ts';
import {
  APPROVER,
  AUTHOR,
  digestOf,
  signed,
  STRANGER,
  trustOf,
  VENDOR,
  type TestKey,
} from '../../support/signed.ts';

const AT = '2026-11-23T10:00:00Z';
const FILE = { platform: 'linux/arm64', digest: digestOf('lidar'), size: 5 };
const RELEASE = { version: '1.4.0', published_at: AT, artifacts: [FILE] };

function checksOf(roles?: readonly string[]) {
  const read = readTrustDocument(trustOf(roles).text);
  if (!read.ok) throw new Error(read.error);
  return releaseChecks(read.value);
}

function recordsOf(id: string, releases: readonly object[]): Iterable<ReleaseRecord> & object {
  return lazyList(moduleEntries({ releases }, moduleId(id)), {}).records;
}

/** What is found of a version in a list, as JSON. */
function verdict(id: string, releases: readonly object[], text = '1.4.0'): object | undefined {
  const records = recordsOf(id, releases) as never;
  const release = indexReleases(records).find(version(text));
  if (!release) throw new Error('not in the list');
  return checksOf()(moduleId(id), records).check(release);
}

function lidar(...keys: readonly TestKey[]) {
  return signed('acme:lidar', RELEASE, ...keys);
}

const wrong = (keyId: string): object => ({ reason: 'bad-signature', found: 'wrong', keyId });
const other = (keyId: string): object => ({ reason: 'bad-signature', found: 'other-key', keyId });
const unsigned = (count: number, needed: number): object => ({
  reason: 'unsigned',
  signed: count,
  needed,
});

describe('[D133] the signatures of a release', () => {
  it.each<[string, string, readonly object[], object | undefined]>([
    ['2 of 2', 'acme:lidar', [lidar(AUTHOR, APPROVER)], undefined],
    ['1 of 2', 'acme:lidar', [lidar(AUTHOR)], unsigned(1, 2)],
    ['none', 'acme:lidar', [RELEASE], unsigned(0, 2)],
    [
      '1 of 1 for a namespace of *',
      'other:lidar',
      [signed('other:lidar', RELEASE, AUTHOR)],
      undefined,
    ],
    [
      'a key of another namespace',
      'other:lidar',
      [signed('other:lidar', RELEASE, APPROVER)],
      other(APPROVER.id),
    ],
    ['a key of nobody', 'acme:lidar', [lidar(AUTHOR, STRANGER)], other(STRANGER.id)],
    ['a key of nobody beside 2 of 2', 'acme:lidar', [lidar(AUTHOR, APPROVER, STRANGER)], undefined],
    [
      'platform by *',
      'platform:agent',
      [signed('platform:agent', RELEASE, AUTHOR)],
      other(AUTHOR.id),
    ],
    [
      'platform by its own',
      'platform:agent',
      [signed('platform:agent', RELEASE, VENDOR)],
      undefined,
    ],
    [
      'the signatures of another module',
      'acme:lidar',
      [signed('acme:radar', RELEASE, AUTHOR, APPROVER)],
      wrong(APPROVER.id),
    ],
    [
      'those of another version',
      'acme:lidar',
      [{ ...lidar(AUTHOR, APPROVER), version: '1.5.0' }],
      wrong(APPROVER.id),
    ],
    [
      'another time',
      'acme:lidar',
      [{ ...lidar(AUTHOR, APPROVER), published_at: '2026-11-23T10:00:01Z' }],
      wrong(APPROVER.id),
    ],
    [
      'no time',
      'acme:lidar',
      [{ ...lidar(AUTHOR, APPROVER), published_at: undefined }],
      wrong(APPROVER.id),
    ],
    [
      'another file',
      'acme:lidar',
      [{ ...lidar(AUTHOR, APPROVER), artifacts: [{ ...FILE, digest: digestOf('x') }] }],
      wrong(APPROVER.id),
    ],
    [
      'another size',
      'acme:lidar',
      [{ ...lidar(AUTHOR, APPROVER), artifacts: [{ ...FILE, size: 6 }] }],
      wrong(APPROVER.id),
    ],
    [
      'one more file',
      'acme:lidar',
      [{ ...lidar(AUTHOR, APPROVER), artifacts: [FILE, { ...FILE, platform: 'any' }] }],
      wrong(APPROVER.id),
    ],
    [
      'no list of files',
      'acme:lidar',
      [{ ...lidar(AUTHOR, APPROVER), artifacts: undefined }],
      wrong(APPROVER.id),
    ],
    [
      'another address of the file',
      'acme:lidar',
      [{ ...lidar(AUTHOR, APPROVER), artifacts: [{ ...FILE, url: 'https://b.example' }] }],
      undefined,
    ],
    [
      'a yank and a rollout of the registry',
      'acme:lidar',
      [{ ...lidar(AUTHOR, APPROVER), yanked: 'x', rollout: { salt: 's', percent: 0, share: 0 } }],
      undefined,
    ],
    [
      'signatures exchanged between two keys',
      'acme:lidar',
      [
        {
          ...RELEASE,
          signatures: {
            [AUTHOR.id]: lidar(APPROVER).signatures[APPROVER.id],
            [APPROVER.id]: lidar(AUTHOR).signatures[AUTHOR.id],
          },
        },
      ],
      wrong(APPROVER.id),
    ],
    [
      'the same signature for two keys',
      'acme:lidar',
      [
        {
          ...RELEASE,
          signatures: {
            [AUTHOR.id]: lidar(AUTHOR).signatures[AUTHOR.id],
            [APPROVER.id]: lidar(AUTHOR).signatures[AUTHOR.id],
          },
        },
      ],
      wrong(APPROVER.id),
    ],
    [
      'the version twice in the list',
      'acme:lidar',
      [lidar(AUTHOR, APPROVER), lidar(AUTHOR, APPROVER)],
      { reason: 'bad-signature', found: 'listed-twice', keyId: undefined },
    ],
    [
      'text that is no signature',
      'acme:lidar',
      [{ ...RELEASE, signatures: { [AUTHOR.id]: 'yes' } }],
      unsigned(0, 2),
    ],
    [
      'the word with the meaning of npm',
      'acme:lidar',
      [{ ...RELEASE, signatures: [{ keyid: 'SHA256:jl3b', sig: 'MEUC' }] }],
      unsigned(0, 2),
    ],
  ])('%s', (_title, id, releases, expected) => {
    const [first] = releases as readonly { readonly version: string }[];
    expect(verdict(id, releases, first?.version)).toEqual(expected);
  });

  it('cannot be enough for a namespace without a role', () => {
    const records = recordsOf('acme:lidar', [lidar(AUTHOR)]) as never;
    const [release] = indexReleases(records).releases();
    const check = checksOf([])(moduleId('acme:lidar'), records);
    expect(release && check.check(release)).toEqual(unsigned(0, 0));
  });

  it('[T462] are checked up to 32 wrong ones of a list', () => {
    const forged = Array.from({ length: 40 }, (_, patch) => ({
      ...signed('acme:lidar', RELEASE, AUTHOR),
      version: `1.4.${patch}`,
      published_at: `2026-11-23T11:00:${String(patch).padStart(2, '0')}Z`,
    }));
    const right = signed('acme:lidar', { ...RELEASE, version: '1.3.0' }, AUTHOR, APPROVER);
    const records = recordsOf('acme:lidar', [...forged, right]) as never;
    const check = checksOf()(moduleId('acme:lidar'), records);
    const found = Array.from(indexReleases(records).releases(), (release) => check.check(release));
    expect(found.map((one) => (one && 'found' in one ? one.found : one))).toEqual([
      ...Array.from({ length: 32 }, () => 'wrong'),
      ...Array.from({ length: 9 }, () => 'too-many'),
    ]);
  });

  it('are facts of a decision: what was asked, and no more', () => {
    const records = recordsOf('acme:lidar', [lidar(AUTHOR)]) as never;
    const [release] = indexReleases(records).releases();
    const checks = checksOf();
    const check = checks(moduleId('acme:lidar'), records);
    expect([...(check.verdicts ?? [])]).toEqual([]);
    if (release) check.check(release);
    expect([...(check.verdicts ?? [])]).toEqual([['1.4.0', unsigned(1, 2)]]);
    expect(checks(moduleId('acme:lidar'), records)).toBe(check);
  });
});

function yankText(reason: string, id = 'acme:lidar', of = '1.4.0'): string {
  return ['modreg/yank@1', id, of, JSON.stringify(reason), ''].join('\n');
}

function by(keys: readonly TestKey[], ...of: Parameters<typeof yankText>): object {
  return Object.fromEntries(keys.map((one) => [one.id, one.sign(yankText(...of))]));
}

describe('[D165] the signatures of a yank', () => {
  const BOTH = [AUTHOR, APPROVER];

  it.each<[string, object, object | undefined]>([
    ['2 of 2', by(BOTH, 'a "b"\n'), undefined],
    ['1 of 2', by([AUTHOR], 'a "b"\n'), unsigned(1, 2)],
    ['none', {}, unsigned(0, 2)],
    ['of another reason', by(BOTH, 'a'), wrong(APPROVER.id)],
    ['of another module', by(BOTH, 'a "b"\n', 'acme:radar'), wrong(APPROVER.id)],
    ['of another version', by(BOTH, 'a "b"\n', 'acme:lidar', '1.4.1'), wrong(APPROVER.id)],
    ['of another key', by([STRANGER], 'a "b"\n'), other(STRANGER.id)],
    ['of the release', signed('acme:lidar', RELEASE, ...BOTH).signatures, wrong(APPROVER.id)],
  ])('%s', (_title, yank_signatures, expected) => {
    const release = { ...lidar(...BOTH), yanked: 'a "b"\n', yank_signatures };
    const records = recordsOf('acme:lidar', [release]) as never;
    const found = indexReleases(records).find(version('1.4.0'));
    if (!found) throw new Error('not in the list');
    const trust = checksOf()(moduleId('acme:lidar'), records);
    expect(trust.check(found, 'yank')).toEqual(expected);
    // What was found of the release is another fact.
    expect(trust.check(found)).toBeUndefined();
    expect([...(trust.verdicts ?? [])]).toEqual([
      ['yank 1.4.0', expected ?? null],
      ['1.4.0', null],
    ]);
  });
});
