import { join } from 'node:path';
import { platformHome } from '../../config/platform-home.ts';
import type { Result } from '../../core/index.ts';
import { LOG_FILE, openLog } from '../../logs/log-file.ts';
import type { LogPart, LogQuery } from '../../page/paged-machine.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { STATE_ERRORS } from '../../store/saved-lists-table.ts';
import { NO_HOME } from '../../host/open-state.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

/** The newest records of the agent's log. */
export function logPart(
  { count, module, severity, after = 0 }: LogQuery,
  { environment }: World,
): Result<LogPart, Problem> {
  const home = platformHome(environment);
  if (home === undefined) return { ok: false, error: NO_HOME };
  try {
    const log = openLog(join(home, LOG_FILE), 'read');
    try {
      const records = log.newest({ count, module, severity, after });
      return { ok: true, value: { records, dropped: log.dropped(), isThere: true } };
    } finally {
      log.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { kind, message } = error;
    if (kind === 'missing')
      return { ok: true, value: { records: [], dropped: undefined, isThere: false } };
    return { ok: false, error: { severity: 'error', kind: STATE_ERRORS[kind], message } };
  }
}
