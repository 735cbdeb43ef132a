import { describe, expect, it, onTestFinished } from 'vitest';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { RegistryError, type CachedRegistry } from '../../src/registries/index.ts';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import type { RemoteChanges, RemoteRegistry } from '../../src/registry/remote-registry.ts';
import { Catalogue, readRelease, serveRegistry } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { HOUR, MINUTE, SECOND } from '../support/day.ts';
import { temporaryFolder } from '../support/folder.ts';
import { requestsMade } from '../support/loopback.ts';
import { entry } from '../support/planned.ts';
import {
  configurationOf,
  promptRegistry,
  racer,
  readingOf,
  track,
  type Racer,
} from '../support/racing.ts';
import { remoteAt } from '../support/remote-at.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

/** A machine that polls a registry on loopback each hour of its own clock, or when the change feed reports a change. */
interface Site extends Racer {
  readonly requests: string[];
  readonly publish: (module: string, version: string) => void;
  /** Resolves once the feed was requested this often. */
  readonly feedRequested: (times: number) => Promise<void>;
  /** Resolves once the feed has reported a change and the machine has noticed it. */
  readonly changeReported: () => Promise<void>;
}

/** The machine runs acme:lidar 1.0.0. The registry has 1.0.0 of `published`. */
async function site({
  spreadMs,
  published = 'acme:lidar',
}: {
  readonly spreadMs: number;
  readonly published?: string;
}): Promise<Site> {
  const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  const place = { host: '127.0.0.1', port: 0 };
  const running = await serveRegistry(catalogue, place, { spreadMs });
  const publish = (module: string, version: string): void => {
    const release = readRelease({ version });
    if (!release.ok) throw new Error(release.error.join());
    catalogue.publish(moduleId(module), release.value, 0);
  };
  publish(published, '1.0.0');
  const requests = requestsMade();
  const cached = cachedRegistry(remoteAt(running.address));
  const changes: unknown[] = [];
  const registry: PollableRegistry = {
    ...cached,
    awaitChange: async (...input) => {
      const change = await cached.awaitChange(...input);
      changes.push(change);
      return change;
    },
  };
  const machine = racer(track(), {
    registries: [registry, registry],
    deployed: '1.0.0',
    takesUp: 'later',
    intervalMs: HOUR,
    random: () => 0.5,
    configuration: () => configurationOf(entry('acme:lidar', '1.*')),
  });
  onTestFinished(async () => {
    await machine.poller.stop();
    await running.close();
    catalogue.close();
  });
  await machine.clock.pass(HOUR / 2);
  const waits = (): string[] => requests.filter((path) => path.includes('wait='));
  const feedRequested = async (times: number): Promise<void> => {
    await expect.poll(waits).toHaveLength(times);
  };
  await feedRequested(1);
  return Object.assign(machine, {
    requests,
    publish,
    feedRequested,
    changeReported: async () => {
      await expect.poll(() => changes).toHaveLength(1);
      await machine.clock.pass(0);
    },
  });
}

describe('a registry with a change feed', () => {
  it('has a release delivered long before the interval ends', async () => {
    const { clock, poller, publish, changeReported } = await site({ spreadMs: 0 });
    publish('acme:lidar', '1.0.1');
    const next = poller.deliveries().next();
    await changeReported();
    await clock.pass(SECOND / 2);
    expect((await next).value).toMatchObject({ action: { to: '1.0.1' }, times: 1 });
  });

  it('[T425] has the first release of the only module delivered long before the interval ends', async () => {
    const { clock, poller, publish, requests, changeReported, feedRequested } = await site({
      spreadMs: 0,
      published: 'acme:arm',
    });
    publish('acme:lidar', '1.0.1');
    const next = poller.deliveries().next();
    await changeReported();
    await clock.pass(SECOND / 2);
    expect((await next).value).toMatchObject({ action: { to: '1.0.1' }, times: 1 });
    await feedRequested(2);
    expect(requests).toEqual([
      '/v1/changes?after=0',
      '/v1/modules/acme/lidar',
      '/v1/changes?after=1&wait=25&modules=acme:lidar',
      '/v1/changes?after=1',
      '/v1/modules/acme/lidar',
      '/v1/changes?after=2&wait=25&modules=acme:lidar',
    ]);
  });

  it('is not asked for lists when only the lists of other modules change', async () => {
    const { clock, poller, publish, requests, changeReported, feedRequested } = await site({
      spreadMs: 0,
    });
    publish('acme:arm', '1.0.0');
    publish('acme:lidar', '1.0.1');
    const next = poller.deliveries().next();
    await changeReported();
    await clock.pass(SECOND / 2);
    await next;
    await feedRequested(2);
    expect(requests).toEqual([
      '/v1/changes?after=0',
      '/v1/modules/acme/lidar',
      '/v1/changes?after=1&wait=25&modules=acme:lidar',
      '/v1/changes?after=1',
      '/v1/modules/acme/lidar',
      '/v1/changes?after=3&wait=25&modules=acme:lidar',
    ]);
  });

  it.each([
    // Two rounds are at least half a second apart.
    [0, SECOND / 2],
    [10 * MINUTE, 5 * MINUTE],
  ])('is polled after part of the %i ms over which it spreads machines', async (all, part) => {
    const { clock, poller, publish, requests, changeReported } = await site({ spreadMs: all });
    publish('acme:lidar', '1.0.1');
    const next = poller.deliveries().next();
    await changeReported();
    await clock.pass(part - 1);
    expect(requests.at(-1)).toBe('/v1/changes?after=1&wait=25&modules=acme:lidar');
    await clock.pass(1);
    expect((await next).value).toMatchObject({ action: { to: '1.0.1' } });
  });
});

