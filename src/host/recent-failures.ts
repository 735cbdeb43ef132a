import { dirname } from 'node:path';
import { fitted } from '../core/explanation/headline.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import { rowHeadline } from '../core/plan/open-action-words.ts';
import { describedMs, describeDuration } from '../core/text/duration.ts';
import { excerpt } from '../core/text/quote.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import { passing, say, textOf, type Said } from '../core/text/time-words.ts';
import { MOST_RECORDS } from '../logs/log-limits.ts';
import type { StoredRecord } from '../logs/log-record.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import { AGAIN_IN, eventName } from '../logs/event-name.ts';
import { isPolled } from '../store/claim.ts';
import { usingLog } from './machine-log.ts';

/** How often the version of a module failed lately. */
export interface RecentFailures {
  readonly count: number;
  /** The last one, in milliseconds since the epoch. */
  readonly lastAt: number;
  /** Why it failed last. */
  readonly reason: string;
  /** What follows. `up`: it runs again, for so long. `next-start`: it waits for that, until `at` if the agent has said when (D418). `held`: until a module that it depends on is ready. `no-agent`: none starts it. */
  readonly next:
    | { readonly kind: 'up'; readonly ms: number }
    | { readonly kind: 'next-start'; readonly at?: number; readonly ms?: number }
    | { readonly kind: 'held' }
    | { readonly kind: 'no-agent' };
}

/** A module whose version in use failed several times lately. */
export type Failing = RecentFailures & { readonly version: string };

/** The agent counts crashes together if they are this close. */
const WITHIN_MS = 600_000;
/** `failed 4 times in ten minutes`: how often, and `WITHIN_MS`. */
function failedLately({ count }: Pick<RecentFailures, 'count'>): string {
  return `failed ${count} times in ten minutes`;
}

/** One failure is no loop, and the module runs again. */
const FEWEST = 2;
/** What has run for as long as the longest wait before a start may have recovered. */
const LEAST_UP_MS = 60_000;
const FAILED = eventsNamed('failed');
const STARTED = eventsNamed('started');
const RUNNING = eventsNamed('running');
const HELD = eventsNamed('held');
const BACKING_OFF = eventsNamed('backing-off');
const ENDED = eventsNamed('failed', 'stopped', 'held');
/** What says whether a version is held now. */
const STATES = eventsNamed('failed', 'held', 'started');
const DELIVERED = eventName('poller', 'delivered');

function eventsNamed(...kinds: readonly string[]): ReadonlySet<string | undefined> {
  return new Set(kinds.flatMap((kind) => [eventName('module', kind), eventName('server', kind)]));
}

/**
 * The modules whose version failed at least twice in the ten minutes before `now`, by the log of the agent beside `statePath`, by
 * name and version. Only the agent's process counts crashes, and one that has not failed often enough to be replaced is in no
 * other file. What failed before the last action with this version is over, and so is what has run longer since than between
 * failures (D485). Empty if the log cannot be read: `modreg agent logs` says why.
 */
export function recentFailures(
  statePath: string,
  mode: 'read' | 'inspect',
  now: number,
): ReadonlyMap<string, RecentFailures> {
  const events = recentEvents(statePath, mode, now);
  const byVersion = Map.groupBy(events, ({ module = '', version = '' }) => keyOf(module, version));
  const found = new Map<string, RecentFailures>();
  for (const [key, all] of byVersion) {
    const since = all.slice(all.findLastIndex(({ event }) => event === DELIVERED) + 1);
    const failures = since.filter(({ event }) => FAILED.has(event));
    const last = failures.at(-1);
    if (!last || failures.length < FEWEST) continue;
    const next = afterwards(since, { statePath, now });
    if (!next) continue;
    found.set(key, { count: failures.length, lastAt: last.at, reason: reasonIn(last), next });
  }
  return found;
}

/** What follows the last failure; undefined if it is over, because the version has run for longer than between its failures. */
function afterwards(
  records: readonly StoredRecord[],
  { statePath, now }: { readonly statePath: string; readonly now: number },
): RecentFailures['next'] | undefined {
  const first = records.findIndex(({ event }) => FAILED.has(event));
  const last = records.findLastIndex(({ event }) => FAILED.has(event));
  // What it had run before its first failure does not count.
  const between = runsIn(records.slice(first + 1, last + 1));
  const enough = Math.max(LEAST_UP_MS, ...between.map(({ ms = 0 }) => ms));
  const later = runsIn(records.slice(last + 1));
  const newest = later.at(-1);
  const hasAgent = isPolled(statePath);
  const isUp = hasAgent && newest?.isReady === true && newest.ms === undefined;
  const upMs = isUp ? now - newest.startedAt : undefined;
  const readyMs = later.map(({ isReady, ms = 0 }) => (isReady ? ms : 0));
  if (Math.max(upMs ?? 0, ...readyMs) > enough) return undefined;
  if (!hasAgent) return { kind: 'no-agent' };
  if (HELD.has(records.findLast(({ event }) => STATES.has(event))?.event)) return { kind: 'held' };
  return upMs === undefined
    ? { kind: 'next-start', ...nextStart(records.slice(last + 1), now) }
    : { kind: 'up', ms: upMs };
}

