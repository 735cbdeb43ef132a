import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, transaction, translated } from '../sqlite/database.ts';
import { statementsOf, type Row, type Statements } from '../sqlite/statements.ts';
import { LOG_LAYOUT } from './log-layout.ts';

/** The least severe first. */
const SEVERITIES = ['info', 'warn', 'error'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** A line of a log. */
export interface LogRecord {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly severity: Severity;
  /** The module entry that it is about; undefined for the agent itself. */
  readonly module: string | undefined;
  readonly text: string;
}

/** A record with its number. Later records have higher numbers. */
export interface StoredRecord extends LogRecord {
  readonly id: number;
}

/** What a log no longer has: it was dropped for later records. */
interface Dropped {
  readonly count: number;
  /** The time of the newest record that was dropped. */
  readonly newestAt: number;
}

/** The bounded log of a machine. Each method throws a `DatabaseError` if the file cannot be used. */
export interface LogFile {
  /** Adds records. Drops the least severe ones, the oldest of them first, if the log has too many. */
  append(records: readonly LogRecord[]): void;
  /** The newest records, at most `count`, the oldest first; of one module if it is given, and after the record `after`. */
  newest(query: {
    readonly count: number;
    readonly module?: string | undefined;
    readonly after?: number;
  }): StoredRecord[];
  /** Undefined if nothing was dropped. */
  dropped(): Dropped | undefined;
  close(): void;
}

export const MOST_RECORDS = 10_000;
export const MOST_BYTES: number = 8 * 1024 * 1024;
/** What a record takes besides its text. */
const OVERHEAD_BYTES = 64;
const BUSY_TIMEOUT_MS = 5000;

/** Opens the log at `path`. Throws a `DatabaseError`. */
export function openLog(path: string, mode: 'create' | 'read'): LogFile {
  const database = openDatabase(path, LOG_LAYOUT, { mode, busyTimeoutMs: BUSY_TIMEOUT_MS });
  // A loss of power may take the last lines of a log: a sync for each would delay what the agent does.
  if (mode === 'create') database.exec('PRAGMA synchronous = NORMAL');
  const sql = statementsOf(database, path);
  return {
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
  const size = sizeIn(sql);
  return (records) => {
    translated(sql.path, () => {
      transaction(database, () => {
        for (const { at, severity, module, text } of records) {
          const bytes = Buffer.byteLength(text) + OVERHEAD_BYTES;
          sql.run(
            'INSERT INTO records (at, severity, module, text, bytes) VALUES (?, ?, ?, ?, ?)',
            at,
            SEVERITIES.indexOf(severity),
            module ?? null,
            text,
            bytes,
          );
          size.count++;
          size.bytes += bytes;
        }
        while (size.count > MOST_RECORDS || size.bytes > MOST_BYTES) drop(sql, size);
      });
    });
  };
}

interface Size {
  count: number;
  bytes: number;
}

function sizeIn(sql: Statements): Size {
  const row = sql.get('SELECT count(*) AS count, total(bytes) AS bytes FROM records');
  return { count: Number(row?.['count']), bytes: Number(row?.['bytes']) };
}

/** Drops as many records as there are too many, at least one. */
function drop(sql: Statements, size: Size): void {
  const tooMany = Math.max(1, size.count - MOST_RECORDS);
  const rows = sql.all(
    'DELETE FROM records WHERE id IN (SELECT id FROM records ORDER BY severity, id LIMIT ?) RETURNING at, bytes',
    tooMany,
  );
  let newestAt = 0;
  for (const { at, bytes } of rows) {
    size.count--;
    size.bytes -= Number(bytes);
    newestAt = Math.max(newestAt, Number(at));
  }
  sql.run(
    `INSERT INTO dropped VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE SET
      count = count + excluded.count, newest_at = max(newest_at, excluded.newest_at)`,
    rows.length,
    newestAt,
  );
}

function newest(
  sql: Statements,
  { count, module, after = 0 }: Parameters<LogFile['newest']>[0],
): StoredRecord[] {
  const ofModule = module === undefined ? '' : 'AND module = ?';
  const rows = sql.all(
    `SELECT id, at, severity, module, text FROM records WHERE id > ? ${ofModule} ORDER BY id DESC LIMIT ?`,
    after,
    ...(module === undefined ? [] : [module]),
    count,
  );
  return rows.map(recordIn).toReversed();
}

function recordIn({ id, at, severity, module, text }: Row): StoredRecord {
  return {
    id: Number(id),
    at: Number(at),
    severity: SEVERITIES[Number(severity)] ?? 'error',
    module: module === null ? undefined : String(module),
    text: String(text),
  };
}
