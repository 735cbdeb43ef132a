import { describe, expect, it } from 'vitest';
import type { ModuleId } from '../../src/core/index.ts';
import { RegistryError, type CachedRegistry } from '../../src/registry/index.ts';
import type { ChangeWait } from '../../src/registry/registry.ts';
import { cachedRegistry, type CacheOptions } from '../../src/registry/cached-registry.ts';
import type { RemoteChanges, RemoteRegistry } from '../../src/registry/remote-registry.ts';
import { connect } from '../../src/registry/http/connection.ts';
import { DEFAULT_LIMITS } from '../../src/registry/http/limits.ts';
import { modregRegistry } from '../../src/registry/http/modreg-registry.ts';
import { moduleId } from '../support/ask.ts';
import { testClock, type TestClock } from '../support/clock.ts';

const LIDAR = moduleId('acme:lidar');
const ARM = moduleId('acme:arm');
const MINUTE = 60_000;

/** What a feed says once it was asked, and how long it takes for that: the whole time that it was given, unless less. */
interface Word extends Partial<Omit<RemoteChanges, 'modules'>> {
  readonly sequence: number;
  readonly modules?: readonly string[];
  readonly afterMs?: number;
}

/** A registry whose feed is at 7, and what it was asked since. */
interface Feed {
  readonly registry: CachedRegistry;
  readonly clock: TestClock;
  /** After which sequence, and for how long. */
  readonly asked: (readonly [number, number])[];
}

async function feedThatSays(words: readonly Word[], options?: CacheOptions): Promise<Feed> {
  const clock = testClock();
  const asked: [number, number][] = [];
  const feed = cachedRegistry(
    {
      ...LISTS,
      changes: async (after, _, waitMs = 0) => {
        if (waitMs === 0) return { sequence: 7, modules: new Set(), spreadMs: 0 };
        asked.push([after, waitMs]);
        const {
          sequence,
          modules,
          afterMs,
          spreadMs = 0,
        } = words[asked.length - 1] ?? { sequence: after };
        clock.advance(afterMs ?? waitMs);
        return await Promise.resolve({ sequence, modules: new Set(modules), spreadMs });
      },
    },
    { clock, ...options },
  );
  await feed.readAll([LIDAR]);
  return { registry: feed, clock, asked };
}

const LISTS: RemoteRegistry = {
  address: 'https://registry.example',
  from: 'https://registry.example',
  fetch: async () =>
    await Promise.resolve({ records: [], dropped: [], digest: 'aa', size: 2, etag: undefined }),
};

async function waited(
  { registry }: Pick<Feed, 'registry'>,
  ids: readonly ModuleId[] = [LIDAR],
): Promise<ChangeWait | undefined> {
  return await registry.awaitChange(ids, MINUTE);
}

const NEWS = { hasChanged: true, spreadMs: 0 };
const NO_NEWS = { hasChanged: false, spreadMs: 0 };

