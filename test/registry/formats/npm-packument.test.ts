import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeReleaseDocument } from '../../support/decoded-list.ts';
import { ask, chosen, moduleId } from '../../support/ask.ts';

const ID = moduleId('npm:thing');

function decode(packument: unknown): ReturnType<typeof decodeReleaseDocument> {
  return decodeReleaseDocument(packument, ID);
}

function platforms(os: unknown, cpu: unknown): unknown {
  const [record] = decode({ versions: { '1.0.0': { os, cpu } } }).records;
  return record?.artifacts?.map(({ platform }) => platform);
}

it('reads versions, time, deprecated, dist and dist-tags', () => {
  const packument = {
    name: '@acme/thing',
    'dist-tags': { latest: '1.0.0', next: '9.9.9' },
    versions: {
      '1.0.0': {
        deprecated: 'use 1.1',
        dist: {
          tarball: 'https://x.example/1.tgz',
          shasum: 'AB'.repeat(20),
          integrity: 'sha512-/w==',
        },
      },
      '1.1.0': { deprecated: '', dist: { shasum: 'ab'.repeat(20) } },
      '1.2.0': { dist: { integrity: 'sha1-AQ== sha256-Ag== md5-Aw==' } },
      '1.3.0': {},
    },
    time: {
      created: 'x',
      '1.0.0': '2026-11-21T01:02:03.000Z',
      '1.1.0': '2026-11-21T01:02:04.000Z',
    },
  };
  expect(decode(packument)).toEqual({
    records: [
      {
        version: '1.0.0',
        publishedAt: 1795222923000,
        distTags: ['latest'],
        deprecated: 'use 1.1',
        artifacts: [{ platform: 'any/any', url: 'https://x.example/1.tgz', digest: 'sha512:ff' }],
      },
      {
        version: '1.1.0',
        publishedAt: 1795222924000,
        artifacts: [{ platform: 'any/any', digest: `sha1:${'ab'.repeat(20)}` }],
      },
      { version: '1.2.0', artifacts: [{ platform: 'any/any', digest: 'sha256:02' }] },
      { version: '1.3.0', artifacts: [{ platform: 'any/any' }] },
    ],
    dropped: [],
  });
});

it.each<[string, object, string | undefined]>([
  ['the strongest', { integrity: 'sha1-AQ== sha256-Ag== sha512-Aw==' }, 'sha512:03'],
  ['the first of the strongest', { integrity: 'sha256-Ag== sha256-Aw==' }, 'sha256:02'],
  ['with options', { integrity: 'sha256-Ag==?x=y' }, 'sha256:02'],
  ['a shasum', { shasum: 'AB'.repeat(20), integrity: 'md5-Aw==' }, `sha1:${'ab'.repeat(20)}`],
  ['a shasum with a digit too few', { shasum: 'ab'.repeat(20).slice(1) }, undefined],
])('of several digests, one is used: %s', (_, dist, digest) => {
  const { records } = decode({ versions: { '1.0.0': { dist } } });
  expect(records[0]?.artifacts?.[0]?.digest).toBe(digest);
});

it.each([null, [], 'x'])('a `time` that is %j is reported, and times are unknown', (time) => {
  const { records, dropped } = decode({ versions: { '1.0.0': {} }, time });
  expect(records[0]?.publishedAt).toBeUndefined();
  expect(dropped).toHaveLength(1);
  expect(dropped[0]).toMatch(/^\/time is .*, expected an object$/);
});

describe('os and cpu', () => {
  it.each<[unknown, unknown, readonly string[]]>([
    [undefined, undefined, ['any/any']],
    [[], '', ['any/any']],
    [null, null, ['any/any']],
    [['any'], ['any'], ['any/any']],
    [['linux'], undefined, ['linux/any']],
    ['linux', 'arm64', ['linux/arm64']],
    [undefined, ['arm64', 'x64'], ['any/arm64', 'any/x64']],
    [['darwin', 'linux'], ['x64'], ['darwin/x64', 'linux/x64']],
    [['!win32'], undefined, ['linux/any']],
    [['!linux'], undefined, []],
    [undefined, ['!arm64'], ['any/x64']],
    [undefined, ['!arm'], ['any/x64', 'any/arm64']],
    [undefined, ['arm64', '!arm64', 'x64'], ['any/x64']],
  ])('%j and %j', (os, cpu, expected) => {
    expect(platforms(os, cpu)).toEqual(expected);
  });

  it.each<[unknown, string]>([
    [[1], '/versions/1.0.0/os is a list, expected a list of at most 50 names'],
    [{}, '/versions/1.0.0/os is an object, expected a list of at most 50 names'],
    [
      Array.from({ length: 51 }, String),
      '/versions/1.0.0/os is a list, expected a list of at most 50 names',
    ],
  ])('a list that cannot be read allows no platform: %j', (os, dropped) => {
    expect(decode({ versions: { '1.0.0': { os } } })).toEqual({
      records: [{ version: '1.0.0', artifacts: [] }],
      dropped: [dropped],
    });
  });
});

