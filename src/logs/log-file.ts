import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, transaction, translated } from '../sqlite/database.ts';
import { statementsOf, type Statements } from '../sqlite/statements.ts';
import { LOG_LAYOUT } from './log-layout.ts';
import { logLimits, OVERHEAD_BYTES } from './log-limits.ts';
import { logQueue, type LogQueue } from './log-queue.ts';
import {
  COLUMNS,
  recordIn,
  SEVERITIES,
  type Severity,
  type Dropped,
  type LogRecord,
  type StoredRecord,
} from './log-record.ts';

/** The bounded log of a machine. Each method throws a `DatabaseError` if the file cannot be used. */
export interface LogFile extends LogQueue {
  /** Adds records. Drops the least severe ones, the oldest of them first, if the log has too many. */
  append(records: readonly LogRecord[]): void;
  /**
   * The newest records, at most `count`, the oldest first; of one module if it is given, at least as severe as `severity`,
   * after the record `after`, not before `since` in milliseconds since the epoch, and with `text` in any case of its letters. With
   * `isEvent` only those of the agent, without the lines of modules.
   */
  newest(query: {
    readonly count: number;
    readonly module?: string | undefined;
    readonly severity?: Severity | undefined;
    readonly after?: number;
    readonly since?: number | undefined;
    readonly text?: string | undefined;
    readonly isEvent?: true;
  }): StoredRecord[];
  /** Undefined if nothing was dropped. */
  dropped(): Dropped | undefined;
  close(): void;
}

/** The name of the file, beside `machine.db`: a flood of lines cannot affect what is decided. */
export const LOG_FILE = 'logs.db';
const BUSY_TIMEOUT_MS = 5000;
/** So many records are added before those that are too many are dropped. */
const TRIMMED_AFTER = 32;

/** Opens the log at `path`. Throws a `DatabaseError`. */
export function openLog(path: string, mode: 'create' | 'write' | 'read' | 'inspect'): LogFile {
  const database = openDatabase(path, LOG_LAYOUT, { mode, busyTimeoutMs: BUSY_TIMEOUT_MS });
  // A loss of power may take the last lines of a log: a sync for each would delay what the agent does.
  // The write-ahead log is emptied early, because it counts as well.
  if (mode === 'create' || mode === 'write') {
    database.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 128;
      PRAGMA journal_size_limit = 524288`);
  }
  const sql = statementsOf(database, path);
  return {
    ...logQueue(sql),
    append: appender(database, sql),
    newest: (query) => newest(sql, query),
    dropped() {
      const row = sql.get('SELECT count, newest_at FROM dropped');
      return row && { count: Number(row['count']), newestAt: Number(row['newest_at']) };
    },
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

function appender(database: DatabaseSync, sql: Statements): LogFile['append'] {
  const limits = logLimits(sql);
  return (records) => {
    translated(sql.path, () => {
      transaction(database, () => {
        for (const [place, record] of records.entries()) {
          limits.added(insert(sql, record));
          if ((place + 1) % TRIMMED_AFTER === 0) limits.trim();
        }
        limits.trim();
      });
    });
  };
}

/** Adds a record, and returns how many bytes it takes. */
function insert(
  sql: Statements,
  { at, severity, module, version, event, text }: LogRecord,
): number {
  const bytes = Buffer.byteLength(text) + OVERHEAD_BYTES;
  sql.run(
    'INSERT INTO records (at, severity, module, version, event, text, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)',
    at,
    SEVERITIES.indexOf(severity),
    module ?? null,
    version ?? null,
    event ?? null,
    text,
    bytes,
  );
  return bytes;
}

function newest(
  sql: Statements,
  {
    count,
    module,
    severity = 'info',
    after = 0,
    since,
    text,
    isEvent,
  }: Parameters<LogFile['newest']>[0],
): StoredRecord[] {
  const conditions = [
    ['id > ?', after],
    ['severity >= ?', SEVERITIES.indexOf(severity)],
    ['module = ?', module],
    ['at >= ?', since],
    ['instr(lower(text), lower(?)) > 0', text],
    ['(event IS NOT NULL) = ?', isEvent && 1],
  ] as const;
  const used = conditions.flatMap(([sqlText, value]) =>
    value === undefined ? [] : [[sqlText, value] as const],
  );
  const rows = sql.all(
    `SELECT ${COLUMNS} FROM records WHERE ${used.map(([one]) => one).join(' AND ')} ORDER BY id DESC LIMIT ?`,
    ...used.map(([, value]) => value),
    count,
  );
  return rows.map(recordIn).toReversed();
}