type Feed = (after: number) => RemoteChanges | undefined;

const EMPTY = { records: [], dropped: [], digest: 'a', size: 2, etag: undefined };
const OURS: ReadonlySet<string> = new Set(['acme:lidar']);
/** The modules that the feed names, by the sequence number after which it is asked. */
const NAMED: ReadonlyMap<number, ReadonlySet<string>> = new Map([[0, OURS]]);
const UNREACHABLE = new RegistryError('registry-unreachable', 'no connection');

describe('[D42] a change feed is not requested all the time', () => {
  it.each<[string, Feed, number]>([
    ['fails', thrower(UNREACHABLE), 3],
    ['throws a TypeError', thrower(new TypeError('a bug')), 3],
    ['no longer exists', () => undefined, 3],
    ['answers at once that nothing changed', (sequence) => changesAt(sequence), 3],
    // Four times a second.
    [
      'reports other modules at once',
      (sequence) => changesAt(sequence + 1, new Set(['acme:arm'])),
      481,
    ],
    // Twice a second.
    ['reports our modules at once', (sequence) => changesAt(sequence + 1, OURS), 241],
    // Once per interval, besides the first wait after each round.
    ['reports another catalogue at once', () => changesAt(3), 5],
    ['reports our modules again without a change', (after) => changesAt(after, OURS), 3],
  ])('if it %s', async (_, feed, most) => {
    let asked = 0;
    const remote: RemoteRegistry = {
      address: 'https://registry.example',
      from: 'https://registry.example',
      fetch: async () => await Promise.resolve(EMPTY),
      changes: async (after, __, waitMs) => {
        if (waitMs === undefined) return await Promise.resolve(changesAt(7, NAMED.get(after)));
        asked++;
        return await Promise.resolve(feed(after));
      },
    };
    const clock = virtualClock();
    const registry = cachedRegistry(remote, { clock });
    const { poller } = racer(track(), {
      clock,
      registries: [registry, registry],
      deployed: '1.0.0',
      random: () => 0.5,
      configuration: () => configurationOf(entry('acme:lidar', '1.*')),
    });
    // Rounds are due after half a minute, one and a half, and two and a half.
    await clock.pass(2.5 * MINUTE);
    await poller.stop();
    expect(asked).toBe(most);
  });

  it.each<[string, CachedRegistry['awaitChange']]>([
    ['gives up at once', async () => await Promise.resolve({ hasChanged: false, spreadMs: 0 })],
    ['never answers', async () => await new Promise(() => undefined)],
  ])('and rounds follow the interval if it %s', async (_, awaitChange) => {
    const rounds: number[] = [];
    const registry: PollableRegistry = {
      ...promptRegistry(() => 1),
      awaitChange,
      readAll: async (ids) => {
        rounds.push(clock.monotonic() / SECOND);
        return await Promise.resolve(new Map(ids.map((id) => [id, readingOf(1)])));
      },
    };
    const { clock, poller } = racer(track(), {
      registries: [registry, registry],
      deployed: '1.0.0',
      random: () => 0.5,
    });
    await clock.pass(4 * MINUTE);
    await poller.stop();
    expect(rounds).toEqual([31, 91, 151, 211]);
  });
});

it('a failing registry is polled after its back-off, whatever its change feed reports', async () => {
  const rounds: number[] = [];
  const registry: PollableRegistry = {
    ...promptRegistry(() => 1),
    awaitChange: async () => await Promise.resolve({ hasChanged: true, spreadMs: 0 }),
    readAll: async (ids) => {
      rounds.push(clock.monotonic() / SECOND);
      return await Promise.resolve(new Map(ids.map((id) => [id, readingOf('no list')])));
    },
  };
  const { clock, poller } = racer(track(), {
    registries: [registry, registry],
    deployed: '1.0.0',
    random: () => 0.5,
  });
  await clock.pass(4 * MINUTE);
  await poller.stop();
  expect(rounds).toEqual([31, 121]);
});

function changesAt(sequence: number, modules: ReadonlySet<string> = new Set()): RemoteChanges {
  return { sequence, modules, spreadMs: 0 };
}

function thrower(error: Error): Feed {
  return () => {
    throw error;
  };
}