/** When the agent starts a version again, by what it said after the last failure; nothing if it has not said it, or that is over. */
function nextStart(
  records: readonly StoredRecord[],
  now: number,
): { readonly at: number; readonly ms: number } | undefined {
  // A start has no such words.
  const newest = records.findLast(({ event }) => BACKING_OFF.has(event) || STARTED.has(event));
  if (!newest) return undefined;
  const { at, text } = newest;
  const place = text.indexOf(AGAIN_IN);
  const waitMs = place < 0 ? undefined : describedMs(text.slice(place + AGAIN_IN.length));
  const ms = waitMs === undefined ? 0 : at + waitMs - now;
  return ms > 0 ? { at: now + ms, ms } : undefined;
}

/** A start of a version. */
interface Run {
  readonly startedAt: number;
  readonly isReady: boolean;
  /** How long it took; undefined if no record says that it ended. */
  readonly ms: number | undefined;
}

/** The starts in these records, in their order. A start that has no process is none. */
function runsIn(records: readonly StoredRecord[]): Run[] {
  const starts = records.flatMap(({ at, event }, place) =>
    STARTED.has(event) ? [{ startedAt: at, place }] : [],
  );
  return starts.map(({ startedAt, place }, count) => {
    const own = records.slice(place, starts[count + 1]?.place);
    const end = own.find(({ event }) => ENDED.has(event));
    const isReady = own.some(({ event }) => RUNNING.has(event));
    return { startedAt, isReady, ms: end && end.at - startedAt };
  });
}

/** The key of a version in `recentFailures`. */
export function keyOf(name: string, version: string | undefined): string {
  return `${name} ${version ?? ''}`;
}

/** `hello 1.3.0 failed 4 times in ten minutes, last: it ended with exit code 7: late boom; next start within a minute`. */
export function describeFailing(
  name: string,
  version: string | undefined,
  failures: RecentFailures,
): string {
  return `${excerpt(name)} ${describeFailures(version, failures)}`;
}

/** The same without the name of the module. */
export function describeFailures(version: string | undefined, failures: RecentFailures): string {
  const last = excerpt(failures.reason, 400);
  return `${excerpt(version ?? '')} ${failedLately(failures)}, last: ${last}; ${nextWords(failures)}`;
}

/** The headline of the row of a module: what the agent has comes before what fails, and that before what was decided (D485). */
export function currentHeadline(
  row: Parameters<typeof rowHeadline>[0],
  {
    open,
    failing,
  }: { readonly open: OpenAction | undefined; readonly failing: Failing | undefined },
): Said {
  const isUnderWay = open?.state === 'delivered';
  return failing && !isUnderWay ? failingHeadline(failing) : rowHeadline(row, open);
}

/** `1.1.0 failed 2 times: it ended with exit… · starts again` (D485). */
function failingHeadline({ version, count, reason: because, next }: Failing): Said {
  const fact = `${excerpt(version)} failed ${count} times`;
  const startsAt = next.kind === 'next-start' ? next.at : undefined;
  if (startsAt === undefined) return fitted({ fact, because, outcome: OUTCOMES[next.kind] });
  const said = textOf(fitted({ fact, because, outcome: `starts again ${LONGEST_WAIT}` }));
  return said.endsWith(LONGEST_WAIT)
    ? say`${said.slice(0, -LONGEST_WAIT.length)}${passing(startsAt)}`
    : said;
}

/** A headline has less room for the times of others. */
const LONGEST_WAIT = 'in 1 min';

const OUTCOMES: Readonly<Record<Failing['next']['kind'], string>> = {
  up: 'up again',
  'next-start': 'starts again',
  held: 'waits for another module',
  'no-agent': 'no agent runs',
};

/** What follows a failure: `next start within a minute`. */
function nextWords({ next }: Pick<RecentFailures, 'next'>): string {
  switch (next.kind) {
    case 'up':
      return `up again for ${describeDuration(next.ms)}`;
    case 'next-start':
      // The agent never waits longer.
      return next.ms === undefined
        ? 'next start within a minute'
        : `starts again in ${describeDuration(Math.max(next.ms, 1000))}`;
    case 'held':
      return 'it waits for a module that it depends on';
    case 'no-agent':
      return 'no agent runs that starts it';
  }
}

/** The same as JSON. */
export function failuresAsJson(failing: RecentFailures | undefined): object | null {
  if (!failing) return null;
  const { count, lastAt, reason } = failing;
  return { count, last_at: formatTime(lastAt), reason };
}

/** Those of the agent in the ten minutes before `now`, in their order. The clock may have been set back since. */
function recentEvents(statePath: string, mode: 'read' | 'inspect', now: number): StoredRecord[] {
  try {
    const query = { count: MOST_RECORDS, since: now - WITHIN_MS + 1, isEvent: true } as const;
    const records = usingLog(dirname(statePath), mode, (log) => log.newest(query));
    return records.filter(({ at }) => at - now < WITHIN_MS);
  } catch (error) {
    if (error instanceof DatabaseError) return [];
    throw error;
  }
}

/** The line has the name and the version before the reason. */
function reasonIn({ text }: StoredRecord): string {
  const start = text.indexOf(' failed: ');
  return start < 0 ? text : text.slice(start + ' failed: '.length);
}
