import type { ReleaseRecord } from '../../src/core/index.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import type {
  CachedRegistry,
  Clock,
  ListResult,
  SavedList,
  SavedLists,
} from '../../src/registry/index.ts';
import type { ListInForce } from './ledger.ts';
import type { Passing } from './life.ts';
import type { WireList } from './published.ts';
import { trusted } from './trust.ts';
import type { World } from './world.ts';

/** Which answer a list was read from, by its digest. */
const READ_FROM = new WeakMap<readonly ReleaseRecord[], string>();

/** `saved`, with each list that is taken for true seen by the judge. */
export function watchedLists(saved: SavedLists, world: World, passing: Passing): SavedLists {
  const { trace } = world;
  return {
    ...saved,
    read: (address, moduleId) => {
      const list = passing('read a list', () => saved.read(address, moduleId));
      if (list) READ_FROM.set(list.records, list.digest);
      return list;
    },
    save: (address, moduleId, list) => {
      READ_FROM.set(list.records, list.digest);
      take(world, address, moduleId, list);
      passing('save a list', () => {
        saved.save(address, moduleId, list);
        trace.note('save a list');
        keep(world, address, moduleId);
      });
    },
    confirm: (address, lists) => {
      passing('confirm lists', () => {
        saved.confirm(address, lists);
        trace.note('confirm lists');
      });
    },
  };
}

/** A list that is taken for true is whole, and never earlier than the one before. (D22, T24 to T26) */
function take(world: World, address: string, moduleId: string, { digest }: SavedList): void {
  const { ledger, complain } = world;
  const key = `${address} ${moduleId}`;
  const list = sentBy(world, address, digest);
  const before = ledger.taken.get(key);
  if (!list || list.module_id !== moduleId) {
    complain('I11', `${key} was read from an answer that no registry gave`);
    return;
  }
  if (before?.digest === digest) return;
  if (list.count !== list.releases.length)
    complain('T24', `${key} was taken with ${list.releases.length} of ${list.count} releases`);
  if (before && list.generation < before.list.generation) {
    complain(
      'T25',
      `${key} went back from generation ${before.list.generation} to ${list.generation}`,
    );
  }
  if (before && list.generation === before.list.generation)
    complain('T26', `${key} has two lists of generation ${list.generation}`);
  learn(world, key, { list, digest, isOnDisk: false });
}

function learn({ ledger }: World, key: string, taken: Taken): void {
  ledger.taken.set(key, taken);
  ledger.novelty++;
  for (const { version, artifacts = [] } of taken.list.releases) {
    for (const { platform, digest } of artifacts) {
      const place = `${key} ${version} ${platform}`;
      if (ledger.firstDigests.has(place)) continue;
      ledger.firstDigests.set(place, { digest, isOnDisk: taken.isOnDisk });
    }
  }
}

/** An operator takes a list, whatever was known before. */
export function accepted(
  world: World,
  address: string,
  moduleId: string,
  { digest }: SavedList,
): void {
  const key = `${address} ${moduleId}`;
  const list = sentBy(world, address, digest);
  if (!list) return;
  const heard = world.ledger.heardAt.get(address) ?? new Set();
  world.ledger.heardAt.set(address, heard.add(world.line.wall()));
  for (const place of world.ledger.firstDigests.keys()) {
    if (place.startsWith(`${key} `)) world.ledger.firstDigests.delete(place);
  }
  learn(world, key, { list, digest, isOnDisk: true });
}

function sentBy({ sites }: World, address: string, digest: string): WireList | undefined {
  return sites.find(({ registry }) => registry.address === address)?.registry.sent.get(digest);
}

type Taken = NonNullable<ReturnType<World['ledger']['taken']['get']>>;

function keep({ ledger }: World, address: string, moduleId: string): void {
  const key = `${address} ${moduleId}`;
  const taken = ledger.taken.get(key);
  if (taken) taken.isOnDisk = true;
  for (const [place, first] of ledger.firstDigests) {
    if (place.startsWith(`${key} `)) first.isOnDisk = true;
  }
}

/** What a process knew, and was not on the disk, is gone with it. */
export function forgetUnsaved({ ledger }: World): void {
  for (const [key, { isOnDisk }] of ledger.taken) if (!isOnDisk) ledger.taken.delete(key);
  for (const [key, { isOnDisk }] of ledger.firstDigests)
    if (!isOnDisk) ledger.firstDigests.delete(key);
}

interface Ground {
  readonly clock: Clock;
  readonly isAlive: () => boolean;
}

/** `cached`, with each round and what came of it seen by the judge. */
export function watchedRegistry(
  address: string,
  cached: CachedRegistry,
  world: World,
  { clock, isAlive }: Ground,
): PollableRegistry {
  const { ledger, mood, complain } = world;
  let open = 0;
  return {
    ...cached,
    async readAll(moduleIds, signal) {
      const calledOff = (): void => {
        open--;
      };
      if (open > 0) complain('I6', `${address} is polled twice at once`);
      open++;
      signal?.addEventListener('abort', calledOff, { once: true });
      try {
        ledger.polls.set(address, { requests: 0, retries: 0, failures: new Map() });
        const readings = await cached.readAll(moduleIds, signal);
        // Whether or not anybody still waits.
        if (mood.lateMs > 0) await clock.sleep(mood.lateMs);
        if (isAlive() && signal?.aborted !== true) decideBy(address, readings, world);
        return readings;
      } finally {
        signal?.removeEventListener('abort', calledOff);
        if (signal?.aborted !== true) open--;
      }
    },
  };
}

function decideBy(address: string, readings: ReadonlyMap<string, ListResult>, world: World): void {
  const { ledger, line } = world;
  if ([...readings.values()].every(isGood)) {
    ledger.goodPolls.set(address, (ledger.goodPolls.get(address) ?? 0) + 1);
  }
  for (const [moduleId, reading] of readings) {
    const key = `${address} ${moduleId}`;
    const now = listInForce(address, reading, world);
    ledger.lists.set(key, { at: line.elapsed(), now, before: ledger.lists.get(key)?.now });
  }
}

/** The registry's own word: that a module is not there is one. */
function isGood(reading: ListResult): boolean {
  return reading.ok ? reading.value.stale === undefined : reading.error.kind === 'unknown-module';
}

function listInForce(address: string, reading: ListResult, world: World): ListInForce | undefined {
  if (!reading.ok) return undefined;
  const { records, stale, fetchedAt = 0 } = reading.value;
  const digest = READ_FROM.get(records);
  const list = digest === undefined ? undefined : sentBy(world, address, digest);
  if (!list) {
    world.complain('I11', `${address} gave a list that no registry sent`);
    return undefined;
  }
  const isHeard = world.ledger.heardAt.get(address)?.has(fetchedAt) ?? false;
  if (!isHeard) {
    world.complain('D21', `${address} is said to have confirmed ${list.module_id} at ${fetchedAt}`);
  }
  const standsIn = stale !== undefined;
  return { list, trusted: trusted(world.ledger, address, list), confirmedAt: fetchedAt, standsIn };
}
