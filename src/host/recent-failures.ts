import { dirname } from 'node:path';
import { excerpt } from '../core/text/quote.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import { MOST_RECORDS } from '../logs/log-limits.ts';
import type { StoredRecord } from '../logs/log-record.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import { eventName } from '../logs/event-name.ts';
import { usingLog } from './machine-log.ts';

/** How often the version of a module failed lately. */
export interface RecentFailures {
  readonly count: number;
  /** The last one, in milliseconds since the epoch. */
  readonly lastAt: number;
  /** Why it failed last. */
  readonly reason: string;
}

/** The agent counts crashes together if they are this close. */
const WITHIN_MS = 600_000;
/** `failed 4 times in ten minutes`: how often, and `WITHIN_MS`. */
export function failedLately({ count }: Pick<RecentFailures, 'count'>): string {
  return `failed ${count} times in ten minutes`;
}

/** One failure is no loop, and the module runs again. */
const FEWEST = 2;
const FAILED: ReadonlySet<string | undefined> = new Set([
  eventName('module', 'failed'),
  eventName('server', 'failed'),
]);

/**
 * The modules whose version failed at least twice in the ten minutes before `now`, by the log of the agent beside `statePath`, by
 * name and version. Only the agent's process counts crashes, and one that has not failed often enough to be replaced is in no
 * other file. Empty if the log cannot be read: `modreg agent logs` says why.
 */
export function recentFailures(
  statePath: string,
  mode: 'read' | 'inspect',
  now: number,
): ReadonlyMap<string, RecentFailures> {
  const records = failedRecords(statePath, mode).filter(({ at }) => Math.abs(now - at) < WITHIN_MS);
  const byVersion = Map.groupBy(records, ({ module = '', version = '' }) => keyOf(module, version));
  const found = new Map<string, RecentFailures>();
  for (const [key, all] of byVersion) {
    const last = all.at(-1);
    if (!last || all.length < FEWEST) continue;
    found.set(key, { count: all.length, lastAt: last.at, reason: reasonIn(last) });
  }
  return found;
}

/** The key of a version in `recentFailures`. */
export function keyOf(name: string, version: string | undefined): string {
  return `${name} ${version ?? ''}`;
}

/** `hello 1.3.0 failed 4 times in ten minutes, last: it ended with exit code 7: late boom`. */
export function describeFailing(
  name: string,
  version: string | undefined,
  failures: RecentFailures,
): string {
  return `${excerpt(name)} ${excerpt(version ?? '')} ${failedLately(failures)}, last: ${excerpt(failures.reason, 400)}`;
}

/** The same as JSON. */
export function failuresAsJson(failing: RecentFailures | undefined): object | null {
  if (!failing) return null;
  const { count, lastAt, reason } = failing;
  return { count, last_at: formatTime(lastAt), reason };
}

function failedRecords(statePath: string, mode: 'read' | 'inspect'): StoredRecord[] {
  try {
    const query = { count: MOST_RECORDS, severity: 'warn' } as const;
    const records = usingLog(dirname(statePath), mode, (log) => log.newest(query));
    return records.filter(({ event }) => FAILED.has(event));
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