describe('reports fields that cannot be read', () => {
  it.each<[unknown, unknown, string]>([
    [
      { versions: { '1.0.0': null } },
      { artifacts: [] },
      '/versions/1.0.0 is null, expected an object',
    ],
    [
      { versions: { '1.0.0': {} }, time: [] },
      { artifacts: [{ platform: 'any/any' }] },
      '/time is a list, expected an object',
    ],
    [
      { versions: { '1.0.0': {} }, time: { '1.0.0': 5 } },
      { artifacts: [{ platform: 'any/any' }] },
      '/time/1.0.0 is the number 5, expected a date and time with its offset, such as 2026-11-21T01:02:03Z',
    ],
    [
      { versions: { '1.0.0': { deprecated: {} } } },
      { artifacts: [{ platform: 'any/any' }], deprecated: '' },
      '/versions/1.0.0/deprecated is an object, expected a string',
    ],
  ])('%j', (packument, record, dropped) => {
    expect(decode(packument)).toEqual({
      records: [{ version: '1.0.0', ...(record as object) }],
      dropped: [dropped],
    });
  });
});

it('[T34] __proto__ and similar names are ordinary versions and have no times', () => {
  const packument: unknown = JSON.parse(
    '{"versions": {"__proto__": {}, "constructor": {}, "toString": {}, "a/~b": null, "1.0.0": {}}, "time": {"__proto__": {"1.0.0": "2026-11-21T01:02:03Z"}}}',
  );
  const { records, dropped } = decode(packument);
  expect(records.map(({ version }) => version)).toEqual([
    '__proto__',
    'constructor',
    'toString',
    'a/~b',
    '1.0.0',
  ]);
  expect(records.at(-1)?.publishedAt).toBeUndefined();
  expect(dropped).toEqual([
    '/time/__proto__ is an object, expected a date and time with its offset, such as 2026-11-21T01:02:03Z',
    '/versions/a~1~0b is null, expected an object',
  ]);
  expect(Object.keys(Object.prototype)).toEqual([]);
});

describe('real packuments', () => {
  it.each([
    ['typescript', 3478, '5.4.*', '5.4.5'],
    ['typescript', 3478, 'latest', '7.0.2'],
    ['types-node', 2346, '24.*', '24.19.2'],
    ['next', 2627, '16.*', '16.4.6'],
  ])('%s has %i releases, and %s selects %s', (name, count, constraint, expected) => {
    const path = new URL(`../../fixtures/registry/npm/${name}.json`, import.meta.url);
    const { records, dropped } = decode(JSON.parse(readFileSync(path, 'utf8')));
    expect([records.length, dropped]).toEqual([count, []]);
    expect(chosen(ask(constraint, records))).toBe(expected);
  });
});

it('[T99] a list cannot add dependencies, scripts or other modules', () => {
  const plain = { versions: { '1.0.0': { dist: { integrity: 'sha256-Ag==' } } } };
  const more = {
    dependencies: { evil: '1.0.0' },
    peerDependencies: { evil: '*' },
    bundledDependencies: ['evil'],
    scripts: { preinstall: 'sh evil.sh' },
    bin: { modreg: 'evil.js' },
    gypfile: true,
  };
  const hostile = { ...more, versions: { '1.0.0': { ...plain.versions['1.0.0'], ...more } } };
  expect(decode(hostile)).toEqual(decode(plain));
  const entry = { version: '1.0.0', artifacts: [] };
  const own = { module_id: 'npm:thing', generation: 1, count: 1, releases: [entry] };
  const added = { depends_on: ['acme:evil'], modules: ['acme:evil'], exec: 'sh evil.sh' };
  const hostileOwn = { ...own, ...added, releases: [{ ...entry, ...added }] };
  expect(decode(hostileOwn)).toEqual(decode(own));
  expect(decode(own).records).toHaveLength(1);
});

it('[T29] refuses a packument of more than a million versions', () => {
  const versions = Object.assign({}, new Float32Array(1_000_001));
  expect(() => decode({ versions })).toThrow(
    expect.objectContaining({
      kind: 'list-too-large',
      message: 'it has 1000001 entries (limit 1000000)',
    }),
  );
});

function listed(signatures: unknown): unknown {
  const { records } = decode({ versions: { '1.0.0': { dist: { signatures } } } });
  return records[0]?.artifacts?.[0]?.signatures;
}

it('keeps the signatures of a registry, and leaves out what is none', () => {
  const [one, other] = ['a', 'b'].map((letter) => ({ keyid: `SHA256:${letter}`, sig: 'MEUC' }));
  expect([
    listed([one, other]),
    listed([one, { keyid: 'x' }, 'MEUC', { keyid: 7, sig: 'MEUC' }, null]),
    listed([{ keyid: 'x', sig: 'y'.repeat(1001) }]),
    listed('MEUC'),
  ]).toEqual([[one, other], [one], undefined, undefined]);
});

it('dist-tags that are no text, or too long, name nothing', () => {
  const tags = { latest: '1.0.0', next: 7, ['x'.repeat(101)]: '1.0.0', beta: '1.0.0' };
  const [record] = decode({ 'dist-tags': tags, versions: { '1.0.0': {} } }).records;
  expect(record?.distTags).toEqual(['latest', 'beta']);
});
