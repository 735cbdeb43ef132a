import { describe, expect, it } from 'vitest';
import type { ModuleId } from '../../src/core/index.ts';
import { RegistryError, type CachedRegistry } from '../../src/registries/index.ts';
import type { ChangeWait } from '../../src/registry/registry.ts';
import { cachedRegistry, type CacheOptions } from '../../src/registry/cached-registry.ts';
import type { RemoteChanges, RemoteRegistry } from '../../src/registry/remote-registry.ts';
import { connect } from '../../src/registry/http/connection.ts';
import { DEFAULT_LIMITS } from '../../src/registry/http/limits.ts';
import { modregRegistry } from '../../src/registry/http/modreg-registry.ts';
import { openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { moduleId } from '../support/ask.ts';
import { testClock, type TestClock } from '../support/clock.ts';

const LIDAR = moduleId('acme:lidar');
const ARM = moduleId('acme:arm');
/** Nothing is published for it. */
const NEW = moduleId('acme:new');
const MINUTE = 60_000;

/** A response of the feed. It arrives after `afterMs`; by default, after the whole time that the request allows. */
interface FeedResponse extends Partial<Omit<RemoteChanges, 'modules'>> {
  readonly sequence: number;
  readonly modules?: readonly string[];
  readonly afterMs?: number;
}

/** A registry whose feed is at sequence number 7, and the requests to the feed since then. */
interface Feed {
  readonly registry: CachedRegistry;
  readonly clock: TestClock;
  /** The sequence number and the waiting time of each request. */
  readonly requests: (readonly [number, number])[];
}

async function registryWithFeed(
  responses: readonly FeedResponse[],
  options?: CacheOptions,
): Promise<Feed> {
  const clock = testClock();
  const requests: [number, number][] = [];
  const feed = cachedRegistry(
    {
      ...LISTS,
      changes: async (after, _, waitMs = 0) => {
        if (waitMs === 0) return { sequence: 7, modules: new Set([LIDAR]), spreadMs: 0 };
        requests.push([after, waitMs]);
        const {
          sequence,
          modules,
          afterMs,
          spreadMs = 0,
        } = responses[requests.length - 1] ?? { sequence: after };
        clock.advance(afterMs ?? waitMs);
        return await Promise.resolve({ sequence, modules: new Set(modules), spreadMs });
      },
    },
    { clock, ...options },
  );
  await feed.readAll([LIDAR]);
  return { registry: feed, clock, requests };
}

const LISTS: RemoteRegistry = {
  address: 'https://registry.example',
  from: 'https://registry.example',
  fetch: async (id) => {
    if (id === NEW) throw new RegistryError('unknown-module', 'there is no acme:new');
    return await Promise.resolve({
      records: [],
      dropped: [],
      digest: 'aa',
      size: 2,
      etag: undefined,
    });
  },
};

async function waited(
  { registry }: Pick<Feed, 'registry'>,
  ids: readonly ModuleId[] = [LIDAR],
): Promise<ChangeWait | undefined> {
  return await registry.awaitChange(ids, MINUTE);
}

const CHANGED = { hasChanged: true, spreadMs: 0 };
const UNCHANGED = { hasChanged: false, spreadMs: 0 };

describe('waiting for a change of a list', () => {
  it.each<[string, FeedResponse[], ChangeWait | undefined, [number, number][]]>([
    ['ends when the list changes', [{ sequence: 8, modules: [LIDAR] }], CHANGED, [[7, 25_000]]],
    [
      'returns the spread that the feed asks for',
      [{ sequence: 8, modules: [ARM, LIDAR], spreadMs: 9000 }],
      { hasChanged: true, spreadMs: 9000 },
      [[7, 25_000]],
    ],
    ['ends when the sequence number decreases', [{ sequence: 6 }], CHANGED, [[7, 25_000]]],
    [
      'continues after a pause when another module changes',
      [{ sequence: 8, modules: [ARM], afterMs: 0 }],
      UNCHANGED,
      [
        [7, 25_000],
        [8, 25_000],
        [8, 25_000],
        [8, 9750],
      ],
    ],
    [
      'ends when the list changes after another module did',
      [
        { sequence: 9, modules: [ARM], afterMs: 10_000 },
        { sequence: 10, modules: [LIDAR], afterMs: 0 },
      ],
      CHANGED,
      [
        [7, 25_000],
        [9, 25_000],
      ],
    ],
    [
      'ends without a change after the time limit, in requests short enough for a proxy',
      [],
      UNCHANGED,
      [
        [7, 25_000],
        [7, 25_000],
        [7, 10_000],
      ],
    ],
    [
      'stops if the registry responds without a change in less than half of the waiting time',
      [{ sequence: 7, afterMs: 12_499 }],
      undefined,
      [[7, 25_000]],
    ],
    [
      'continues if the registry waits for half of the waiting time',
      [
        { sequence: 7, afterMs: 12_500 },
        { sequence: 8, modules: [LIDAR] },
      ],
      CHANGED,
      [
        [7, 25_000],
        [7, 25_000],
      ],
    ],
  ])('%s', async (_, responses, expected, requests) => {
    const feed = await registryWithFeed(responses);
    expect([await waited(feed), feed.requests]).toEqual([expected, requests]);
  });

  it('returns undefined at once if no list has a sequence number', async () => {
    const feed = await registryWithFeed([{ sequence: 8, modules: [ARM] }]);
    expect([await waited(feed, [ARM]), feed.requests]).toEqual([undefined, []]);
  });

  it('waits for those modules that the feed has named', async () => {
    const feed = await registryWithFeed([{ sequence: 8, modules: [LIDAR] }]);
    expect([await waited(feed, [ARM, LIDAR]), feed.requests]).toEqual([CHANGED, [[7, 25_000]]]);
  });

  it('returns undefined at once if the feed has named other modules only', async () => {
    const feed = await registryWithFeed([{ sequence: 8, modules: [ARM] }]);
    await feed.registry.readAll([LIDAR, ARM]);
    expect([await waited(feed, [ARM]), feed.requests]).toEqual([undefined, []]);
  });

  it('[T425] waits for a module that the registry does not know', async () => {
    const feed = await registryWithFeed([{ sequence: 8, modules: [NEW] }]);
    const lists = await feed.registry.readAll([NEW]);
    expect(lists.get(NEW)?.ok).toBe(false);
    expect([await waited(feed, [NEW]), feed.requests]).toEqual([CHANGED, [[7, 25_000]]]);
  });

  it('asks for whole milliseconds', async () => {
    const feed = await registryWithFeed([{ sequence: 7, afterMs: 24_999.25 }]);
    await waited(feed);
    expect(feed.requests).toEqual([
      [7, 25_000],
      [7, 25_000],
      [7, 10_000],
    ]);
  });

  it('returns undefined at once if the machine is offline', async () => {
    const responses = [{ sequence: 8, modules: [LIDAR] }];
    const saved = savedListsIn(openMachineFile(':memory:'));
    await registryWithFeed([], { saved });
    const feed = await registryWithFeed(responses, { saved, isOffline: true });
    expect([await waited(feed), feed.requests]).toEqual([undefined, []]);
  });

  it.each<[string, Partial<RemoteRegistry>]>([
    ['implements no feed', {}],
    ['reports that it has no feed', { changes: async () => await Promise.resolve(undefined) }],
  ])('returns undefined at once if the registry %s', async (_, feed) => {
    const remote = { ...LISTS, ...feed };
    const registry = cachedRegistry(remote, { clock: testClock() });
    await registry.readAll([LIDAR]);
    expect(await waited({ registry })).toBeUndefined();
  });

  it('returns undefined if the registry no longer has a feed', async () => {
    let hasFeed = true;
    const remote: RemoteRegistry = {
      ...LISTS,
      changes: async () => {
        const changes = { sequence: 7, modules: new Set([LIDAR]), spreadMs: 0 };
        return await Promise.resolve(hasFeed ? changes : undefined);
      },
    };
    const registry = cachedRegistry(remote, { clock: testClock() });
    await registry.readAll([LIDAR]);
    hasFeed = false;
    expect(await waited({ registry })).toBeUndefined();
  });

  it('[T66] does not retry after the registry closes the connection of every waiting client', async () => {
    let requests = 0;
    const clock = testClock();
    const connection = connect('a registry', {
      limits: DEFAULT_LIMITS,
      clock,
      random: () => 0,
      onRetry: () => undefined,
      exchange: async () => {
        requests++;
        const error = new RegistryError('registry-unreachable', 'connection closed');
        return await Promise.reject(error);
      },
    });
    const { changes } = modregRegistry(new URL('https://registry.example/'), connection);
    const registry = cachedRegistry(
      {
        ...LISTS,
        changes: async (after, round, waitMs = 0) =>
          waitMs === 0
            ? { sequence: 7, modules: new Set([LIDAR]), spreadMs: 0 }
            : await changes?.(after, round, waitMs),
      },
      { clock },
    );
    await registry.readAll([LIDAR]);
    await expect(registry.awaitChange([LIDAR], MINUTE)).rejects.toThrow('connection closed');
    expect(requests).toBe(1);
  });

  it('rejects with the error of the registry', async () => {
    const error = new RegistryError('registry-unreachable', 'connection refused');
    let isReachable = true;
    const remote: RemoteRegistry = {
      ...LISTS,
      changes: async () => {
        if (!isReachable) throw error;
        return await Promise.resolve({ sequence: 7, modules: new Set([LIDAR]), spreadMs: 0 });
      },
    };
    const registry = cachedRegistry(remote, { clock: testClock() });
    await registry.readAll([LIDAR]);
    isReachable = false;
    await expect(waited({ registry })).rejects.toBe(error);
  });
});
