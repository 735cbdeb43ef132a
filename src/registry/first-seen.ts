import type { FirstSeen, ReleaseRecords } from '../core/index.ts';
import type { SavedList } from './saved-lists.ts';

/** With more added releases than this, only those that the list still contains are remembered. */
const MOST_ADDED = 100_000;
const NONE: FirstSeen['added'] = new Map();

/** The time and the first-seen times of a list without a history: it is trusted up to the moment when it was read. */
export function firstList(now: number): {
  readonly fetchedAt: number;
  readonly firstSeen: FirstSeen;
} {
  return { fetchedAt: now, firstSeen: { since: now, added: NONE } };
}

/**
 * When the releases of `next`, a list that was read at `now`, were first seen. `before` is the previous list, or the
 * first-seen times alone if the list is no longer saved, or undefined for the first list of a module.
 */
export function firstSeenIn(
  next: ReleaseRecords,
  before: Pick<SavedList, 'records' | 'firstSeen' | 'confirmedAt'> | FirstSeen | undefined,
  now: number,
): FirstSeen {
  // Without a previous list, a release is new only if it claims to be (D34).
  const { since, added } = before
    ? 'records' in before
      ? before.firstSeen
      : before
    : { since: now, added: NONE };
  const isAdded = before && 'records' in before ? notIn(before.records) : claimedAfter(next, since);
  const after = before ? ('records' in before ? before.confirmedAt : since) : -Infinity;
  const versions = versionsOf(next);
  const found = versions.filter(
    (version) => version !== '' && !added.has(version) && isAdded(version),
  );
  if (found.length === 0) return { since, added };
  const all = new Map(added);
  for (const version of found) all.set(version, { after, at: now });
  return { since, added: all.size > MOST_ADDED ? onlyOf(all, versions) : all };
}

function notIn(records: ReleaseRecords): (version: string) => boolean {
  const known = new Set(versionsOf(records));
  return (version) => !known.has(version);
}

function claimedAfter(records: ReleaseRecords, time: number): (version: string) => boolean {
  const later = Array.from(records).filter(({ publishedAt = -Infinity }) => publishedAt > time);
  const versions = new Set(later.map(({ version }) => version));
  return (version) => versions.has(version);
}

function versionsOf(records: ReleaseRecords): string[] {
  const { versionAt } = records;
  if (!versionAt) return Array.from(records, ({ version }) => version);
  return Array.from({ length: records.length }, (_, index) => versionAt(index));
}

function onlyOf(added: FirstSeen['added'], versions: readonly string[]): FirstSeen['added'] {
  const listed = new Set(versions);
  return new Map([...added].filter(([version]) => listed.has(version)));
}
