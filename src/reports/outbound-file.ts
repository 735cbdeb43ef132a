import type { DatabaseSync } from 'node:sqlite';
import { isJsonObject } from '../registry/formats/json-object.ts';
import type { ReportedOutcome } from '../registry/machine-report.ts';
import { openDatabase, transaction, translated } from '../sqlite/database.ts';
import { statementsOf, type Row, type Statements } from '../sqlite/statements.ts';
import { jsonIn } from '../sqlite/stored-value.ts';
import { OUTBOUND_LAYOUT } from './outbound-layout.ts';

/** An outcome without its number, which the queue assigns. */
export type NewOutcome = Omit<ReportedOutcome, 'number'>;

/** How far a queue was sent. */
interface QueuePosition {
  readonly queue: string;
  /** The registry has the outcomes up to this number. */
  readonly knownTo: number;
  /** The highest number that was assigned. */
  readonly highest: number;
  readonly stateNumber: number;
  /** Of the state that was sent last; undefined if it must be sent again. */
  readonly stateDigest: string | undefined;
  readonly stateSentAt: number;
}

/**
 * The bounded queue of a machine's reports. If it is full, the oldest outcomes that were sent are dropped first, then the oldest
 * that are no failures; a number without an outcome tells the registry. Each method throws a DatabaseError if the file
 * cannot be used.
 */
export interface OutboundFile {
  /** The ids of the actions whose outcomes were added; undefined in a new queue, which does not report what was before it. */
  taken(): ReadonlySet<string> | undefined;
  /** Adds outcomes, and notes their actions as taken. */
  add(outcomes: readonly NewOutcome[], taken: readonly string[]): void;
  position(): QueuePosition;
  /** The outcomes to be sent next, at most `count` with at most `bytes`, but at least one. */
  unsent(count: number, bytes: number): ReportedOutcome[];
  /** Notes what the registry has. */
  known(knownTo: number): void;
  /** Notes that the registry lacks outcomes after `knownTo`, and perhaps the state. */
  gap(knownTo: number): void;
  /** Notes the state that was sent, or that the registry refused three times. */
  stateSent(digest: string, at: number): void;
  /** A number for the next state. */
  nextStateNumber(): number;
  /** Notes that the registry refused an outcome three times. */
  setAside(number: number): void;
  /** Notes that no report can be sent now. The first time since one was taken is kept. */
  waits(because: string, at: number): void;
  /** Begins another queue, whose numbers the registry has not seen: this file is an older copy of what it has seen. */
  renew(): void;
  close(): void;
}

/** The name of the file, beside `machine.db`. */
export const OUTBOUND_FILE = 'outbound.db';
/** About 5 MB. A machine has some ten outcomes a day. */
const MOST_OUTCOMES_KEPT = 10_000;
/** machine.db has the last 1,000 actions. */
const MOST_TAKEN = 5000;
const BUSY_TIMEOUT_MS = 5000;

