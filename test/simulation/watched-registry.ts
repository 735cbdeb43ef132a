import type { ReleaseRecords } from '../../src/core/index.ts';
import { pack } from '../../src/registry/packed-records.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import type {
  CachedRegistry,
  Clock,
  ListResult,
  SavedList,
  SavedLists,
} from '../../src/registry/index.ts';
import { believed, noteSight } from './first-sight.ts';
import type { ListInForce } from './ledger.ts';
import type { Killable } from './life.ts';
import type { WireList } from './published.ts';
import { noteRound } from './pace.ts';
import { trusted } from './trust.ts';
import type { World } from './world.ts';

/** The digest of the response that a list was read from. */
const READ_FROM = new WeakMap<ReleaseRecords, string>();

/** Wraps `saved` so that the judge sees each accepted list. */
export function watchedLists(saved: SavedLists, world: World, killable: Killable): SavedLists {
  const { trace } = world;
  return {
    ...saved,
    read: (address, moduleId) => {
      const list = killable('read a list', () => saved.read(address, moduleId));
      if (!list) return undefined;
      // A packed list is remembered as it is, so that the judge recognizes it.
      const records = pack(list.records);
      READ_FROM.set(records, list.digest);
      world.ledger.confirmedAt.set(`${address} ${moduleId}`, list.confirmedAt);
      return { ...list, records };
    },
    save: (address, moduleId, list) => {
      READ_FROM.set(list.records, list.digest);
      judgeAccepted(world, address, moduleId, list);
      judgePosition(world, address, moduleId, list);
      killable('save a list', () => {
        saved.save(address, moduleId, list);
        trace.note('save a list');
        markSaved(world, address, moduleId);
      });
    },
    confirm: (address, lists) => {
      for (const [moduleId, list] of lists) judgePosition(world, address, moduleId, list);
      killable('confirm lists', () => {
        saved.confirm(address, lists);
        trace.note('confirm lists');
      });
    },
  };
}

/** An accepted list is complete, and never older than the one before. (D22, T24 to T26) */
function judgeAccepted(world: World, address: string, moduleId: string, saved: SavedList): void {
  const { ledger, complain } = world;
  const key = `${address} ${moduleId}`;
  const { digest } = saved;
  const list = sentBy(world, address, digest);
  const before = ledger.accepted.get(key);
  if (!list || list.module_id !== moduleId) {
    complain('I11', `${key} was read from a response that no registry sent`);
    return;
  }
  judgeSights(world, address, list, saved);
  if (before?.digest === digest) return;
  if (list.count !== list.releases.length)
    complain('T24', `${key} was accepted with ${list.releases.length} of ${list.count} releases`);
  if (before && list.generation < before.list.generation) {
    complain(
      'T25',
      `${key} went back from generation ${before.list.generation} to ${list.generation}`,
    );
  }
  const most = before ? before.list.generation + 1_000_000 : 2 ** 52;
  if (list.generation > most) complain('D40', `${key} was accepted at ${list.generation}`);
  if (before && list.generation === before.list.generation)
    complain('T26', `${key} has two lists of generation ${list.generation}`);
  remember(world, key, { list, digest, isOnDisk: false });
}

function remember({ ledger }: World, key: string, accepted: AcceptedList): void {
  ledger.accepted.set(key, accepted);
  ledger.novelty++;
  const first = ledger.firstDigests.get(key) ?? new Map();
  ledger.firstDigests.set(key, first);
  for (const { version, artifacts = [] } of accepted.list.releases) {
    for (const { platform, digest } of artifacts) {
      const place = `${version} ${platform}`;
      if (!first.has(place)) first.set(place, { digest, isOnDisk: accepted.isOnDisk });
    }
  }
}

/** A release that was not in the previous list was published after that list was confirmed. (D34) */
function judgeSights(
  { ledger, complain }: World,
  address: string,
  list: WireList,
  { firstSeen, confirmedAt }: SavedList,
): void {
  const key = `${address} ${list.module_id}`;
  const answers = [...(ledger.answeredAt.get(address) ?? [])];
  const last = ledger.confirmedAt.get(key) ?? -Infinity;
  noteSight(ledger, key, list, (version, isFirstList) => {
    if (isFirstList) return { after: undefined, at: confirmedAt, isOnDisk: false };
    // A round that was given up may have confirmed the list later than the judge knows.
    const after = firstSeen.added.get(version)?.after ?? -Infinity;
    if (answers.indexOf(after) < Math.max(0, answers.indexOf(last)))
      complain('D34', `${key} ${version} was first seen after ${after}, expected ${last}`);
    return { after, at: confirmedAt, isOnDisk: false };
  });
  ledger.confirmedAt.set(key, confirmedAt);
}

/** A list has a position in a feed only if the feed has named its module. (D40) */
function judgePosition(
  { sites, complain }: World,
  address: string,
  moduleId: string,
  { sequence, history }: SavedList,
): void {
  const site = sites.find(({ registry }) => registry.address === address);
  if (sequence === undefined || site?.registry.hasNamed(history, moduleId) === true) return;
  complain('D40', `${address} ${moduleId} is confirmed by a feed that has not named it`);
}

