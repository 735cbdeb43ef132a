import { describe, expect, it } from 'vitest';
import { ociContents, ociRepository, type OciFile } from '../../mocks/oci-registry.ts';
import { answers, HOST } from '../../mocks/scripted-registry.ts';
import type { Eligibility } from '../../src/core/index.ts';
import type { ReleaseList } from '../../src/registries/index.ts';
import type { Wanted } from '../../src/registry/wanted-release.ts';
import { constraint } from '../support/ask.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const NAME = 'acme/lidar';
const PATH = `/v2/${NAME}`;
const NOW = Date.parse('2026-11-21T01:02:03Z');

function wanted(text: string, eligibility: Partial<Eligibility> = {}): Wanted {
  const platform = 'linux/arm64' as const;
  return () => [
    { constraint: constraint(text), eligibility: { now: NOW, platform, ...eligibility } },
  ];
}

function file(text: string, more: Omit<OciFile, 'body'> = {}): OciFile {
  return { body: Buffer.from(text), ...more };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

describe('a release', () => {
  it.each([
    ['an artifact that oras pushed', file('x', { created: '2026-11-01T00:00:00Z' }), ['any']],
    ['an image', file('x', { platform: 'linux/arm64' }), ['linux/arm64']],
    [
      'an index, without what runs on no machine',
      [
        file('x', { platform: 'linux/amd64' }),
        file('y', { platform: 'linux/arm64' }),
        file('z', { platform: 'unknown/unknown' }),
        file('w', { platform: 'windows/amd64' }),
      ],
      ['linux/amd64', 'linux/arm64'],
    ],
    ['a container of two layers, which is no file', 2, ['any']],
  ])('%s', async (_, release, platforms) => {
    const contents = ociContents({ '1.0.0': release });
    asked.next(ociRepository(NAME, contents));
    const { registry } = remembered(`oci:${HOST}`);
    const { records } = await registry.read(LIDAR, undefined, wanted('latest'));
    const [record] = records;
    expect(record?.artifacts?.map(({ platform }) => platform)).toEqual(platforms);
    for (const { url, digest = '', size } of record?.artifacts ?? []) {
      const [path, length] =
        release === 2 ? [undefined, undefined] : [`${HOST}${PATH}/blobs/${digest}`, 1];
      expect([url, size, contents.content.has(digest)]).toEqual([path, length, true]);
    }
  });
});

it('the annotation of the manifest is the publish time', async () => {
  asked.next(
    ociRepository(NAME, ociContents({ '1.0.0': file('x', { created: '2026-11-01T00:00:00Z' }) })),
  );
  const { registry } = remembered(`oci:${HOST}`);
  const { records } = await registry.read(LIDAR, undefined, wanted('latest'));
  expect(records.at(0)?.publishedAt).toBe(Date.parse('2026-11-01T00:00:00Z'));
});

describe('[D112] reads the manifests of what may be selected, each of them once', () => {
  const tags = Object.fromEntries(
    Array.from({ length: 1000 }, (_, place) => [`1.${place}.0`, file('x')]),
  );
  const list = [`${PATH}/tags/list?n=1000`, `${PATH}/tags/list?n=1000&last=1.999.0`];

  it('1,000 tags: two requests, and one for the newest release; then two', async () => {
    asked.next(ociRepository(NAME, ociContents(tags)));
    const machine = remembered(`oci:${HOST}`);
    await machine.registry.read(LIDAR, undefined, wanted('1.*'));
    expect(asked.requests).toEqual([...list, `${PATH}/manifests/1.999.0`]);
    asked.requests.length = 0;
    const before = machine.saved();
    const { records } = await machine.restarted().read(LIDAR, undefined, wanted('1.*'));
    expect(asked.requests).toEqual(list);
    expect(machine.saved()).toBe(before);
    expect(Array.from(records).filter(({ artifacts }) => artifacts)).toHaveLength(1);
  });

  it.each([
    ['1.7.0', {}, ['1.7.0']],
    ['1.2.*', {}, ['1.2.1']],
    ['latest', {}, ['3.0.0', '2.0.0']],
    ['latest', { platform: undefined }, ['3.0.0']],
    [
      'latest',
      { minimumAge: { ms: 7 * 86_400_000, unknown: 'refuse' } as const },
      ['3.0.0', '2.0.0', '1.7.0'],
    ],
  ])('%s with %o', async (text, eligibility, read) => {
    const releases = {
      '1.2.0': file('a'),
      '1.2.1': file('b'),
      '1.7.0': file('c', { created: '2026-11-01T00:00:00Z' }),
      '2.0.0': file('d', { created: '2026-11-20T00:00:00Z' }),
      '3.0.0': file('e', { platform: 'linux/amd64' }),
    };
    asked.next(ociRepository(NAME, ociContents(releases)));
    const { registry } = remembered(`oci:${HOST}`);
    await registry.read(LIDAR, undefined, wanted(text, eligibility));
    const manifests = asked.requests.flatMap((line) => /manifests\/(.*)$/.exec(line)?.[1] ?? []);
    expect(manifests).toEqual(read);
  });
});

describe('[D110] a leading v of a tag is dropped', () => {
  it.each([
    [['v1.0.0', 'v1.1.0'], '1.0.0 1.1.0'],
    [['v1.0.0_7'], '1.0.0+7'],
    [['version', 'vx', 'v', 'V1.0.0'], 'version vx v V1.0.0'],
    [['v3', 'v3.1_beta', 'v3-alpine', 'a_b'], 'v3 v3.1_beta v3-alpine a_b'],
  ])('%o', async (tags, versions) => {
    const releases = Object.fromEntries(tags.map((tag) => [tag, file('x')]));
    asked.next(ociRepository(NAME, ociContents(releases)));
    const { registry } = remembered(`oci:${HOST}`);
    const outcome = await outcomeOf(registry.read(LIDAR));
    expect(outcome.split(' ').toSorted()).toEqual(versions.split(' ').toSorted());
  });

  it('the tag itself is kept, and asked for', async () => {
    asked.next(ociRepository(NAME, ociContents({ 'v1.0.0': file('x') })));
    const { registry } = remembered(`oci:${HOST}`);
    const { records } = await registry.read(LIDAR, undefined, wanted('latest'));
    expect(records.at(0)).toMatchObject({ version: '1.0.0', tag: 'v1.0.0' });
    expect(asked.requests.at(-1)).toBe(`${PATH}/manifests/v1.0.0`);
  });
});

it('[D111] beside the same version without v, a tag with v does not count', async () => {
  asked.next(ociRepository(NAME, ociContents({ 'v1.0.0': file('x'), '1.0.0': file('y') })));
  const { registry } = remembered(`oci:${HOST}`);
  const list: ReleaseList = await registry.read(LIDAR, undefined, wanted('latest'));
  expect(Array.from(list.records, ({ version }) => version)).toEqual(['1.0.0']);
  expect(asked.requests.slice(1)).toEqual([`${PATH}/manifests/1.0.0`]);
});

it.each([
  ['the manifest of an index', [file('x', { platform: 'linux/arm64' })]],
  ['the config of an image', file('x', { platform: 'linux/arm64' })],
])('[T406] %s with another digest is refused', async (_, release) => {
  const contents = ociContents({ '1.0.0': release });
  const top = contents.tags['1.0.0'] ?? '';
  const content = new Map(
    Array.from(contents.content, ([digest, { type, body }]) => {
      const other =
        digest === top || !type.includes('json') ? body : Buffer.concat([body, Buffer.from(' ')]);
      const isConfig = /"os":"linux"/.test(textOf(body)) && !/schema/.test(textOf(body));
      return [
        digest,
        { type, body: isConfig ? Buffer.from('{"os":"linux","architecture":"amd64"}') : other },
      ];
    }),
  );
  asked.next(ociRepository(NAME, { ...contents, content }));
  const { registry, saved } = remembered(`oci:${HOST}`);
  expect(await outcomeOf(registry.read(LIDAR, undefined, wanted('latest')))).toMatch(
    /^not-a-registry: the registry oci:https:\/\/registry\.example does not respond like a registry: sha256:[\da-f]{64} has the sha256 [\da-f]{64}$/,
  );
  expect(saved()).toBe('[]');
});
