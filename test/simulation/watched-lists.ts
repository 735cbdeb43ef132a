import type { ReleaseRecord, ReleaseRecords } from '../../src/core/index.ts';
import { pack } from '../../src/registry/packed-records.ts';
import type { SavedList, SavedLists } from '../../src/registries/index.ts';
import { noteRight, noteSight, settle } from './first-sight.ts';
import { heardFrom } from './hearing.ts';
import type { AcceptedList } from './ledger.ts';
import type { Killable } from './life.ts';
import type { WireList } from './published.ts';
import type { World } from './world.ts';

/** The digest of the response that a list was read from. */
export const READ_FROM: WeakMap<ReleaseRecords, string> = new WeakMap<ReleaseRecords, string>();

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
      judgeContent(world, address, moduleId, list);
      world.ledger.confirmedAt.set(`${address} ${moduleId}`, list.confirmedAt);
      world.ledger.certainAt.set(`${address} ${moduleId}`, list.certainAt);
      return { ...list, records };
    },
    save: (address, moduleId, list) => {
      READ_FROM.set(list.records, list.digest);
      settleNow(world, `${address} ${moduleId}`);
      judgeAccepted(world, address, moduleId, list);
      judgePosition(world, address, moduleId, list);
      killable('save a list', () => {
        saved.save(address, moduleId, list);
        trace.note('save a list');
        markSaved(world, address, moduleId);
      });
      checkSavedLists(world);
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
  judgeContent(world, address, moduleId, saved);
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
  remember(world, key, { list, digest, isOnDisk: false, saved: before && savedOf(before) });
}

function savedOf(accepted: AcceptedList): AcceptedList | undefined {
  return accepted.isOnDisk ? accepted : accepted.saved;
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

/** A list contains what the registry sent, when it is accepted and when it is read back. */
function judgeContent(
  world: World,
  address: string,
  moduleId: string,
  { digest, generation, records, dropped }: SavedList,
): void {
  const list = sentBy(world, address, digest);
  const expected = list?.releases ?? [];
  // What cannot be read of a release is dropped from it.
  const isSame =
    list?.module_id === moduleId &&
    list.generation === generation &&
    (dropped.length > 0 ||
      [...records].map(textOf).join() ===
        expected
          .map(({ published_at: at, ...rest }) => {
            return textOf({ ...rest, publishedAt: at === undefined ? undefined : Date.parse(at) });
          })
          .join());
  if (!isSame) world.complain('I11', `${address} ${moduleId} differs from the list that was sent`);
}

function textOf({ version, publishedAt, artifacts = [], yanked }: ReleaseRecord): string {
  const files = artifacts.map(({ platform, url, digest }) => `${platform} ${url} ${digest}`);
  return `${version} ${publishedAt} ${yanked} ${files.join(' ')}`;
}

/** Compares the saved lists of the file with those that were accepted. */
export function checkSavedLists({ disk, ledger, complain }: World): void {
  for (const row of disk.rows('SELECT address, module_id, digest, confirmed_at FROM saved_lists')) {
    const { address, module_id: moduleId, digest, confirmed_at: confirmedAt } = row;
    const key = `${String(address)} ${String(moduleId)}`;
    const accepted = ledger.accepted.get(key);
    if (!accepted?.isOnDisk) continue;
    if (accepted.digest !== digest) complain('I11', `the file has another list of ${key}`);
    const isHeard = heardFrom(ledger, String(address)).at.has(Number(confirmedAt));
    if (!isHeard) complain('D21', `${key} was not confirmed at ${String(confirmedAt)}`);
  }
}

/** A machine whose clock is right settles what a wrong one wrote. (D59) */
export function settleNow({ ledger, line, conditions }: World, key: string): void {
  if (!conditions.isClockRight) return;
  noteRight(ledger, line.wall());
  settle(ledger, key, line.wall());
}

/** A release that was not in the previous list was published after that list was confirmed. (D34, D58) */
function judgeSights(
  { ledger, conditions, complain }: World,
  address: string,
  list: WireList,
  { firstSeen, confirmedAt, certainAt }: SavedList,
): void {
  const key = `${address} ${list.module_id}`;
  const answers = [...heardFrom(ledger, address).at.keys()];
  const last = ledger.certainAt.get(key) ?? ledger.confirmedAt.get(key) ?? -Infinity;
  const at = conditions.isClockRight ? confirmedAt : Infinity;
  noteSight(ledger, key, list, (version, isFirstList) => {
    if (isFirstList) return { after: undefined, at, isOnDisk: false };
    // A round that was given up may have confirmed the list later than the judge knows.
    const after = firstSeen.added.get(version)?.after ?? -Infinity;
    const isSettled = last > after && after === at;
    if (!isSettled && answers.indexOf(after) < Math.max(0, answers.indexOf(last)))
      complain('D34', `${key} ${version} was first seen after ${after}, expected ${last}`);
    return { after, at, isOnDisk: false };
  });
  ledger.confirmedAt.set(key, confirmedAt);
  ledger.certainAt.set(key, certainAt);
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
  world.ledger.firstDigests.delete(key);
  forgetUnsavedSights(world, key);
  const { conditions } = world;
  noteSight(world.ledger, key, list, (version, isFirstList) => {
    const { after } = saved.firstSeen.added.get(version) ?? {};
    const at = conditions.isClockRight ? saved.confirmedAt : Infinity;
    return { after: isFirstList ? undefined : after, at, isOnDisk: true };
  });
  settleNow(world, key);
  markSightsSaved(world, key);
  remember(world, key, { list, digest, isOnDisk: true, saved: undefined });
}

export function sentBy({ sites }: World, address: string, digest: string): WireList | undefined {
  return sites.find(({ registry }) => registry.address === address)?.registry.sent.get(digest);
}

function markSaved({ ledger }: World, address: string, moduleId: string): void {
  const key = `${address} ${moduleId}`;
  const accepted = ledger.accepted.get(key);
  if (accepted) accepted.isOnDisk = true;
  for (const first of ledger.firstDigests.get(key)?.values() ?? []) first.isOnDisk = true;
  markSightsSaved({ ledger }, key);
}

function markSightsSaved({ ledger }: Pick<World, 'ledger'>, key: string): void {
  for (const sight of ledger.firstSights.get(key)?.values() ?? []) {
    sight.isOnDisk = true;
    delete sight.onDisk;
  }
}

/** Discards everything that a killed process had not saved. */
export function forgetUnsaved(world: World): void {
  const { ledger } = world;
  for (const [key, accepted] of ledger.accepted) {
    const saved = savedOf(accepted);
    if (saved) ledger.accepted.set(key, saved);
    else ledger.accepted.delete(key);
  }
  for (const first of ledger.firstDigests.values()) {
    for (const [place, { isOnDisk }] of first) if (!isOnDisk) first.delete(place);
  }
  for (const key of ledger.firstSights.keys()) forgetUnsavedSights(world, key);
}

function forgetUnsavedSights({ ledger: { firstSights } }: World, key: string): void {
  const sights = firstSights.get(key) ?? new Map<string, never>();
  for (const [version, sight] of sights) {
    if (!sight.isOnDisk) sights.delete(version);
    else if (sight.onDisk) Object.assign(sight, sight.onDisk, { onDisk: undefined });
  }
  if (sights.size === 0) firstSights.delete(key);
}
