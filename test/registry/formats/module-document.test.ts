import { describe, expect, it } from 'vitest';
import { releaseEntries } from '../../../src/registry/formats/release-document.ts';
import { decodedWays, decodeReleaseDocument } from '../../support/decoded-list.ts';
import { moduleId } from '../../support/ask.ts';
import { NODE_MAJOR } from '../../support/node-major.ts';

const LIDAR = moduleId('acme:lidar');

function decode(releases: unknown, rest: object = {}): unknown {
  return decodeReleaseDocument({ releases, ...rest }, LIDAR);
}

it('decodes every field of a release', () => {
  const document = {
    module_id: 'acme:lidar',
    generation: 7,
    count: 6,
    releases: [
      {
        version: '1.2.3',
        published_at: '2026-11-21T01:02:03Z',
        artifacts: [
          { platform: 'linux/arm64', url: 'https://x.example/a', digest: 'SHA256:AB', size: 12 },
          { platform: 'any' },
        ],
        yanked: 'burns',
        deprecated: 'old',
      },
      { version: '1.2.4', published_at: null, artifacts: null, yanked: null, deprecated: null },
      { version: '1.3.0', rollout: { salt: 's1', percent: 5, share: 0.0512, halted: 'stops' } },
      { version: '1.3.1', rollout: { salt: 's2', percent: 100, share: 1, halted: null } },
      { version: '1.3.2', rollout: null },
      {
        version: '1.3.3',
        rollout: { salt: 's3', percent: 0, share: 0, groups: ['lab', 'a.B_c-9'] },
      },
    ],
  };
  expect(decodeReleaseDocument(document, LIDAR)).toEqual({
    records: [
      {
        version: '1.2.3',
        publishedAt: 1795222923000,
        artifacts: [
          { platform: 'linux/arm64', url: 'https://x.example/a', digest: 'sha256:ab', size: 12 },
          { platform: 'any' },
        ],
        yanked: 'burns',
        deprecated: 'old',
      },
      { version: '1.2.4' },
      { version: '1.3.0', rollout: { salt: 's1', percent: 5, share: 0.0512, halted: 'stops' } },
      { version: '1.3.1', rollout: { salt: 's2', percent: 100, share: 1 } },
      { version: '1.3.2' },
      {
        version: '1.3.3',
        rollout: { salt: 's3', percent: 0, share: 0, groups: ['lab', 'a.B_c-9'] },
      },
    ],
    dropped: [],
    generation: 7,
  });
});

