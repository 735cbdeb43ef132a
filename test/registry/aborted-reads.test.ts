import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openRegistries, RegistryError, type CachedRegistry } from '../../src/registries/index.ts';
import { readAll } from '../../src/registry/pollable-registry.ts';
import { testClock } from '../support/clock.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { publishedFolder } from '../support/published.ts';
import { LIDAR, outcomeOf } from './support/remembered.ts';

const HOUR = 3_600_000;
const PATHS = ['lists', 'site.db'];

function registryAt(address: string): CachedRegistry {
  // No time limit closes a request.
  const limits = { retryWithinMs: 0, answerMs: HOUR, idleMs: HOUR, totalMs: HOUR };
  return openRegistries({ limits }).registryFor({ registry: address });
}

// On real sockets: these tests see when a connection is closed.

/** A registry of the caller whose lists cannot be read. */
function failing(cause: Error): Pick<CachedRegistry, 'read'> {
  return { read: async () => await Promise.reject(cause) };
}

function aborted(): AbortSignal {
  return AbortSignal.abort(new Error('enough'));
}

describe('a list at a path', () => {
  it.each(PATHS)('%s was read now, by the clock that was passed', async (path) => {
    const clock = testClock();
    const registries = openRegistries({
      relativeTo: publishedFolder(),
      clock,
      clockState: () => 'synchronized',
    });
    const list = await registries.registryFor({ registry: path }).read(LIDAR);
    expect([list.fetchedAt, list.firstSeen]).toEqual([
      clock.now(),
      { since: clock.now(), added: new Map() },
    ]);
  });

  it.each(PATHS)('%s is not read after an abort', async (path) => {
    const registry = openRegistries({ relativeTo: publishedFolder() }).registryFor({
      registry: path,
    });
    await expect(registry.readAll([LIDAR], aborted())).rejects.toThrow('enough');
    await expect(registry.read(LIDAR, aborted())).rejects.toThrow('enough');
  });
});

describe('a list over the network', () => {
  it('is not requested after an abort', async () => {
    const { address, requests } = await plainServer((response) => send(response, listOf([], 1)));
    const registry = registryAt(address);
    await expect(registry.read(LIDAR, aborted())).rejects.toThrow('enough');
    await expect(registry.readAll([LIDAR], aborted())).rejects.toThrow('enough');
    await expect(registry.awaitChange([LIDAR], 1000, aborted())).resolves.toBeUndefined();
    expect(requests).toEqual([]);
  });

  it('is not waited for after the last reader aborts: the request is closed', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<undefined>();
    const { promise: closed, resolve: close } = Promise.withResolvers<undefined>();
    const { address, requests } = await plainServer((response) => {
      if (requests.length > 1) return send(response, listOf(['1.0.0'], 1));
      response.on('close', () => close(undefined));
      arrive(undefined);
    });
    const registry = registryAt(address);
    const readers = [new AbortController(), new AbortController()];
    const reads = readers.map(async ({ signal }) => await registry.read(LIDAR, signal));
    const outcome = Promise.allSettled(reads);
    await arrived;
    for (const reader of readers) reader.abort(new Error('enough'));
    expect((await outcome).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await closed).toBeUndefined();
    // The next read sends a request of its own.
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0');
    expect(requests).toHaveLength(2);
  });

  it('leaves no listener with the signal of its reader', async () => {
    const { address } = await plainServer((response) => send(response, listOf(['1.0.0'], 1)));
    const { signal } = new AbortController();
    const registry = registryAt(address);
    await registry.read(LIDAR, signal);
    await registry.readAll([LIDAR], signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('an endless body that is not read is closed at once', () => {
  it.each<[string, (response: ServerResponse) => ServerResponse, string]>([
    ['a 404', (response) => response.writeHead(404), 'unknown-module'],
    ['a 503', (response) => response.writeHead(503), 'registry-busy'],
    [
      'a page',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }),
      'not-a-registry',
    ],
    [
      'a redirect to another origin',
      (response) => response.writeHead(302, { location: 'https://other.example/' }),
      'bad-redirect',
    ],
  ])('%s', async (_, begin, kind) => {
    const { promise: closed, resolve: close } = Promise.withResolvers<undefined>();
    const { address } = await plainServer((response) => {
      begin(response);
      const timer = setInterval(() => response.write(' '.repeat(1000)), 10);
      response.on('close', () => {
        clearInterval(timer);
        close(undefined);
      });
    });
    await expect(registryAt(address).read(LIDAR)).rejects.toMatchObject({ kind });
    expect(await closed).toBeUndefined();
  });
});

it('a registry of the caller may reject with a RegistryError, and any other error is a fault', async () => {
  const error = new RegistryError('unreadable-file', 'no disk');
  expect([...(await readAll(failing(error), [LIDAR])).values()]).toEqual([{ ok: false, error }]);
  await expect(readAll(failing(new TypeError('a bug')), [LIDAR])).rejects.toThrow('a bug');
  await expect(readAll(failing(error), [LIDAR], aborted())).rejects.toThrow('enough');
});

it('the function for the token may throw a RegistryError of its own', async () => {
  const error = new RegistryError('registry-refused', 'the token file is empty');
  const token = (): never => {
    throw error;
  };
  const registry = openRegistries({ token }).registryFor({ registry: 'https://registry.example' });
  await expect(registry.read(LIDAR)).rejects.toBe(error);
});
