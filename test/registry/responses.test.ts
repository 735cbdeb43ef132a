import { describe, expect, it } from 'vitest';
import { secret } from '../../src/core/index.ts';
import { retryBudget } from '../../src/registry/retry-budget.ts';
import { answers, document, HOST, json, status, text } from '../../mocks/scripted-registry.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const PATH = '/v1/modules/acme/lidar';
const WHERE = `the registry ${HOST}`;
const NOT_A_REGISTRY = `not-a-registry: ${WHERE} does not respond like a registry`;

/** The path of a package, and its packument. */
const NPM = '/@acme%2flidar';
function packument(...versions: readonly string[]): object {
  return {
    name: '@acme/lidar',
    versions: Object.fromEntries(versions.map((version) => [version, {}])),
  };
}

async function proxyThatDenies(): Promise<Response> {
  return await Promise.resolve(new Response(null, { status: 407 }));
}

it('[T20] [T416] a proxy that denies access is reported alike', async () => {
  const { registry } = remembered(HOST, { fetch: async () => await proxyThatDenies() });
  expect(await outcomeOf(registry.read(LIDAR))).toBe(
    `registry-refused: the proxy denies access to ${WHERE} (407)`,
  );
});

describe('a response', () => {
  const list = JSON.stringify({ module_id: LIDAR, generation: 1, count: 0, releases: [] });
  it.each([
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['application/json ;v=1', true],
    ['application/vnd.modreg.v1+json', true],
    ['application/jsonp', false],
    ['application/json5', false],
    ['text/json', true],
    ['application/json, application/json', true],
    ['text/json5', false],
    ['x-application/json', false],
  ])('[T422] of the type %s', async (type, isRead) => {
    const { registry } = remembered(HOST);
    asked.next(text(list, type));
    const expected = isRead ? '' : `${NOT_A_REGISTRY}: got ${type}`;
    expect(await outcomeOf(registry.read(LIDAR))).toBe(expected);
  });

  it.each([
    [0, ''],
    [
      1,
      `list-too-large: the response from ${WHERE} is too large: it has more than ${list.length - 1} bytes`,
    ],
  ])('may have `largestList` bytes: %i more', async (more, expected) => {
    const { registry } = remembered(HOST, { limits: { largestList: list.length - more } });
    asked.next(text(list, 'application/json'));
    expect(await outcomeOf(registry.read(LIDAR))).toBe(expected);
  });

  it.each([
    [0, ''],
    [
      1,
      `list-too-large: the response from ${WHERE} is too large: its content-length is ${list.length} bytes (limit ${list.length - 1})`,
    ],
  ])('may announce `largestList` bytes: %i more', async (more, expected) => {
    const { registry } = remembered(HOST, { limits: { largestList: list.length - more } });
    const headers = { 'content-type': 'application/json', 'content-length': `${list.length}` };
    asked.next(() => new Response(list, { headers }));
    expect(await outcomeOf(registry.read(LIDAR))).toBe(expected);
  });

  it('that is not a list is the cause of its error', async () => {
    const { registry } = remembered(HOST);
    asked.next(json({}));
    await expect(registry.read(LIDAR)).rejects.toMatchObject({
      cause: { name: 'RegistryError', message: '/module_id is missing' },
    });
  });

  it.each(['', 'none', 'identity', 'None'])(
    '[T422] may say that its encoding is none as %o',
    async (encoding) => {
      const { registry } = remembered(HOST);
      const headers = { 'content-type': 'text/json', 'content-encoding': encoding };
      asked.next(() => new Response(list, { headers }));
      expect(await outcomeOf(registry.read(LIDAR))).toBe('');
    },
  );

  it('may be redirected three times, each relative to the last address', async () => {
    const { registry } = remembered(HOST);
    asked.next(
      status(301, { location: '/a/b' }),
      status(303, { location: 'c' }),
      status(307, { location: '../d' }),
      document(['1.0.0']),
    );
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0');
    expect(asked.requests).toEqual([PATH, '/a/b', '/a/c', '/d']);
  });

  it('asks to retry after a part of a second, which is shown as a whole one', async () => {
    const { registry, clock } = remembered(HOST, { limits: { retryWithinMs: 0 } });
    clock.advance(400);
    asked.next(status(503, { 'retry-after': 'Sat, 21 Nov 2026 01:02:33 GMT' }));
    await expect(registry.read(LIDAR)).rejects.toMatchObject({
      message: `${WHERE} is busy or failing (503), and asks to retry after 30 s`,
      retryAfterMs: 29_600,
    });
  });
});