describe('a field that cannot be read gets its most restrictive value and is reported', () => {
  it.each([
    [
      'a time',
      { published_at: 'soon' },
      {},
      '/releases/0/published_at is "soon", expected a date and time with its offset, such as 2026-11-21T01:02:03Z',
    ],
    ['yanked: true', { yanked: true }, { yanked: '' }, undefined],
    ['yanked: false', { yanked: false }, {}, undefined],
    [
      'yanked: a number',
      { yanked: 0 },
      { yanked: '' },
      '/releases/0/yanked is the number 0, expected a string',
    ],
    [
      'deprecated: a list',
      { deprecated: [] },
      { deprecated: '' },
      '/releases/0/deprecated is a list, expected a string',
    ],
    [
      'rollout: true',
      { rollout: true },
      { rollout: { salt: '', percent: 0, share: 0 } },
      '/releases/0/rollout is the boolean true, expected an object with salt, percent and share',
    ],
    [
      'rollout: without a salt, which includes no machine',
      { rollout: { percent: 100, share: 1 } },
      { rollout: { salt: '', percent: 100, share: 0 } },
      '/releases/0/rollout/salt is nothing, expected text of at most 256 characters',
    ],
    [
      'rollout: a salt that is too long',
      { rollout: { salt: 'x'.repeat(257), percent: 100, share: 1 } },
      { rollout: { salt: '', percent: 100, share: 0 } },
      expect.stringMatching(/^\/releases\/0\/rollout\/salt is "x+…", expected text/),
    ],
    [
      'rollout: a share above 1',
      { rollout: { salt: 's1', percent: 5, share: 5 } },
      { rollout: { salt: 's1', percent: 5, share: 0 } },
      '/releases/0/rollout/share is the number 5, expected a number from 0 to 1',
    ],
    [
      'rollout: a share below 0',
      { rollout: { salt: 's1', percent: 5, share: -0.1 } },
      { rollout: { salt: 's1', percent: 5, share: 0 } },
      '/releases/0/rollout/share is the number -0.1, expected a number from 0 to 1',
    ],
    [
      'rollout: a percentage that is text',
      { rollout: { salt: 's1', percent: '5', share: 0.5 } },
      { rollout: { salt: 's1', percent: 50, share: 0.5 } },
      '/releases/0/rollout/percent is "5", expected a number from 0 to 100',
    ],
    [
      '[T404] rollout: groups that are no list',
      { rollout: { salt: 's1', percent: 0, share: 0, groups: 'canary' } },
      { rollout: { salt: 's1', percent: 0, share: 0 } },
      '/releases/0/rollout/groups is "canary", expected a list of at most 16 groups',
    ],
    [
      '[T404] rollout: more groups than a rollout has',
      { rollout: { salt: 's1', percent: 0, share: 0, groups: Array(17).fill('canary') } },
      { rollout: { salt: 's1', percent: 0, share: 0 } },
      '/releases/0/rollout/groups is a list, expected a list of at most 16 groups',
    ],
    [
      '[T404] rollout: a group that is no name',
      { rollout: { salt: 's1', percent: 0, share: 0, groups: ['lab', 'a b'] } },
      { rollout: { salt: 's1', percent: 0, share: 0, groups: ['lab'] } },
      '/releases/0/rollout/groups/1 is "a b", expected a group, which is up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit',
    ],
    [
      '[T404] rollout: groups without a salt, which include no machine',
      { rollout: { percent: 0, share: 0, groups: ['lab'] } },
      { rollout: { salt: '', percent: 0, share: 0 } },
      '/releases/0/rollout/salt is nothing, expected text of at most 256 characters',
    ],
    [
      'rollout: halted without a reason',
      { rollout: { salt: 's1', percent: 5, share: 0.05, halted: true } },
      { rollout: { salt: 's1', percent: 5, share: 0.05, halted: '' } },
      undefined,
    ],
    [
      'rollout: halted by a number',
      { rollout: { salt: 's1', percent: 5, share: 0.05, halted: 0 } },
      { rollout: { salt: 's1', percent: 5, share: 0.05, halted: '' } },
      '/releases/0/rollout/halted is the number 0, expected a string',
    ],
    [
      'artifacts: an object',
      { artifacts: {} },
      { artifacts: [] },
      '/releases/0/artifacts is an object, expected a list of at most 1000 artifacts',
    ],
    [
      'an artifact: null',
      { artifacts: [null] },
      { artifacts: [] },
      '/releases/0/artifacts/0 is null, expected an object with a platform',
    ],
    [
      'a platform: a number',
      { artifacts: [{ platform: 1 }] },
      { artifacts: [] },
      '/releases/0/artifacts/0 is an object, expected an object with a platform',
    ],
    [
      'a digest',
      { artifacts: [{ platform: 'any', digest: 'md5:00' }] },
      { artifacts: [{ platform: 'any' }] },
      '/releases/0/artifacts/0/digest is "md5:00", expected sha256:, sha512: or sha1: followed by hexadecimal digits',
    ],
    [
      'a size',
      { artifacts: [{ platform: 'any', size: '1', url: 2 }] },
      { artifacts: [{ platform: 'any' }] },
      undefined,
    ],
    [
      'a size that parses to Infinity',
      { artifacts: [{ platform: 'any', size: JSON.parse('1e999') as unknown }] },
      { artifacts: [{ platform: 'any' }] },
      undefined,
    ],
  ])('%s', (_, fields, record, dropped) => {
    expect(decode([{ version: '1.0.0', ...fields }])).toEqual({
      records: [{ version: '1.0.0', ...record }],
      dropped: dropped === undefined ? [] : [dropped],
    });
  });
});