describe('waiting for a change of a list', () => {
  it.each<[string, Word[], ChangeWait | undefined, [number, number][]]>([
    ['ends with one', [{ sequence: 8, modules: [LIDAR] }], NEWS, [[7, 25_000]]],
    [
      'tells over how long those who waited spread',
      [{ sequence: 8, modules: [ARM, LIDAR], spreadMs: 9000 }],
      { hasChanged: true, spreadMs: 9000 },
      [[7, 25_000]],
    ],
    ['ends with another catalogue', [{ sequence: 6 }], NEWS, [[7, 25_000]]],
    [
      'goes on, a little later, where another changed',
      [{ sequence: 8, modules: [ARM], afterMs: 0 }],
      NO_NEWS,
      [
        [7, 25_000],
        [8, 25_000],
        [8, 25_000],
        [8, 9750],
      ],
    ],
    [
      'ends with one after another',
      [
        { sequence: 9, modules: [ARM], afterMs: 10_000 },
        { sequence: 10, modules: [LIDAR], afterMs: 0 },
      ],
      NEWS,
      [
        [7, 25_000],
        [9, 25_000],
      ],
    ],
    [
      'ends without one when its time is over, and asks for less than a proxy bears',
      [],
      NO_NEWS,
      [
        [7, 25_000],
        [7, 25_000],
        [7, 10_000],
      ],
    ],
    [
      'is given up where the registry does not wait',
      [{ sequence: 7, afterMs: 12_499 }],
      undefined,
      [[7, 25_000]],
    ],
    [
      'goes on where it waits for half of the time',
      [
        { sequence: 7, afterMs: 12_500 },
        { sequence: 8, modules: [LIDAR] },
      ],
      NEWS,
      [
        [7, 25_000],
        [7, 25_000],
      ],
    ],
  ])('%s', async (_, words, expected, asked) => {
    const feed = await feedThatSays(words);
    expect([await waited(feed), feed.asked]).toEqual([expected, asked]);
  });

  it('is no waiting where no list is known as of a change', async () => {
    const feed = await feedThatSays([{ sequence: 8, modules: [ARM] }]);
    expect([await waited(feed, [ARM]), feed.asked]).toEqual([undefined, []]);
  });

  it('is no waiting where the machine is offline', async () => {
    const news = [{ sequence: 8, modules: [LIDAR] }];
    const feed = await feedThatSays(news, { isOffline: true });
    expect([await waited(feed), feed.asked]).toEqual([undefined, []]);
  });

  it.each<[string, Partial<RemoteRegistry>]>([
    ['has no feed', {}],
    ['has it no more', { changes: async () => await Promise.resolve(undefined) }],
  ])('is no waiting where the registry %s', async (_, feed) => {
    const remote = { ...LISTS, ...feed };
    const registry = cachedRegistry(remote, { clock: testClock() });
    await registry.readAll([LIDAR]);
    expect(await waited({ registry })).toBeUndefined();
  });

  it('is given up where the registry has its feed no more by then', async () => {
    let isThere = true;
    const remote: RemoteRegistry = {
      ...LISTS,
      changes: async () => {
        const changes = { sequence: 7, modules: new Set<string>(), spreadMs: 0 };
        return await Promise.resolve(isThere ? changes : undefined);
      },
    };
    const registry = cachedRegistry(remote, { clock: testClock() });
    await registry.readAll([LIDAR]);
    isThere = false;
    expect(await waited({ registry })).toBeUndefined();
  });

  it('[T66] is not asked again at once where all who wait are cut off together', async () => {
    let asked = 0;
    const clock = testClock();
    const connection = connect('a registry', {
      limits: DEFAULT_LIMITS,
      clock,
      random: () => 0,
      onRetry: () => undefined,
      exchange: async () => {
        asked++;
        return await Promise.reject(new RegistryError('registry-unreachable', 'it broke off'));
      },
    });
    const { changes } = modregRegistry(new URL('https://registry.example/'), connection);
    const registry = cachedRegistry(
      {
        ...LISTS,
        changes: async (after, round, waitMs = 0) =>
          waitMs === 0
            ? { sequence: 7, modules: new Set(), spreadMs: 0 }
            : await changes?.(after, round, waitMs),
      },
      { clock },
    );
    await registry.readAll([LIDAR]);
    await expect(registry.awaitChange([LIDAR], MINUTE)).rejects.toThrow('it broke off');
    expect(asked).toBe(1);
  });

  it('ends with the error of the registry', async () => {
    const error = new RegistryError('registry-unreachable', 'nobody is there');
    let isThere = true;
    const remote: RemoteRegistry = {
      ...LISTS,
      changes: async () => {
        if (!isThere) throw error;
        return await Promise.resolve({ sequence: 7, modules: new Set<string>(), spreadMs: 0 });
      },
    };
    const registry = cachedRegistry(remote, { clock: testClock() });
    await registry.readAll([LIDAR]);
    isThere = false;
    await expect(waited({ registry })).rejects.toBe(error);
  });
});