/** An operator accepts a list, which replaces everything known before. */
export function acceptedByOperator(
  world: World,
  address: string,
  moduleId: string,
  saved: SavedList,
): void {
  const key = `${address} ${moduleId}`;
  const { digest } = saved;
  const list = sentBy(world, address, digest);
  if (!list) return;
  const heard = world.ledger.answeredAt.get(address) ?? new Set();
  world.ledger.answeredAt.set(address, heard.add(world.line.wall()));
  world.ledger.firstDigests.delete(key);
  forgetUnsavedSights(world, key);
  noteSight(world.ledger, key, list, (version, isFirstList) => {
    const { after } = saved.firstSeen.added.get(version) ?? {};
    return { after: isFirstList ? undefined : after, at: saved.confirmedAt, isOnDisk: true };
  });
  remember(world, key, { list, digest, isOnDisk: true });
}

function sentBy({ sites }: World, address: string, digest: string): WireList | undefined {
  return sites.find(({ registry }) => registry.address === address)?.registry.sent.get(digest);
}

type AcceptedList = NonNullable<ReturnType<World['ledger']['accepted']['get']>>;

function markSaved({ ledger }: World, address: string, moduleId: string): void {
  const key = `${address} ${moduleId}`;
  const accepted = ledger.accepted.get(key);
  if (accepted) accepted.isOnDisk = true;
  for (const first of ledger.firstDigests.get(key)?.values() ?? []) first.isOnDisk = true;
  for (const sight of ledger.firstSights.get(key)?.values() ?? []) sight.isOnDisk = true;
}

/** Discards everything that a killed process had not saved. */
export function forgetUnsaved(world: World): void {
  const { ledger } = world;
  for (const [key, { isOnDisk }] of ledger.accepted) if (!isOnDisk) ledger.accepted.delete(key);
  for (const first of ledger.firstDigests.values()) {
    for (const [place, { isOnDisk }] of first) if (!isOnDisk) first.delete(place);
  }
  for (const key of ledger.firstSights.keys()) forgetUnsavedSights(world, key);
}

function forgetUnsavedSights({ ledger: { firstSights } }: World, key: string): void {
  const sights = firstSights.get(key) ?? new Map<string, never>();
  for (const [version, { isOnDisk }] of sights) if (!isOnDisk) sights.delete(version);
  if (sights.size === 0) firstSights.delete(key);
}

interface ProcessContext {
  readonly clock: Clock;
  readonly isAlive: () => boolean;
}

/** Wraps `cached` so that the judge sees each round and its result. */
export function watchedRegistry(
  address: string,
  cached: CachedRegistry,
  world: World,
  { clock, isAlive }: ProcessContext,
): PollableRegistry {
  const { ledger, conditions, complain } = world;
  let open = 0;
  return {
    ...cached,
    async readAll(moduleIds, signal) {
      const onAbort = (): void => {
        open--;
      };
      if (open > 0) complain('I6', `${address} is polled twice at once`);
      open++;
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        ledger.hasPolledSince ||= ledger.hasPlanned;
        noteRound(world, address, moduleIds);
        ledger.polls.set(address, { requests: 0, retries: 0, failures: new Map() });
        const readings = await cached.readAll(moduleIds, signal);
        // The poller may have given up by then.
        if (conditions.lateMs > 0) await clock.sleep(conditions.lateMs);
        if (isAlive() && signal?.aborted !== true) recordLists(address, readings, world);
        return readings;
      } finally {
        signal?.removeEventListener('abort', onAbort);
        if (signal?.aborted !== true) open--;
      }
    },
  };
}

function recordLists(
  address: string,
  readings: ReadonlyMap<string, ListResult>,
  world: World,
): void {
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

/** Whether the registry itself answered; `unknown-module` is an answer. */
function isGood(reading: ListResult): boolean {
  return reading.ok ? reading.value.stale === undefined : reading.error.kind === 'unknown-module';
}

function listInForce(address: string, reading: ListResult, world: World): ListInForce | undefined {
  if (!reading.ok) return undefined;
  const { records, stale, fetchedAt = 0 } = reading.value;
  const digest = READ_FROM.get(records);
  const list = digest === undefined ? undefined : sentBy(world, address, digest);
  if (!list) {
    world.complain('I11', `a list of ${address} was never sent by it`);
    return undefined;
  }
  const isHeard = world.ledger.answeredAt.get(address)?.has(fetchedAt) ?? false;
  if (!isHeard) {
    world.complain('D21', `${address} did not confirm ${list.module_id} at ${fetchedAt}`);
  }
  const isStale = stale !== undefined;
  const key = `${address} ${list.module_id}`;
  world.ledger.confirmedAt.set(key, fetchedAt);
  const releases = believed(world.ledger, key, trusted(world.ledger, address, list));
  return { list, trusted: releases, confirmedAt: fetchedAt, isStale };
}