it('a token that is part of the address does not hide when to retry', async () => {
  const { registry, clock } = remembered(HOST, { token: () => secret('registry.example') });
  asked.next(status(503, { 'retry-after': '7' }), document(['1.0.0']));
  expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0');
  expect(clock.sleeps).toEqual([7000]);
});

describe('[D21] a saved list that is too old', () => {
  it('is an error that names the cause and what to do', async () => {
    const machine = remembered(HOST, { maxIndexAgeMs: 1000 });
    asked.next(document(['1.0.0']), status(404, { 'content-type': 'text/html' }));
    await machine.registry.read(LIDAR);
    machine.clock.advance(2000);
    await expect(machine.registry.read(LIDAR)).rejects.toMatchObject({
      kind: 'list-stale',
      hint: `the response of ${HOST}/v1/modules/acme/lidar is "text/html", not JSON: is there a registry at this address?`,
      cause: { kind: 'unknown-module' },
    });
  });
});

it('what cannot be read in a list is reported, also while the saved list is used', async () => {
  const { registry, restarted } = remembered(HOST, { limits: { retryWithinMs: 0 } });
  const dropped = [
    '/releases/0/published_at is the number 7, expected a date and time with its offset, such as 2026-11-21T01:02:03Z',
  ];
  asked.next(document([{ version: '1.0.0', published_at: 7 }]), status(500));
  expect((await registry.read(LIDAR)).dropped).toEqual(dropped);
  expect(await restarted().read(LIDAR)).toMatchObject({ source: 'saved', dropped });
});

describe('[T44] the entity tag of an unchanged list', () => {
  it('is replaced if the registry has another one for the same bytes', async () => {
    const machine = remembered(HOST);
    const list = { module_id: LIDAR, generation: 1, count: 0, releases: [] };
    asked.next(json(list, { etag: '"a"' }), json(list, { etag: '"b"' }), status(304));
    for (let reads = 0; reads < 3; reads++) await machine.registry.read(LIDAR);
    expect(asked.requests).toEqual([PATH, `${PATH} known "a"`, `${PATH} known "b"`]);
  });
});

describe('[T60] while a list is requested, another process saves a list', () => {
  it('without a generation: a 304 for the earlier list does not replace it', async () => {
    const machine = remembered(`npm:${HOST}`);
    asked.next(json(packument('1.0.0'), { etag: '"a"' }));
    await machine.registry.read(LIDAR);
    asked.next(async () => {
      asked.next(json(packument('1.0.0', '1.1.0'), { etag: '"b"' }));
      await machine.restarted().read(LIDAR);
      return new Response(null, { status: 304 });
    });
    expect(await outcomeOf(machine.registry.read(LIDAR))).toBe('1.0.0 1.1.0');
    expect(asked.requests).toEqual([NPM, `${NPM} known "a"`, `${NPM} known "a"`]);
  });

  it('of the same generation with other content: the response is refused', async () => {
    const machine = remembered(HOST);
    asked.next(document(['1.0.0'], { generation: 1 }));
    await machine.registry.read(LIDAR);
    asked.next(async (request) => {
      asked.next(document(['1.0.0', '1.1.0'], { generation: 2 }));
      await machine.restarted().read(LIDAR);
      return await document(['1.0.0', '1.2.0'], { generation: 2 })(request);
    });
    expect(await outcomeOf(machine.registry.read(LIDAR))).toBe(
      `registry-regressed: the list of acme:lidar at ${HOST} went backwards: generation 2 again, with different content`,
    );
  });
});

it.each<[string | undefined, string, readonly string[]]>([
  ['acme', '/v1/modules?namespace=acme', ['acme:lidar', 'acme:arm']],
  [undefined, '/v1/modules', ['acme:lidar', 'acme:arm']],
])('the modules of a registry, namespace %s', async (namespace, path, expected) => {
  const { remote } = remembered(HOST);
  asked.next(json({ modules: ['acme:lidar', 'not an id', 'acme:arm'] }), status(404));
  const list = async (): Promise<unknown> =>
    await remote.modules?.(namespace, { budget: retryBudget() });
  expect([await list(), await list()]).toEqual([expected, undefined]);
  expect(asked.requests).toEqual([path, path]);
});
