import type { ReleaseRecords } from '../core/index.ts';
import { YANKED } from '../core/releases/minimum-age.ts';
import type { FirstSeen } from '../core/releases/publish-time.ts';
import type { KnownTime } from './certain-clock.ts';
import { NONE } from './first-list.ts';
import { recordsNotIn } from './packed-records.ts';
import type { SavedList } from './saved-lists.ts';

/** With more added releases than this, only those that the list still contains are remembered. */
const MOST_ADDED = 100_000;
/**
 * How far behind an assumed clock may be. A clock before the release of this modreg is known to be wrong, and others continue from the
 * last saved time. A saved time that is further ahead is the error of an earlier clock (D58).
 */
const MOST_BEHIND_MS = 366 * 86_400_000;

/**
 * When the releases of `next`, a list that was just read, were first seen. `last` is the previous list.
 */
export function firstSeenAfter(
  last: Pick<SavedList, 'records' | 'firstSeen' | 'confirmedAt' | 'certainAt'>,
  next: ReleaseRecords,
  time: KnownTime,
): FirstSeen {
  const { since, added } = last.firstSeen;
  const [before, versions] = [versionsOf(last.records), versionsOf(next)];
  const [listed, known] = [new Set(versions), new Set(before)];
  const isUnseen = (version: string): boolean => version !== '' && !added.has(version);
  const found = versions.filter((version) => isUnseen(version) && !known.has(version));
  const gone = before.filter((version) => isUnseen(version) && !listed.has(version));
  const yanks = yankedSince(last, next).filter((mark) => !added.has(mark));
  if (found.length + gone.length + yanks.length === 0) return last.firstSeen;
  const all = new Map(added);
  // A release that disappears and returns is not new (D34).
  for (const version of gone) all.set(version, { after: -Infinity, at: since });
  const after = lastWithout(last, time);
  const at = found.length === 0 ? undefined : seenAt(next, time);
  for (const version of found) {
    all.set(version, { after, at: Math.max(after, at?.(version) ?? Infinity) });
  }
  for (const mark of yanks) {
    all.set(mark, { after, at: 'at' in time ? Math.max(after, time.at) : Infinity });
  }
  if (all.size <= MOST_ADDED) return { since, added: all };
  return { since, added: new Map([...all].filter(([version]) => listed.has(version))) };
}

/** The marks of the releases of the previous list that are yanked in `next` only (D99). */
function yankedSince({ records }: Pick<SavedList, 'records'>, next: ReleaseRecords): string[] {
  const before = new Map<string, string | undefined>();
  for (const { version, yanked } of recordsNotIn(next, records)) {
    before.set(version, before.get(version) ?? yanked);
  }
  const marks: string[] = [];
  for (const { version, yanked } of recordsNotIn(records, next)) {
    const wasListed = before.has(version) && before.get(version) === undefined;
    if (yanked !== undefined && wasListed) marks.push(YANKED + version);
  }
  return marks;
}

/**
 * The same without a previous list. `known` is what is still known if there was one. Without it, the list is trusted up
 * to now; otherwise a release is new if it claims to be later than the first list.
 */
export function firstSeenOf(
  next: ReleaseRecords,
  known: FirstSeen | undefined,
  time: KnownTime,
): FirstSeen {
  const { since, added } = known ?? { since: 'at' in time ? time.at : Infinity, added: NONE };
  const found = Array.from(next).filter(
    ({ version, publishedAt = -Infinity }) =>
      version !== '' && publishedAt > since && !added.has(version),
  );
  if (found.length === 0) return { since, added };
  const at = seenAt(next, time);
  const after = known ? since : -Infinity;
  const spans = found.map(({ version }) => [version, { after, at: at(version) }] as const);
  return { since, added: new Map([...added, ...spans]) };
}

/** The latest certain moment at which the previous list, without the release, was current. */
function lastWithout(
  { confirmedAt, certainAt }: Pick<SavedList, 'confirmedAt' | 'certainAt'>,
  time: KnownTime,
): number {
  const earliest = certainAt ?? -Infinity;
  if (!('at' in time)) return certainAt ?? confirmedAt;
  if (time.kind === 'certain') return Math.min(certainAt ?? confirmedAt, time.at);
  // If the clock is behind the last confirmation, the release was published after that confirmation.
  return confirmedAt <= time.at + MOST_BEHIND_MS ? Math.max(earliest, confirmedAt) : earliest;
}

/**
 * When a release of a list that was just read was first seen, as far as that limits its publish time. A clock that is only
 * assumed to be right may be behind: then a claim that is later is not limited, and counts as age zero until it has passed (D58).
 */
function seenAt(next: ReleaseRecords, time: KnownTime): (version: string) => number {
  if (!('at' in time)) return () => Infinity;
  const { kind, at } = time;
  if (kind === 'certain') return () => at;
  const later = new Set(
    Array.from(next).flatMap(({ version, publishedAt = -Infinity }) =>
      publishedAt > at ? [version] : [],
    ),
  );
  return (version) => (later.has(version) ? Infinity : at);
}

/**
 * First-seen times that lie after the time that is certain become that time: a clock in 2099 wrote them, or none was certain
 * (D59). A clock that is only assumed to be right may be behind, so it changes only from when on a release counts as published, and
 * only where it would be behind by over a year.
 */
export function settled(firstSeen: FirstSeen, time: KnownTime): FirstSeen {
  if (!('at' in time)) return firstSeen;
  const { kind, at: now } = time;
  const latest = latestIn(firstSeen);
  const mostAfter = kind === 'assumed' ? now + MOST_BEHIND_MS : now;
  const isSettled = latest.after <= mostAfter && (kind === 'assumed' || latest.at <= now);
  if (isSettled) return firstSeen;
  const { since, added } = firstSeen;
  const earlier = (at: number): number => (kind === 'certain' ? Math.min(at, now) : at);
  const spans = Array.from(added, ([version, { after, at }]) => {
    return [version, { after: after > mostAfter ? now : after, at: earlier(at) }] as const;
  });
  return { since: earlier(since), added: new Map(spans) };
}

/** The latest of the times, each computed once. */
export function latestIn(firstSeen: FirstSeen): { readonly after: number; readonly at: number } {
  const known = LATEST.get(firstSeen);
  if (known) return known;
  let latest = { after: -Infinity, at: firstSeen.since };
  for (const { after, at } of firstSeen.added.values()) {
    latest = { after: Math.max(latest.after, after), at: Math.max(latest.at, at) };
  }
  LATEST.set(firstSeen, latest);
  return latest;
}

const LATEST = new WeakMap<FirstSeen, ReturnType<typeof latestIn>>();

function versionsOf(records: ReleaseRecords): string[] {
  if (!records.versionAt) return Array.from(records, ({ version }) => version);
  return Array.from({ length: records.length }, (_, index) => records.versionAt?.(index) ?? '');
}
