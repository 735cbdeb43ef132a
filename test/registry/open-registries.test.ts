import { secret } from '../../src/core/index.ts';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  openRegistries,
  type OpenRegistries,
  type OpenRegistriesOptions,
} from '../../src/registries/index.ts';
import { openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { modregRegistry } from '../../mocks/modreg-registry.ts';
import type { Answer } from '../../mocks/network.ts';
import { npmRegistry } from '../../mocks/npm-registry.ts';
import { ociRegistry } from '../../mocks/oci-registry.ts';
import { moduleId } from '../support/ask.ts';
import { testClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { published, publishedFolder } from '../support/published.ts';
import { LIDAR, outcomeOf, told } from './support/remembered.ts';

type RegistryTerms = Parameters<OpenRegistries['open']>[0];

const HTTPS = 'https://registry.example';

/** A `fetch` that responds like each kind of registry, and the requests so far. */
function network(): { readonly requests: string[]; readonly fetch: typeof globalThis.fetch } {
  const requests: string[] = [];
  const own = modregRegistry();
  published(own, LIDAR, '3.0.0');
  const images = ociRegistry({ 'acme/lidar': ['5.0.0'] });
  const packages = npmRegistry({ name: '@acme/lidar', versions: { '4.0.0': {} } });
  const answers: Readonly<Record<string, Answer>> = { v1: own.answer, v2: images };
  const fetch = async (input: string | URL | Request): Promise<Response> => {
    const request = new Request(input);
    const { origin, pathname } = new URL(request.url);
    const token = request.headers.get('authorization') ?? 'no token';
    requests.push(`${origin}${pathname} ${token}`);
    const [, protocol = ''] = pathname.split('/');
    return await (answers[protocol] ?? packages)(request);
  };
  return { requests, fetch };
}

/** A `fetch` that denies access. */
async function refuse(): Promise<Response> {
  return await Promise.resolve(new Response('', { status: 401 }));
}

function thrower(): never {
  throw new Error('s3cret');
}

async function readAt(terms: RegistryTerms, options: OpenRegistriesOptions = {}): Promise<string> {
  const registry = openRegistries(options).open(terms);
  if (!registry.ok) return `${registry.error.kind}: ${registry.error.message}`;
  const one = await outcomeOf(registry.value.read(LIDAR));
  const [all = 'nothing'] = told(await registry.value.readAll([LIDAR]));
  return `${one}, of all ${all}`;
}

describe('reads a list at the address in the terms', () => {
  it.each([
    ['a folder', 'lists', '1.0.0'],
    ['a folder with ./', './lists/', '1.0.0'],
    ['a .db file', 'site.db', '2.0.0'],
    ['a modreg registry', HTTPS, '3.0.0'],
    ['an npm registry', `npm:${HTTPS}`, '4.0.0'],
    ['an OCI registry', `oci:${HTTPS}`, '5.0.0'],
  ])('%s: %s', async (_, registry, version) => {
    const folder = publishedFolder();
    const { fetch } = network();
    const read = `${version}, of all acme:lidar ${version}`;
    expect(await readAt({ registry }, { relativeTo: folder, fetch })).toBe(read);
    const isPath = !registry.includes(':');
    const whole = isPath ? join(folder, registry) : registry;
    expect(await readAt({ registry: whole }, { relativeTo: '/elsewhere', fetch })).toBe(read);
  });

  it('a registry over loopback', async () => {
    const loopback = await loopbackRegistry();
    published(loopback, 'acme:lidar', '1.2.3');
    expect(await readAt({ registry: loopback.address })).toBe('1.2.3, of all acme:lidar 1.2.3');
  });
});

describe('a missing list is an error of `read`', () => {
  it.each([
    ['lists', 'unreadable-file', 'the registry folder "/nowhere/lists" does not exist'],
    ['site.db', 'unreadable-file', '"/nowhere/site.db": there is no such file'],
  ])('%s', async (registry, kind, message) => {
    expect(await readAt({ registry }, { relativeTo: '/nowhere' })).toBe(
      `${kind}: ${message}, of all acme:lidar ${kind}`,
    );
  });

  it('a module that a .db file lacks', async () => {
    const registry = openRegistries().open({ registry: join(publishedFolder(), 'site.db') });
    const read = registry.ok && registry.value.read(moduleId('acme:lider'));
    await expect(read).rejects.toMatchObject({ kind: 'unknown-module', suggestion: 'acme:lidar' });
  });
});

describe('an unusable address is an error of `open`', () => {
  const UNUSABLE = 'the registry address cannot be used';
  it.each<[string, RegistryTerms, string]>([
    ['absent', { registry: undefined }, 'no registry is named'],
    ['empty', { registry: '' }, `${UNUSABLE}: it is empty`],
    [
      'with another scheme',
      { registry: 'ftp://h' },
      `${UNUSABLE}: "ftp:" is not https:, npm:, oci: or github:`,
    ],
    [
      'a cloud metadata address',
      { registry: 'http://169.254.169.254' },
      `${UNUSABLE}: 169.254.169.254 is a link-local address`,
    ],
    [
      'plain http',
      { registry: 'http://10.0.0.7' },
      'a response from the registry at http://10.0.0.7 could be changed in transit',
    ],
    [
      'plain http, with another host allowed',
      { registry: 'http://10.0.0.7', allowHttp: ['10.0.0.8'] },
      'a response from the registry at http://10.0.0.7 could be changed in transit',
    ],
    [
      'with a query',
      { registry: 'https://h/?a' },
      'the address of the registry at https://h has a query or a fragment',
    ],
  ])('%s', async (_, terms, message) => {
    const { requests, fetch } = network();
    const registries = openRegistries({ fetch });
    expect(registries.open(terms)).toMatchObject({
      ok: false,
      error: { name: 'RegistryError', kind: 'bad-address', message },
    });
    const registry = registries.registryFor(terms);
    expect(registries.registryFor({ ...terms })).toBe(registry);
    expect(await outcomeOf(registry.read(LIDAR))).toBe(`bad-address: ${message}`);
    expect(told(await registry.readAll([LIDAR]))).toEqual(['acme:lidar bad-address']);
    expect([await registry.awaitChange([LIDAR], 1000), requests]).toEqual([undefined, []]);
  });

  it('plain http is accepted if its host is allowed', async () => {
    const { fetch } = network();
    const terms = { registry: 'http://10.0.0.7', allowHttp: ['10.0.0.7'] };
    expect(await readAt(terms, { fetch })).toBe('3.0.0, of all acme:lidar 3.0.0');
  });
});

describe('returns one object for each address and its terms', () => {
  const DAY = 86_400_000;
  it.each<[string, RegistryTerms, RegistryTerms, boolean]>([
    ['the same text', { registry: HTTPS }, { registry: HTTPS }, true],
    ['another spelling', { registry: HTTPS }, { registry: 'https://REGISTRY.example:443/' }, true],
    ['the default terms', { registry: HTTPS }, { registry: HTTPS, maxIndexAgeMs: 7 * DAY }, true],
    ['another maximum age', { registry: HTTPS }, { registry: HTTPS, maxIndexAgeMs: DAY }, false],
    ['other allowed hosts', { registry: HTTPS }, { registry: HTTPS, allowHttp: ['h'] }, false],
    ['another protocol', { registry: HTTPS }, { registry: `npm:${HTTPS}` }, false],
    ['a folder', { registry: 'lists' }, { registry: '/site/lists' }, true],
    ['another folder', { registry: 'lists' }, { registry: '/lists' }, false],
    ['a .db file', { registry: 'site.db' }, { registry: './site.db' }, true],
  ])('%s', (_, one, other, isSame) => {
    const { open, registryFor } = openRegistries({ relativeTo: '/site' });
    const [first, second] = [registryFor(one), registryFor(other)];
    expect(first === second).toBe(isSame);
    expect(open(one)).toMatchObject({ ok: true, value: first });
  });
});

describe('a token', () => {
  it('is sent only to its registry, and can be rotated', async () => {
    const { requests, fetch } = network();
    const tokens = new Map([['https://a.example', 'first']]);
    const registries = openRegistries({
      fetch,
      token: ({ origin }) => {
        const token = tokens.get(origin);
        return token === undefined ? undefined : secret(token);
      },
    });
    const read = async (registry: string): Promise<unknown> =>
      await registries.registryFor({ registry }).read(LIDAR);
    await read('https://a.example');
    await read('npm:https://b.example');
    tokens.set('https://a.example', 'second');
    await read('https://a.example');
    expect(requests).toEqual([
      'https://a.example/v1/modules/acme/lidar Bearer first',
      'https://b.example/@acme%2flidar no token',
      'https://a.example/v1/modules/acme/lidar Bearer second',
    ]);
  });
});

describe('a callback that throws is an error of `read`', () => {
  it.each<[string, OpenRegistriesOptions, string]>([
    [
      'token',
      { token: thrower },
      `registry-refused: the registry ${HTTPS} was not contacted: the function that returns its token threw an error`,
    ],
    [
      'fetch',
      { fetch: thrower },
      `registry-unreachable: the registry ${HTTPS} cannot be reached (the connection broke)`,
    ],
  ])('%s', async (_, options, error) => {
    const clock = testClock();
    const registry = openRegistries({ ...options, clock }).registryFor({ registry: HTTPS });
    expect(await outcomeOf(registry.read(LIDAR))).toBe(error);
  });
});

describe('saved lists', () => {
  it('are used by a later process up to the maximum age', async () => {
    const file = openMachineFile(join(temporaryFolder(), 'machine.db'));
    const clock = testClock();
    const options = { saved: savedListsIn(file), clock, random: () => 0 };
    await readAt({ registry: HTTPS }, { ...options, fetch: network().fetch });
    clock.advance(2000);
    const refused = `the registry ${HTTPS} denies access without a token (401)`;
    expect([
      await readAt({ registry: HTTPS }, { ...options, fetch: refuse }),
      await readAt({ registry: HTTPS, maxIndexAgeMs: 1000 }, { ...options, fetch: refuse }),
      await readAt({ registry: HTTPS }, { ...options, fetch: refuse, isOffline: true }),
    ]).toEqual([
      `stale, registry-refused: ${refused}, of all acme:lidar 3.0.0 stale registry-refused`,
      `list-stale: ${refused}; the saved list was confirmed 2 s ago (limit 1 s), of all acme:lidar list-stale`,
      `stale, registry-unreachable: offline: the registry ${HTTPS} was not contacted, of all acme:lidar 3.0.0 stale registry-unreachable`,
    ]);
    file.close();
  });

  it('are opened once, with the first list over the network', async () => {
    const opened: string[] = [];
    const registries = openRegistries({
      relativeTo: publishedFolder(),
      fetch: network().fetch,
      saved: async () => {
        opened.push('opened');
        return await Promise.resolve(undefined);
      },
    });
    const read = async (registry: string): Promise<readonly string[]> => {
      await registries.registryFor({ registry }).read(LIDAR);
      return [...opened];
    };
    registries.registryFor({ registry: HTTPS });
    expect([await read('lists'), await read('site.db')]).toEqual([[], []]);
    expect([await read(HTTPS), await read(`npm:${HTTPS}`)]).toEqual([['opened'], ['opened']]);
  });
});

it('a list can be read after saved lists could not be opened once', async () => {
  let attempts = 0;
  const { registryFor } = openRegistries({
    fetch: network().fetch,
    saved: async () =>
      await (attempts++ === 0 ? Promise.reject(new Error('no disk')) : Promise.resolve(undefined)),
  });
  const registry = registryFor({ registry: HTTPS });
  await expect(registry.read(LIDAR)).rejects.toThrow('no disk');
  expect((await registry.read(LIDAR)).source).toBe('network');
});

it('`awaitChange` reports a change of a registry with a feed, and returns undefined for a path', async () => {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.3');
  const { registryFor } = openRegistries({ relativeTo: publishedFolder() });
  const registry = registryFor({ registry: loopback.address });
  await registry.readAll([LIDAR]);
  published(loopback, 'acme:lidar', '1.2.4');
  const changes = [
    registry,
    registryFor({ registry: 'lists' }),
    registryFor({ registry: 'site.db' }),
  ];
  expect(
    await Promise.all(changes.map(async (one) => await one.awaitChange([LIDAR], 1000))),
  ).toEqual([{ hasChanged: true, spreadMs: 0 }, undefined, undefined]);
});
