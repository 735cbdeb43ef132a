import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { npmRegistry } from '../../mocks/npm-registry.ts';
import type { Answer } from '../../mocks/network.ts';
import { answers, HOST, json, status, text } from '../../mocks/scripted-registry.ts';
import { moduleId } from '../support/ask.ts';
import { outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const WHERE = `the registry npm:${HOST}`;

it.each([
  ['uses the namespace as scope', 'acme:lidar', '@acme/lidar', '/@acme%2flidar'],
  ['uses no scope for the namespace npm', 'npm:lidar', 'lidar', '/lidar'],
])('%s', async (_, id, name, path) => {
  const { registry } = remembered(`npm:${HOST}`);
  asked.next(npmRegistry({ name, _rev: 'a', versions: { '1.0.0': {}, '1.1.0': {} } }));
  expect(await outcomeOf(registry.read(moduleId(id)))).toBe('1.0.0 1.1.0');
  expect(await outcomeOf(registry.read(moduleId(id)))).toBe('1.0.0 1.1.0');
  expect(asked.requests).toEqual([path, `${path} known W/"a"`]);
});

it('requests packages below the path of the registry', async () => {
  const { registry } = remembered(`npm:${HOST}/npm/private`);
  asked.next(npmRegistry({ name: 'lidar', versions: {} }));
  await registry.read(moduleId('npm:lidar'));
  expect(asked.requests).toEqual(['/npm/private/lidar']);
});

it('prefers the full packument, which has publish times', async () => {
  const { registry } = remembered(`npm:${HOST}`);
  const accepts: (string | null)[] = [];
  asked.next((request) => {
    accepts.push(request.headers.get('accept'));
    return npmRegistry({ name: 'lidar', versions: {} })(request);
  });
  await registry.read(moduleId('npm:lidar'));
  expect(accepts).toEqual(['application/json, application/vnd.npm.install-v1+json;q=0.5']);
});

it('reads a packument with more values, and more bytes, than a list of modreg may have', async () => {
  const limits = { largestList: 100, largestPackument: 1_000_000 };
  const { registry } = remembered(`npm:${HOST}`, { limits });
  const keywords = Array.from({ length: 250_001 }, () => 0);
  asked.next(npmRegistry({ name: 'lidar', keywords, versions: { '1.0.0': {} } }));
  expect(await outcomeOf(registry.read(moduleId('npm:lidar')))).toBe('1.0.0');
});

it('refuses a packument with more than four million commas and brackets', async () => {
  const { registry } = remembered(`npm:${HOST}`);
  // It ignores `Accept`.
  const large = json({ name: 'lidar', versions: {}, keywords: Array(4_000_000).fill(0) });
  asked.next(large, large);
  expect(await outcomeOf(registry.read(moduleId('npm:lidar')))).toBe(
    `list-too-large: the response from ${WHERE} is too large: it has more than 4000000 commas and brackets`,
  );
});

it('refuses a packument that is larger than `largestPackument`', async () => {
  const { registry } = remembered(`npm:${HOST}`, { limits: { largestPackument: 20 } });
  const large = json({ name: 'lidar', versions: {} });
  asked.next(large, large);
  const reading = registry.read(moduleId('npm:lidar'));
  await expect(reading).rejects.toMatchObject({
    kind: 'list-too-large',
    message: `the response from ${WHERE} is too large: it has more than 20 bytes`,
    hint: 'unpublish old versions, or move the module to a new name: the abbreviated packument cannot be read either',
  });
});

it('reads a real packument', async () => {
  const path = new URL('../fixtures/registry/npm/typescript.json', import.meta.url);
  const { registry } = remembered(`npm:${HOST}`);
  asked.next(
    text(readFileSync(path, 'utf8'), 'application/vnd.npm.install-v1+json; charset=utf-8'),
  );
  expect((await registry.read(moduleId('npm:typescript'))).records).toHaveLength(3478);
});

it('[D12] a packument without `time` has no publish times', async () => {
  const { registry } = remembered(`npm:${HOST}`);
  const versions = { '1.0.0': {} };
  const time = { '1.0.0': '2026-01-02T03:04:05.678Z' };
  asked.next(npmRegistry({ name: 'a', versions, time }), npmRegistry({ name: 'a', versions }));
  const full = await registry.read(moduleId('npm:a'));
  const abbreviated = await registry.read(moduleId('npm:a'));
  expect([full, abbreviated].map(({ records }) => records.at(0)?.publishedAt)).toEqual([
    Date.parse('2026-01-02T03:04:05.678Z'),
    undefined,
  ]);
});

describe('refuses a response that is not the packument', () => {
  it.each([
    ['[T21] 404', npmRegistry(), `unknown-module: ${WHERE} has no module npm:a (a)`],
    [
      'the packument of another package',
      json({ name: 'b', versions: {} }),
      `not-a-registry: ${WHERE} does not respond like a registry: /name is "b", expected "a"`,
    ],
    [
      'a packument without versions',
      json({ name: 'a' }),
      `not-a-registry: ${WHERE} does not respond like a registry: /versions is nothing, expected an object`,
    ],
    [
      '[T23] a list',
      json([]),
      `not-a-registry: ${WHERE} does not respond like a registry: found a list, expected an object`,
    ],
  ])('%s', async (_, answer, outcome) => {
    const { registry, saved } = remembered(`npm:${HOST}`);
    asked.next(answer);
    expect(await outcomeOf(registry.read(moduleId('npm:a')))).toBe(outcome);
    expect([saved(), asked.requests]).toEqual(['[]', ['/a']]);
  });
});

it('[T419] says that all versions of a package were unpublished', async () => {
  const { registry } = remembered(`npm:${HOST}`);
  const unpublished = { name: 'lidar', time: '2016-03-22T20:00:00.000Z', versions: ['1.0.0'] };
  asked.next(json({ name: 'lidar', time: { unpublished } }));
  expect(await outcomeOf(registry.read(moduleId('npm:lidar')))).toBe(
    `unknown-module: ${WHERE} no longer has this module: all of its versions were unpublished (2016-03-22T20:00:00.000Z)`,
  );
});

it('[T420] reads the abbreviated packument if the full one is too large, and asks for it from then on', async () => {
  const { registry } = remembered(`npm:${HOST}`, { limits: { largestPackument: 300 } });
  const keywords = Array.from({ length: 200 }, () => 0);
  const server = npmRegistry({ name: 'lidar', keywords, versions: { '1.0.0': {} } });
  asked.next(server);
  const id = moduleId('npm:lidar');
  const list = await registry.read(id);
  expect([list.records.length, list.dropped]).toEqual([
    1,
    [
      'its full packument is too large, so the abbreviated one was read, which has no publish times: a minimum_release_age counts from when this machine first saw a release',
    ],
  ]);
  await registry.read(id);
  expect(asked.requests).toEqual(['/lidar', '/lidar', '/lidar']);
});

const page: Answer = () =>
  new Response('<h1>', { status: 404, headers: { 'content-type': 'text/html' } });

describe('[T421] a proxy that refuses %2f', () => {
  const read = json({ name: '@acme/lidar', versions: { '1.0.0': {} } });
  it.each<[string, Answer]>([
    ['400', status(400)],
    ['404', page],
  ])('with %s: the package is read once with a slash', async (code, refusal) => {
    const { registry } = remembered(`npm:${HOST}`);
    asked.next(refusal, read);
    const { records, dropped } = await registry.read(moduleId('acme:lidar'));
    expect([records.length, dropped]).toEqual([
      1,
      [
        `a proxy before the registry refuses /@acme%2flidar (${code}), so /@acme/lidar was read: allow encoded slashes there, as npm sends them`,
      ],
    ]);
    expect(asked.requests).toEqual(['/@acme%2flidar', '/@acme/lidar']);
  });

  const hint =
    'neither /@acme%2flidar nor /@acme/lidar is answered with JSON; if a proxy refuses %2f, allow encoded slashes there, as npm sends them';
  it.each<[Answer, object]>([
    [status(400), { message: `${WHERE} does not respond like a registry: got 400`, hint }],
    [page, { message: `${WHERE} has no module acme:lidar (@acme/lidar)`, hint }],
  ])('both ways: the hint says so', async (refusal, error) => {
    const { registry } = remembered(`npm:${HOST}`);
    asked.next(refusal, refusal);
    await expect(registry.read(moduleId('acme:lidar'))).rejects.toMatchObject(error);
  });

  it('is not looked for if the registry says that there is no such package', async () => {
    const { registry } = remembered(`npm:${HOST}`);
    asked.next(npmRegistry());
    await outcomeOf(registry.read(moduleId('acme:lidar')));
    expect(asked.requests).toEqual(['/@acme%2flidar']);
  });
});
