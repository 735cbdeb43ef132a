import { dirname, join } from 'node:path';
import { platformHome } from '../config/platform-home.ts';
import type { Result } from '../core/index.ts';
import { LOG_FILE, openLog, type LogFile } from '../logs/log-file.ts';
import type { Delivery } from '../logs/log-queue.ts';
import type { Dropped, Severity, StoredRecord } from '../logs/log-record.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { NO_HOME, stateProblem } from './open-state.ts';

/** Which records of the log are shown. */
export interface LogQuery {
  readonly count: number;
  /** The name of a module entry. */
  readonly module?: string | undefined;
  /** The least severity. */
  readonly severity?: Severity | undefined;
  /** Only records after this one. */
  readonly after?: number | undefined;
  /** Only records of so many last milliseconds. */
  readonly lastMs?: number | undefined;
  /** Only records with this text, in any case of its letters. */
  readonly text?: string | undefined;
}

export interface LogPart {
  readonly records: readonly StoredRecord[];
  /** What was dropped for later records; undefined if nothing was. */
  readonly dropped: Dropped | undefined;
  /** Whether an agent has written a log here. */
  readonly isThere: boolean;
}

/** The newest records of the agent's log, the oldest first. */
export function logPart(
  { count, module, severity, after = 0, lastMs, text }: LogQuery,
  world: World,
): Result<LogPart, Problem[]> {
  const home = platformHome(world.environment);
  if (home === undefined) return { ok: false, error: [NO_HOME] };
  try {
    const value = usingLog(home, 'read', (log) => {
      const since = lastMs === undefined ? undefined : world.clock() - lastMs;
      const records = log.newest({ count, module, severity, after, since, text });
      return { records, dropped: log.dropped(), isThere: true };
    });
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return error.kind === 'missing'
      ? { ok: true, value: { records: [], dropped: undefined, isThere: false } }
      : { ok: false, error: [stateProblem(error)] };
  }
}

/** How far the log beside `statePath` was sent; undefined if the policy names no collector, or if the log cannot be read. */
export function logDelivery(statePath: string): Delivery | undefined {
  try {
    const delivery = usingLog(dirname(statePath), 'read', (log) => log.delivery());
    const isConfigured = delivery.endpoint !== undefined || delivery.trouble !== undefined;
    return isConfigured ? delivery : undefined;
  } catch (error) {
    // modreg agent logs says what is wrong.
    if (error instanceof DatabaseError) return undefined;
    throw error;
  }
}

/** Returns the result of `work` on the log in `home`. Throws a DatabaseError. */
export function usingLog<T>(home: string, mode: 'read' | 'inspect', work: (log: LogFile) => T): T {
  const log = openLog(join(home, LOG_FILE), mode);
  try {
    return work(log);
  } finally {
    log.close();
  }
}
