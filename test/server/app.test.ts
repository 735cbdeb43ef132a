import { describe, expect, it } from 'vitest';
import { testRegistry, type TestRequest } from './support/registry.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
const LIDAR = '/v1/modules/acme/lidar';
const NO_TOKEN = 'the request has no bearer token';
const DIGEST = `sha256:${'ab'.repeat(32)}`;

describe('publishing', () => {
  it('adds the release to the release list', async () => {
    const registry = testRegistry();
    const artifact = {
      platform: 'linux/aarch64',
      url: 'https://m.example/x',
      digest: DIGEST,
      size: 7,
    };
    const body = { version: '1.2.9', artifacts: [artifact], deprecated: 'old' };
    expect(await registry.ask('POST', RELEASES, { body })).toMatchObject({
      status: 201,
      json: { module_id: 'acme:lidar', version: '1.2.9', result: 'published' },
    });
    registry.now += 1000;
    await registry.ask('POST', RELEASES, { body: { version: '1.3.0' } });
    const { json, headers } = await registry.ask('GET', LIDAR);
    expect(json).toEqual({
      module_id: 'acme:lidar',
      generation: 2,
      count: 2,
      releases: [
        {
          version: '1.2.9',
          published_at: '2026-11-21T01:02:03Z',
          artifacts: [{ ...artifact, platform: 'linux/arm64' }],
          deprecated: 'old',
          yanked: null,
        },
        { version: '1.3.0', published_at: '2026-11-21T01:02:04Z', deprecated: null, yanked: null },
      ],
    });
    expect(headers.get('etag')).toMatch(/^"[\w-]{22}"$/);
    expect(registry.events).toEqual([
      { kind: 'published', moduleId: 'acme:lidar', version: '1.2.9', tokenId: 't1' },
      { kind: 'published', moduleId: 'acme:lidar', version: '1.3.0', tokenId: 't1' },
    ]);
  });

  it.each<[string, object, number]>([
    ['the same content', {}, 200],
    ['the same content and publish time', { published_at: '2026-11-21T02:02:03+01:00' }, 200],
    ['the same content, as the registry serves it', { yanked: null, deprecated: null }, 200],
    ['another publish time', { published_at: '2026-11-21T01:02:04Z' }, 409],
    ['a deprecation', { deprecated: 'old' }, 409],
    ['an empty list of artifacts', { artifacts: [] }, 409],
    ['other build metadata', { version: '1.0.0+b' }, 201],
  ])('the same version again with %s', async (_title, fields, status) => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0' } });
    const before = (await registry.ask('GET', LIDAR)).text;
    registry.now += 86_400_000;
    const body = { version: '1.0.0', ...fields };
    expect((await registry.ask('POST', RELEASES, { body })).status).toBe(status);
    const isSame = (await registry.ask('GET', LIDAR)).text === before;
    expect(isSame).toBe(status !== 201);
  });

  it('accepts 1 MiB of body, a lowercase scheme, and 1000 characters outside the basic plane', async () => {
    const registry = testRegistry();
    const json = JSON.stringify({ version: '1.0.0', deprecated: '\u{1f916}'.repeat(1000) });
    const body = json + ' '.repeat(1_048_576 - Buffer.byteLength(json));
    const headers = { authorization: `bearer ${registry.token}` };
    expect((await registry.ask('POST', RELEASES, { body, headers })).status).toBe(201);
  });

  it('reports at most fifty errors', async () => {
    const body = { version: '1.0.0', artifacts: Array.from({ length: 60 }, () => 0) };
    const { json } = await testRegistry().ask('POST', RELEASES, { body });
    expect(Object(json).errors).toHaveLength(50);
  });

  it('ignores the order of artifacts', async () => {
    const registry = testRegistry();
    const artifacts = ['linux/arm64', 'any'].map((platform) => {
      return { platform, url: 'https://m.example/x', digest: DIGEST };
    });
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0', artifacts } });
    const body = { version: '1.0.0', artifacts: artifacts.toReversed() };
    expect((await registry.ask('POST', RELEASES, { body })).status).toBe(200);
  });

  it.each<[string, TestRequest, number, string]>([
    ['no body', {}, 400, 'the body is not JSON'],
    [
      '[T424] a key twice',
      { body: '{"version":"1.2.3","version":"1.2.4"}' },
      400,
      'the body has the key "version" twice in one object',
    ],
    ['half a body', { body: '{"version":' }, 400, 'the body is not JSON'],
    [
      'a list',
      { body: [] },
      422,
      'expected an object: a release has version, published_at, artifacts, deprecated, yanked, requires, floor, signatures, yank_signatures and rollout',
    ],
    ['no version', { body: {} }, 422, '/version: required'],
    [
      'text that is not a version',
      { body: { version: '1.2' } },
      422,
      '/version: "1.2" is not a version',
    ],
    ['a version that is a number', { body: { version: 1 } }, 422, '/version: expected text'],
    [
      'a version with an escape sequence',
      { body: { version: '\u001b[2J' } },
      422,
      '/version: "\\u{1b}[2J" is not a version',
    ],
    [
      'an unknown field',
      { body: { version: '1.0.0', artefacts: [] } },
      422,
      '/artefacts: unknown field; a release has version, published_at, artifacts, deprecated, yanked, requires, floor, signatures, yank_signatures and rollout',
    ],
    [
      'text that is not a time',
      { body: { version: '1.0.0', published_at: 'now' } },
      422,
      '/published_at: "now" is not a time',
    ],
    [
      'an unknown platform',
      {
        body: {
          version: '1.0.0',
          artifacts: [{ platform: 'win32', url: 'https://x.y', digest: DIGEST }],
        },
      },
      422,
      '/artifacts/0/platform: "win32" is not one of linux/amd64, linux/arm64, any, linux/any, any/amd64, any/arm64',
    ],
    [
      'a digest that is too short',
      {
        body: {
          version: '1.0.0',
          artifacts: [{ platform: 'any', url: 'https://x.y', digest: 'sha256:ab' }],
        },
      },
      422,
      '/artifacts/0/digest: expected sha256: and 64 or sha512: and 128 hexadecimal digits',
    ],
    [
      'an address with a password',
      {
        body: {
          version: '1.0.0',
          artifacts: [{ platform: 'any', url: 'https://u:p@x.y', digest: DIGEST }],
        },
      },
      422,
      '/artifacts/0/url: not an address: user info before the host x.y: credentials do not belong here',
    ],
    [
      'two artifacts for the same platform',
      {
        body: {
          version: '1.0.0',
          artifacts: ['linux/x64', 'linux/amd64'].map((platform) => {
            return { platform, url: 'https://x.y', digest: DIGEST };
          }),
        },
      },
      422,
      '/artifacts: two artifacts for the same platform',
    ],
    [
      'half a surrogate pair',
      { body: '{"version":"1.0.0","deprecated":"\\ud800"}' },
      422,
      '/deprecated: contains half a surrogate pair',
    ],
    [
      'a negative size',
      {
        body: {
          version: '1.0.0',
          artifacts: [{ platform: 'any', url: 'https://x.y', digest: DIGEST, size: -1 }],
        },
      },
      422,
      '/artifacts/0/size: expected a number of bytes',
    ],
    ...[
      [null, 'expected a number of bytes'],
      [1.5, 'expected a whole number of bytes'],
      [2 ** 53, 'expected a whole number of bytes'],
    ].map(([size, expected]): [string, TestRequest, number, string] => [
      `the size ${size}`,
      {
        body: {
          version: '1.0.0',
          artifacts: [{ platform: 'any', url: 'https://x.y', digest: DIGEST, size }],
        },
      },
      422,
      `/artifacts/0/size: ${expected}`,
    ]),
    [
      'a body that is too large',
      { body: ' '.repeat(1_048_577) },
      413,
      'the body may have at most 1048576 bytes',
    ],
    ['a deeply nested body', { body: '['.repeat(100_000) }, 400, 'the body is not JSON'],
    [
      'another content type',
      { body: '{}', headers: { 'content-type': 'text/plain' } },
      415,
      'send the body with content-type: application/json',
    ],
    [
      'a content type that begins like JSON',
      { body: '{}', headers: { 'content-type': 'application/jsonp' } },
      415,
      'send the body with content-type: application/json',
    ],
    [
      'the content type JSON with parameters, for its fields',
      { body: '{}', headers: { 'content-type': 'Application/JSON ; charset=utf-8' } },
      422,
      '/version: required',
    ],
    ['no token', { body: {}, headers: { authorization: '' } }, 401, NO_TOKEN],
    ['another scheme', { body: {}, headers: { authorization: 'Basic x' } }, 401, NO_TOKEN],
    ['two schemes', { body: {}, headers: { authorization: 'Basic Bearer x' } }, 401, NO_TOKEN],
    ['two tokens', { body: {}, headers: { authorization: 'Bearer x y' } }, 401, NO_TOKEN],
    [
      'an unknown token',
      { body: {}, headers: { authorization: 'Bearer modreg_x' } },
      401,
      'this registry did not create the token',
    ],
  ])('refuses %s', async (_title, request, status, detail) => {
    const registry = testRegistry();
    const answer = await registry.ask('POST', RELEASES, request);
    expect([answer.status, Object(answer.json).detail]).toEqual([status, detail]);
    expect(registry.catalogue.modules()).toEqual([]);
  });
});
