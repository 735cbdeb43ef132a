import type { Statements } from '../sqlite/statements.ts';
import { COLUMNS, recordIn, type Dropped, type StoredRecord } from './log-record.ts';

/** How far a log was sent to a collector. */
export interface Delivery {
  /** Tells the records of this log from those of others. */
  readonly logId: string;
  /** The collector; undefined if none is configured. */
  readonly endpoint: string | undefined;
  /** When records were sent last, in milliseconds since the epoch; undefined if none were. */
  readonly sentAt: number | undefined;
  /** How many records are to be sent. */
  readonly waiting: number;
  /** All records that were dropped before they were sent. */
  readonly dropped: Dropped;
  /** How many of them the collector knows of. */
  readonly droppedReported: number;
  /** How many records the collector refused one by one. They stay in the log. */
  readonly setAside: number;
  /** How many records of accepted batches the collector rejected. */
  readonly rejected: number;
  /** Why records wait; undefined if nothing is wrong. */
  readonly trouble: string | undefined;
}

/** The part of a log that is to be sent: the records after a position that the file keeps. */
export interface LogQueue {
  /** The records to be sent next, at most `count`, the oldest first; those after the record `after`, if it is given. */
  unsent(count: number, after?: number): StoredRecord[];
  delivery(): Delivery;
  /** Notes that the records up to the number `last` need not be sent again; undefined for no records. */
  passed(
    last: number | undefined,
    what:
      | {
          readonly kind: 'sent';
          readonly at: number;
          readonly droppedReported: number;
          readonly rejected: number;
        }
      | { readonly kind: 'set-aside'; readonly droppedReported: number; readonly count: number },
  ): void;
  /** Notes where the log is sent to. */
  sendingTo(endpoint: string | undefined): void;
  /** Notes why records wait; undefined if nothing is wrong. */
  troubled(trouble: string | undefined): void;
}

export function logQueue(sql: Statements): LogQueue {
  return {
    unsent: (count, after = 0) =>
      sql
        .all(
          `SELECT ${COLUMNS} FROM records WHERE id > max(?, (SELECT position FROM delivery)) ORDER BY id LIMIT ?`,
          after,
          count,
        )
        .map(recordIn),
    delivery: () => deliveryIn(sql),
    passed(last = 0, what) {
      const [at, rejected, aside] =
        what.kind === 'sent' ? [what.at, what.rejected, 0] : [null, 0, what.count];
      sql.run(
        `UPDATE delivery SET position = max(position, ?), sent_at = coalesce(?, sent_at),
          rejected = rejected + ?, set_aside = set_aside + ?, dropped_reported = ?`,
        last,
        at,
        rejected,
        aside,
        what.droppedReported,
      );
    },
    sendingTo: (endpoint) => {
      sql.run('UPDATE delivery SET endpoint = ?', endpoint ?? null);
    },
    troubled: (trouble) => {
      sql.run('UPDATE delivery SET trouble = ?', trouble ?? null);
    },
  };
}

function deliveryIn(sql: Statements): Delivery {
  const row = sql.get(`SELECT *,
    (SELECT count(*) FROM records WHERE records.id > position) AS waiting FROM delivery`);
  const text = (column: string): string | undefined => {
    const value = row?.[column] ?? undefined;
    return value === undefined ? undefined : String(value);
  };
  const number = (column: string): number => Number(row?.[column] ?? 0);
  const sentAt = row?.['sent_at'] ?? undefined;
  return {
    logId: String(row?.['log_id']),
    endpoint: text('endpoint'),
    sentAt: sentAt === undefined ? undefined : Number(sentAt),
    waiting: number('waiting'),
    dropped: { count: number('dropped'), newestAt: number('dropped_at') },
    droppedReported: number('dropped_reported'),
    setAside: number('set_aside'),
    rejected: number('rejected'),
    trouble: text('trouble'),
  };
}
