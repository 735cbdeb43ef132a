import type { DatabaseSync } from 'node:sqlite';
import {
  IN_MEMORY,
  openDatabase,
  snapshot,
  transaction,
  translated,
} from '../../sqlite/database.ts';
import { statementsOf, type Statements } from '../../sqlite/statements.ts';
import { FLEET_LAYOUT } from './fleet-schema.ts';
import type { MachineReport } from '../../registry/machine-report.ts';
import { takeReport, type ReportAnswer } from './take-report.ts';

/** Outcomes are kept for so long. */
const KEPT_MS = 90 * 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;
const BUSY_TIMEOUT_MS = 5000;

/** The path of the file beside the catalogue at `path`. */
export function fleetPath(path: string): string {
  return path === IN_MEMORY ? path : `${path.replace(/\.db$/, '')}-fleet.db`;
}

interface OpenFile {
  readonly database: DatabaseSync;
  readonly sql: Statements;
}

interface Waiting {
  readonly machine: string;
  readonly report: MachineReport;
  readonly resolve: (answer: ReportAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** What the machines of a site reported: a file beside the catalogue, which is opened when it is first used. */
export class FleetFile {
  readonly #path: string;
  readonly #now: () => number;
  #opened: OpenFile | undefined;
  #waiting: Waiting[] = [];
  #prunedAt = -Infinity;

  /** `now` returns the time in milliseconds since the epoch. */
  constructor(path: string, now: () => number) {
    this.#path = path;
    this.#now = now;
  }

  /** Resolves once the report is on the disk. Rejects with a DatabaseError if that is not possible. */
  async report(machine: string, report: MachineReport): Promise<ReportAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ReportAnswer>();
    const waiting = this.#waiting.push({ machine, report, resolve, reject });
    if (waiting === 1) setImmediate(() => this.#flush());
    return await promise;
  }

  /** The result of `query`. Throws a DatabaseError. */
  read<T>(query: (sql: Statements) => T): T {
    const { database, sql } = this.#open();
    return translated(this.#path, () => snapshot(database, () => query(sql)));
  }

  /** The result of `change` in a transaction. Throws a DatabaseError. */
  write<T>(change: (sql: Statements) => T): T {
    const { database, sql } = this.#open();
    return translated(this.#path, () => transaction(database, () => change(sql)));
  }

  close(): void {
    this.#opened?.database.close();
    this.#opened = undefined;
  }

  #open(): OpenFile {
    if (this.#opened) return this.#opened;
    const options = { mode: 'create', busyTimeoutMs: BUSY_TIMEOUT_MS } as const;
    const database = openDatabase(this.#path, FLEET_LAYOUT, options);
    // The indexes of 100,000 machines are larger than SQLite's cache of 2 MB, and each checkpoint syncs the file.
    database.exec('PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 8192');
    return (this.#opened = { database, sql: statementsOf(database, this.#path) });
  }

  /** All reports of a turn of the event loop share one transaction, because each waits for the disk. */
  #flush(): void {
    const reports = this.#waiting;
    this.#waiting = [];
    try {
      const answers = this.#take(reports);
      for (const [place, answer] of answers.entries()) reports[place]?.resolve(answer);
    } catch (error) {
      for (const { reject } of reports) reject(error);
    }
  }

  #take(reports: readonly Waiting[]): ReportAnswer[] {
    const { database, sql } = this.#open();
    const now = this.#now();
    return translated(this.#path, () =>
      transaction(database, () => {
        if (Math.abs(now - this.#prunedAt) > PRUNE_EVERY_MS) {
          sql.run('DELETE FROM outcomes WHERE received_at < ?', now - KEPT_MS);
          this.#prunedAt = now;
        }
        return reports.map(({ machine, report }) => takeReport(sql, machine, report, now));
      }),
    );
  }
}
