import type { ReleaseRecords } from '../core/index.ts';
import type { FirstSeen } from '../core/releases/publish-time.ts';
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
 * When the releases of `next`, a list that was read at `now`, were first seen. `last` is the previous list.
 */
export function firstSeenAfter(
  last: Pick<SavedList, 'records' | 'firstSeen' | 'confirmedAt'>,
  next: ReleaseRecords,
  now: number,
): FirstSeen {
  const { since, added } = last.firstSeen;
  const [before, versions] = [versionsOf(last.records), versionsOf(next)];
  const [listed, known] = [new Set(versions), new Set(before)];
  const isUnseen = (version: string): boolean => version !== '' && !added.has(version);
  const found = versions.filter((version) => isUnseen(version) && !known.has(version));
  const gone = before.filter((version) => isUnseen(version) && !listed.has(version));
  if (found.length + gone.length === 0) return last.firstSeen;
  const all = new Map(added);
  // A release that disappears and returns is not new (D34).
  for (const version of gone) all.set(version, { after: -Infinity, at: since });
  for (const version of found) all.set(version, { after: last.confirmedAt, at: now });
  if (all.size <= MOST_ADDED) return { since, added: all };
  return { since, added: new Map([...all].filter(([version]) => listed.has(version))) };
}

/**
 * The same without a previous list. `known` is what is still known if there was one. Without it, the list is trusted up
 * to `now`; otherwise a release is new if it claims to be later than the first list.
 */
export function firstSeenOf(
  next: ReleaseRecords,
  known: FirstSeen | undefined,
  now: number,
): FirstSeen {
  const { since, added } = known ?? firstList(now).firstSeen;
  const found = Array.from(next).filter(
    ({ version, publishedAt = -Infinity }) =>
      version !== '' && publishedAt > since && !added.has(version),
  );
  if (found.length === 0) return { since, added };
  const span = { after: known ? since : -Infinity, at: now };
  return {
    since,
    added: new Map([...added, ...found.map(({ version }) => [version, span] as const)]),
  };
}

function versionsOf(records: ReleaseRecords): string[] {
  if (!records.versionAt) return Array.from(records, ({ version }) => version);
  return Array.from({ length: records.length }, (_, index) => records.versionAt?.(index) ?? '');
}