/** Opens the queue at `path`. Throws a `DatabaseError`. */
export function openOutbound(path: string, mostKept: number = MOST_OUTCOMES_KEPT): OutboundFile {
  const options = { mode: 'create', busyTimeoutMs: BUSY_TIMEOUT_MS } as const;
  const database = openDatabase(path, OUTBOUND_LAYOUT, options);
  const sql = statementsOf(database, path);
  const set = (fields: string, ...values: readonly (string | number)[]): void => {
    sql.run(`UPDATE queue SET ${fields}`, ...values);
  };
  return {
    taken: () => takenIn(sql),
    add: (outcomes, taken) => add(database, sql, { outcomes, taken, mostKept }),
    position: () => positionIn(sql),
    unsent: (count, bytes) => unsentIn(sql, count, bytes),
    known: (knownTo) => set(`known_to = max(known_to, ?), ${TAKEN}`, knownTo),
    gap: (knownTo) => set('known_to = ?, state_digest = NULL', knownTo),
    stateSent: (digest, at) => set('state_digest = ?, state_sent_at = ?', digest, at),
    nextStateNumber() {
      set('state_number = state_number + 1');
      return positionIn(sql).stateNumber;
    },
    setAside: (number) => {
      sql.run('UPDATE outcomes SET is_aside = 1 WHERE number = ?', number);
    },
    waits: (because, at) =>
      set('waits_since = coalesce(waits_since, ?), waits_because = ?', at, because),
    renew: () =>
      set(`queue = lower(hex(randomblob(16))), known_to = 0, state_digest = NULL, ${TAKEN}`),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Of a queue from which the registry has taken a report. */
const TAKEN = 'waits_since = NULL, waits_because = NULL';

/** Since when the reports of a queue wait, and why. */
export interface WaitingReports {
  readonly since: number;
  readonly because: string;
}

/** Whether the reports of the queue at `path` wait. Changes nothing. Throws a `DatabaseError`. */
export function waitingReports(path: string): WaitingReports | undefined {
  const options = { mode: 'inspect', busyTimeoutMs: BUSY_TIMEOUT_MS } as const;
  const database = openDatabase(path, OUTBOUND_LAYOUT, options);
  try {
    const row = statementsOf(database, path).get('SELECT waits_since, waits_because FROM queue');
    const since = row?.['waits_since'] ?? undefined;
    if (since === undefined) return undefined;
    return { since: Number(since), because: String(row?.['waits_because']) };
  } finally {
    database.close();
  }
}

function takenIn(sql: Statements): ReadonlySet<string> | undefined {
  if (sql.get('SELECT has_begun FROM queue')?.['has_begun'] === 0) return undefined;
  return new Set(sql.all('SELECT action FROM taken').map((row) => String(row['action'])));
}

function add(
  database: DatabaseSync,
  sql: Statements,
  {
    outcomes,
    taken,
    mostKept,
  }: {
    readonly outcomes: readonly NewOutcome[];
    readonly taken: readonly string[];
    readonly mostKept: number;
  },
): void {
  translated(sql.path, () =>
    transaction(database, () => {
      for (const action of taken) {
        sql.run('INSERT OR IGNORE INTO taken (action) VALUES (?)', action);
      }
      sql.run('DELETE FROM taken WHERE place <= (SELECT max(place) FROM taken) - ?', MOST_TAKEN);
      sql.run('UPDATE queue SET has_begun = 1');
      for (const outcome of outcomes) {
        const isInfo = outcome.result === 'failed' ? 0 : 1;
        const content = JSON.stringify(outcome);
        sql.run('INSERT INTO outcomes (is_info, content) VALUES (?, ?)', isInfo, content);
      }
      const kept = Number(sql.get('SELECT count(*) AS n FROM outcomes')?.['n']);
      if (kept > mostKept) sql.run(DROP, kept - mostKept);
    }),
  );
}

const DROP = `DELETE FROM outcomes WHERE number IN (SELECT number FROM outcomes
  ORDER BY number <= (SELECT known_to FROM queue) DESC, is_info DESC, number LIMIT ?)`;

function positionIn(sql: Statements): QueuePosition {
  const row = sql.get(`SELECT *,
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outcomes'), 0) AS highest FROM queue`);
  const number = (column: string): number => Number(row?.[column]);
  const digest = row?.['state_digest'] ?? undefined;
  return {
    queue: String(row?.['queue']),
    knownTo: number('known_to'),
    highest: number('highest'),
    stateNumber: number('state_number'),
    stateDigest: digest === undefined ? undefined : String(digest),
    stateSentAt: number('state_sent_at'),
  };
}

function unsentIn(sql: Statements, count: number, bytes: number): ReportedOutcome[] {
  const rows = sql.all(
    `SELECT number, content FROM outcomes WHERE number > (SELECT known_to FROM queue) AND is_aside = 0
      ORDER BY number LIMIT ?`,
    count,
  );
  let size = 0;
  const fit = rows.filter(({ content }, place) => {
    size += String(content).length;
    return place === 0 || size <= bytes;
  });
  return fit.map((row) => outcomeIn(row, sql));
}

const CONTENT = { table: 'outcomes', key: 'number', column: 'content' } as const;

function outcomeIn(row: Row, sql: Statements): ReportedOutcome {
  return { number: Number(row['number']), ...jsonIn(row, CONTENT, sql, isOutcome) };
}

/** Only this file writes outcomes. */
function isOutcome(value: unknown): value is NewOutcome {
  return isJsonObject(value);
}
