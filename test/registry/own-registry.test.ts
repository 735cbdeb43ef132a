import { expect, it } from 'vitest';
import {
  RegistryError,
  cached,
  type Registry,
  type ReleaseList,
} from '../../src/registries/index.ts';
import { openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { moduleId } from '../support/ask.ts';

const LIDAR = moduleId('acme:lidar');
const NOW = Date.parse('2026-11-21T12:00:00Z');
const DAY = 86_400_000;
const ADDRESS = 'https://builds.example';

type Answer = Error | readonly (string | { version: string; digest: string })[];

/** A registry of an author that gives these answers, and how often it was read. */
function own(...answers: Answer[]): Registry & { reads: number } {
  const registry = {
    reads: 0,
    async read(): Promise<ReleaseList> {
      registry.reads++;
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      const records = (answer ?? []).map((one) => {
        if (typeof one === 'string') return { version: one };
        return { version: one.version, artifacts: [{ platform: 'any', digest: one.digest }] };
      });
      const list = {
        records,
        dropped: [],
        source: 'network',
        from: 'builds',
        fetchedAt: 1,
      } as const;
      return await Promise.resolve(list);
    },
  };
  return registry;
}

/** Two processes, one after the other, with one file. */
function processes() {
  const file = openMachineFile(':memory:');
  const clock = virtualClock(NOW);
  const open = (registry: Registry, address = ADDRESS, more = {}) =>
    cached(registry, { address, saved: savedListsIn(file), clock, ...more });
  return { clock, open };
}

async function told(list: Promise<ReleaseList>): Promise<string> {
  try {
    const { records, stale } = await list;
    const versions = [...records].map(({ version }) => version).join();
    return stale ? `${versions}, saved: ${stale.kind}: ${stale.message}` : versions;
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return `${error.kind}: ${error.message}`;
  }
}

const DOWN = new TypeError('fetch failed');
const BUSY = new RegistryError('registry-busy', 'asks to wait');

it.each([
  ['its error is no RegistryError', DOWN, 1, 'registry-unreachable: fetch failed'],
  ['it says what is wrong', BUSY, 1, 'registry-busy: asks to wait'],
])(
  '[D343] an own registry fails, and %s: the saved list is used',
  async (_name, error, days, why) => {
    const { clock, open } = processes();
    expect(await told(open(own(['1.0.0'])).read(LIDAR))).toBe('1.0.0');
    await clock.pass(days * DAY);
    expect(await told(open(own(error)).read(LIDAR))).toBe(`1.0.0, saved: ${why}`);
    expect(await told(open(own(error), 'another').read(LIDAR))).toBe(why);
  },
);

it('[D343] a saved list of an own registry that is too old is not used', async () => {
  const { clock, open } = processes();
  await open(own(['1.0.0'])).read(LIDAR);
  await clock.pass(DAY);
  const late = open(own(DOWN), ADDRESS, { maxIndexAgeMs: DAY / 2 });
  expect(await told(late.read(LIDAR))).toBe(
    'list-stale: fetch failed; the saved list was confirmed 1 d ago (limit 12 h)',
  );
});

it('[D343] a saved list is used without reading while it is younger than maxAgeMs', async () => {
  const { clock, open } = processes();
  const registry = own(['1.0.0'], ['1.1.0']);
  const lists = open(registry, ADDRESS, { maxAgeMs: 60_000 });
  const read = [await told(lists.read(LIDAR)), await told(lists.read(LIDAR))];
  await clock.pass(60_000);
  expect([...read, await told(lists.read(LIDAR)), registry.reads]).toEqual([
    '1.0.0',
    '1.0.0',
    '1.1.0',
    2,
  ]);
});

it('[D343] a release of an own registry is first seen when it came, and a digest that changed is known', async () => {
  const { clock, open } = processes();
  const first = { version: '1.0.0', digest: `sha256:${'a'.repeat(64)}` };
  const other = { version: '1.0.0', digest: `sha256:${'b'.repeat(64)}` };
  await open(own([first])).read(LIDAR);
  await clock.pass(DAY);
  const { firstSeen, changedDigests } = await open(own([other, '1.1.0'])).read(LIDAR);
  expect(firstSeen?.since).toBe(NOW);
  expect(firstSeen?.added.get('1.1.0')).toEqual({ after: NOW, at: NOW + DAY });
  expect(changedDigests?.get('1.0.0')).toEqual({
    platform: 'any',
    first: first.digest,
    now: other.digest,
  });
});

it('[D343] readAll has a result for each module, and an own registry waits for changes itself', async () => {
  const { open } = processes();
  const wait = { hasChanged: true, spreadMs: 5 };
  const awaitChange = async () => await Promise.resolve(wait);
  const lists = open({ ...own(['1.0.0']), awaitChange } as Registry);
  const results = await lists.readAll([LIDAR, moduleId('acme:cam')]);
  expect([...results.values()].map(({ ok }) => ok)).toEqual([true, true]);
  expect(await lists.awaitChange([LIDAR], 1000)).toEqual(wait);
  expect(await open(own(['1.0.0'])).awaitChange([LIDAR], 1000)).toBeUndefined();
});

it('[D343] a read that is aborted ends with its reason', async () => {
  const { open } = processes();
  const aborting = new AbortController();
  const registry: Registry = {
    read: async (_moduleId, signal) => {
      aborting.abort(new Error('stopped'));
      signal?.throwIfAborted();
      return await own([]).read(LIDAR);
    },
  };
  await expect(open(registry).read(LIDAR, aborting.signal)).rejects.toThrow('stopped');
});

it.each<[string, readonly unknown[]]>([
  ['found nothing as registry.read, expected a function', [{}, { address: 'a' }]],
  ['found nothing as options.address, expected text', [own([]), {}]],
  ['found "save" in options, expected "saved"', [own([]), { address: 'a', save: {} }]],
  [
    'found an object as options.saved, expected SavedLists or nothing',
    [own([]), { address: 'a', saved: {} }],
  ],
])('[D343] cached(): %s', (message, [registry, options]) => {
  expect(() => cached(registry as never, options as never)).toThrow(
    new TypeError(`cached(): ${message}`),
  );
});
