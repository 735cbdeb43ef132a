import { describe, expect, it, onTestFinished } from 'vitest';
import { readMachine, readUpdatePolicy } from '../../src/config/index.ts';
import { Poller } from '../../src/poller/index.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { openForPoller, savedListsIn } from '../../src/store/index.ts';
import { pendingReads } from '../../src/testing/pending-reads.ts';
import { testRegistry, virtualClock, type TestRegistry } from '../../src/testing/index.ts';
import type { Releases } from '../../src/testing/catalogues.ts';
import { MINUTE } from '../support/day.ts';

const ADDRESS = 'https://registry.example';
const LIDAR = { type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*' };
const ARM = { ...LIDAR, name: 'arm', module_id: 'acme:arm' };

interface Site {
  /** Lets ten minutes pass, and returns the requests of that time, grouped: the feed, waits for a change, lists. */
  readonly tenMinutes: () => Promise<Readonly<Record<'feed' | 'waits' | 'lists', number>>>;
  /** Replaces the registry at the address. Several alternate from request to request. */
  readonly replace: (...registries: readonly Releases[]) => void;
}

/** A poller with an interval of a minute, and the registry that it polls. */
function site(modules: readonly object[], first: Releases, hasHistory = true): Site {
  const reads = pendingReads();
  const clock = virtualClock(undefined, reads.isBusy);
  const opened: TestRegistry[] = [];
  const registryOf = (lists: Releases): TestRegistry => {
    const registry = testRegistry(lists, { address: ADDRESS, clock: reads.sleepingOn(clock) });
    opened.push(registry);
    return registry;
  };
  let current = [registryOf(first)];
  const requests: string[] = [];
  const file = openForPoller(':memory:');
  const registries = openRegistries({
    saved: savedListsIn(file),
    clock: reads.sleepingOn(clock),
    random: () => 0.5,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      requests.push(request.url.slice(ADDRESS.length));
      const turn = requests.length % current.length;
      const response = await (current[turn] as TestRegistry).fetch(request);
      if (hasHistory || !request.url.includes('/v1/changes')) return response;
      const { history: _, ...changes } = (await response.json()) as Record<string, unknown>;
      return Response.json(changes, response);
    },
  });
  const machine = readMachine(JSON.stringify({ modules }));
  const policy = readUpdatePolicy(JSON.stringify({ registry: ADDRESS }));
  if (!machine.ok || !policy.ok) throw new Error('a document has errors');
  const configuration = { machine: machine.value, policy: policy.value };
  const poller = new Poller({
    file,
    clock,
    platform: 'linux/arm64',
    random: () => 0.5,
    intervalMs: MINUTE,
    registryFor: (terms) => reads.counted(registries.registryFor(terms)),
    configuration: () => configuration,
    deployedVersion: ({ kind }) => (kind === 'module' ? '1.0.0' : undefined),
  });
  poller.start();
  onTestFinished(async () => {
    await poller.stop();
    file.close();
    for (const registry of opened) registry.close();
  });
  return {
    replace: (...lists) => {
      const before = current;
      current = lists.map(registryOf);
      // A server that ends also ends its long polls.
      for (const registry of before) registry.close();
      opened.splice(0, opened.length, ...current);
    },
    tenMinutes: async () => {
      requests.length = 0;
      await clock.pass(10 * MINUTE);
      const waits = requests.filter((path) => path.includes('wait=')).length;
      const lists = requests.filter((path) => path.startsWith('/v1/modules/')).length;
      return { feed: requests.length - waits - lists, waits, lists };
    },
  };
}

function published(...versions: readonly string[]): Releases[string] {
  return versions.map((version) => ({ version, published_at: '2026-03-01T12:00:00Z' }));
}

const EARLIER: Releases = { 'acme:lidar': published('1.0.0'), 'acme:arm': published('1.0.0') };
const FULL: Releases = { ...EARLIER, 'acme:lidar': published('1.0.0', '1.1.0', '1.2.0') };

describe('[D42] [R4] a registry that was replaced by an earlier copy of itself', () => {
  it.each([
    ['in another history', true],
    ['without a history', false],
  ])('is not asked more often while one list is refused: %s', async (_, hasHistory) => {
    const { replace, tenMinutes } = site([LIDAR, ARM], FULL, hasHistory);
    await tenMinutes();
    expect(await tenMinutes()).toEqual({ feed: 10, waits: 30, lists: 0 });
    replace(EARLIER);
    await tenMinutes();
    // Only the refused list is requested in each round.
    expect(await tenMinutes()).toEqual({ feed: 10, waits: 30, lists: 10 });
  });

  it.each([
    ['in another history', true],
    ['without a history', false],
  ])('is asked less often while its only list is refused: %s', async (_, hasHistory) => {
    const { replace, tenMinutes } = site([LIDAR], FULL, hasHistory);
    await tenMinutes();
    replace({ 'acme:lidar': EARLIER['acme:lidar'] ?? [] });
    await tenMinutes();
    expect(await tenMinutes()).toEqual({ feed: 2, waits: 0, lists: 2 });
  });

  it('starts one round per interval if it alternates with another copy', async () => {
    const { replace, tenMinutes } = site([LIDAR, ARM], FULL);
    await tenMinutes();
    replace(EARLIER, FULL);
    await tenMinutes();
    const { feed, waits, lists } = await tenMinutes();
    expect(feed + waits + lists).toBeLessThanOrEqual(100);
  });
});