it.each([
  [1000, 1000, []],
  [1001, 0, ['/releases/0/artifacts is a list, expected a list of at most 1000 artifacts']],
])('a release may have 1,000 artifacts: %i', (count, read, dropped) => {
  const artifacts = Array.from({ length: count }, () => ({ platform: 'any' }));
  const entries = releaseEntries({ releases: [{ version: '1.0.0', artifacts }] }, LIDAR);
  for (const list of decodedWays(entries)) {
    expect(list.records.at(0)?.artifacts).toHaveLength(read);
    expect(list.dropped).toEqual(dropped);
  }
});

it.each([0, 1, 32, 33, 64])('the entries of a list of %i are counted from both ends', (length) => {
  const releases = Array.from({ length }, (_, at) => ({ version: `1.0.${at}` }));
  for (const { records } of decodedWays(releaseEntries({ releases }, LIDAR))) {
    const at = (index: number): string | undefined => records.at(index)?.version;
    expect([at(-length - 1), at(length)]).toEqual([undefined, undefined]);
    expect([at(0), at(-1)]).toEqual([releases.at(0)?.version, releases.at(-1)?.version]);
    expect([at(-length), at(length - 1)]).toEqual([at(0), at(-1)]);
  }
});

it('[D10] an entry that is not a release stays in the list with its JSON as version', () => {
  expect(decode([null, 42, '1.0.0', [], { version: 1 }, { v: '1.0.0' }, { version: '' }])).toEqual({
    records: [
      { version: 'null' },
      { version: '42' },
      { version: '"1.0.0"' },
      { version: '[]' },
      { version: '{"version":1}' },
      { version: '{"v":"1.0.0"}' },
      { version: '' },
    ],
    dropped: [],
  });
});

describe('[T23] refuses a document that is not a release list', () => {
  it.each<[unknown, string]>([
    [null, 'found null, expected an object'],
    [[], 'found a list, expected an object'],
    ['x', 'found "x", expected an object'],
    [{}, 'found neither "releases" nor the "versions" of an npm packument'],
    [{ releases: {} }, '/releases is an object, expected a list'],
    [{ releases: null }, '/releases is null, expected a list'],
    [{ versions: [] }, '/versions is a list, expected an object'],
    [{ versions: null }, '/versions is null, expected an object'],
    [{ module_id: 'acme:arm', releases: [] }, '/module_id is "acme:arm", expected "acme:lidar"'],
    [{ count: null, releases: [] }, '/count is null, expected a number'],
    [{ count: '0', releases: [] }, '/count is "0", expected a number'],
    [{ module_id: 7, releases: [] }, '/module_id is the number 7, expected "acme:lidar"'],
    [
      JSON.parse('{"__proto__": {"releases": []}}'),
      'found neither "releases" nor the "versions" of an npm packument',
    ],
  ])('%j', (document, message) => {
    expect(() => decodeReleaseDocument(document, LIDAR)).toThrow(
      expect.objectContaining({ name: 'RegistryError', kind: 'not-a-registry', message }),
    );
  });
});

it('[T24] refuses a list with fewer releases than its count', () => {
  expect(() => decode([{ version: '1.0.0' }], { count: 40 })).toThrow(
    expect.objectContaining({
      kind: 'registry-regressed',
      message: '/count is 40, but /releases has a length of 1',
    }),
  );
});

it('[T29] refuses a list of more than a million entries', () => {
  const releases = Array.from({ length: 1_000_001 }, () => 0);
  expect(() => decode(releases)).toThrow(
    expect.objectContaining({
      kind: 'list-too-large',
      message: 'it has 1000001 entries (limit 1000000)',
    }),
  );
});

it('an entry that is nested too deeply for JSON.stringify stays in the list by its description', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
  // Node 26 has no such limit.
  const described = NODE_MAJOR < 26 ? 'a list' : JSON.stringify(deep);
  expect(decode([deep, { version: '1.0.0' }])).toEqual({
    records: [{ version: described }, { version: '1.0.0' }],
    dropped: [],
  });
});

it('ignores a list of more than 1,000 artifacts', () => {
  const artifacts = Array.from({ length: 1001 }, () => ({ platform: 'any' }));
  expect(decode([{ version: '1.0.0', artifacts }])).toEqual({
    records: [{ version: '1.0.0', artifacts: [] }],
    dropped: ['/releases/0/artifacts is a list, expected a list of at most 1000 artifacts'],
  });
});
