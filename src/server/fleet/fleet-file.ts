import { dirname } from 'node:path';
import { IN_MEMORY, snapshot, transaction, translated } from '../../sqlite/database.ts';
import type { DatabaseError } from '../../sqlite/database-error.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { opened, type OpenFile } from './open-fleet.ts';
import { noteContacts } from './presence.ts';
import type { MachineReport } from '../../registry/machine-report.ts';
import { onSnapshot, uninterrupted, type Slices } from './slices.ts';
import { retire, type RetiredMachine, type Retirement } from './retirement.ts';
import { lackOfSpace } from '../free-disk.ts';
import { SERVER_LIMITS } from '../server-limits.ts';
import {
  gapBefore,
  takeReports,
  type RefusedReport,
  type ReportAnswer,
  type SentReport,
} from './take-report.ts';

/** Outcomes are kept for so long. */
const KEPT_MS = 90 * 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;
/** Each transaction waits for the disk, so reports that arrive together share one. */
const GATHER_MS = 5;
/** So many reports take about 20 ms, in which nothing else is answered. */
const MOST_AT_ONCE = 256;
/** Of the bodies of such reports: a transaction must not fill what stays free of the disk. */
const MOST_BYTES_AT_ONCE = 4 * 1024 * 1024;

/** The path of the file beside the catalogue at `path`. */
export function fleetPath(path: string): string {
  return path === IN_MEMORY ? path : `${path.replace(/\.db$/, '')}-fleet.db`;
}

/** Waits for the answer to a report. */
export interface WaitingForAnswer {
  readonly resolve: (answer: ReportAnswer) => void;
  readonly reject: (error: unknown) => void;
}

interface Waiting extends SentReport, WaitingForAnswer {
  /** The size of its body. */
  readonly bytes: number;
}

export function settle(waiting: WaitingForAnswer, answer: ReportAnswer | RefusedReport): void {
  if (answer.kind === 'refused') waiting.reject(answer.error);
  else waiting.resolve(answer);
}

/** Reports that all fronts of a cluster take together, in the order of a stream. */
export interface SharedReports {
  /** The id of the stream: the messages of another stream begin at 1 again. */
  readonly stream: string;
  /** The number of their message. */
  readonly sequence: number;
  /** When their front received them, in milliseconds since the epoch. */
  readonly at: number;
  /** Undefined for one that this program does not accept. */
  readonly reports: readonly (SentReport | undefined)[];
  /** Machines that an operator retired at a front at that time, after the reports. */
  readonly retirements?: readonly Retirement[];
  /** Machines that the front heard at about that time (D186). */
  readonly contacts?: readonly string[];
}

/** How far the file has followed the stream. */
export type Followed = Pick<SharedReports, 'stream' | 'sequence'>;

/** Sends a report to all fronts, and resolves with its answer once this front has taken it. */
export type SendReport = (sent: SentReport) => Promise<ReportAnswer>;

/** Retires a machine at all fronts, and resolves once this front has done so. */
export type RetireMachine = (retirement: Retirement) => Promise<RetiredMachine | undefined>;

export interface FleetFileOptions {
  /** Nothing is written in the mode `read`. */
  readonly mode?: 'create' | 'read' | undefined;
  /** Space on the disk that reports leave, in bytes. */
  readonly freeDisk?: number | undefined;
}

/** What the machines of a site reported: a file beside the catalogue, which is opened when it is first used. */
export class FleetFile {
  readonly #path: string;
  readonly #now: () => number;
  readonly #mode: 'create' | 'read';
  readonly #freeDisk: number;
  #opened: OpenFile | undefined;
  #reader: OpenFile | undefined;
  /** Ends with the last of the long queries. */
  #reading: Promise<unknown> = Promise.resolve();
  readonly #waiting: Waiting[] = [];
  /** Whether the last reports came together. */
  #isBusy = false;
  #prunedAt = -Infinity;
  /** Set for a front of a cluster. */
  sendToAll: SendReport | undefined;
  /** The same. */
  retireAtAll: RetireMachine | undefined;
  /** The same. */
  contactsAtAll: ((machines: readonly string[]) => void) | undefined;

  /** `now` returns the time in milliseconds since the epoch. */
  constructor(
    path: string,
    now: () => number,
    { mode = 'create', freeDisk = SERVER_LIMITS.freeDisk }: FleetFileOptions = {},
  ) {
    this.#path = path;
    this.#now = now;
    this.#mode = mode;
    this.#freeDisk = freeDisk;
  }

  /**
   * Resolves once the report, whose body has `bytes` bytes, is on the disk. Rejects with a DatabaseError if that is not possible, also
   * because the disk must keep space for yanks (T251).
   */
  async report(machine: string, report: MachineReport, bytes = 0): Promise<ReportAnswer> {
    if (this.sendToAll) {
      this.#expectSpace(bytes);
      const knownTo = this.read((sql) => gapBefore(sql, { machine, report }));
      if (knownTo !== undefined) return { kind: 'gap', knownTo };
      return await this.sendToAll({ machine, report });
    }
    const { promise, resolve, reject } = Promise.withResolvers<ReportAnswer>();
    const waiting = this.#waiting.push({ machine, report, bytes, resolve, reject });
    // A machine that reports alone does not wait for others.
    if (waiting === 1 && this.#isBusy) setTimeout(() => this.#flush(), GATHER_MS);
    else if (waiting === 1) setImmediate(() => this.#flush());
    return await promise;
  }

  /** The result of `query`. Throws a DatabaseError. */
  read<T>(query: (sql: Statements) => T): T {
    const { database, sql } = this.#open();
    return translated(this.#path, () => snapshot(database, () => query(sql)));
  }

  /**
   * The result of a query that takes long, on a snapshot of the file. Between its slices, reports are taken and requests answered. One
   * query runs after another, so that many of them do not add up. Rejects with a DatabaseError.
   */
  async readInSlices<T>(query: (sql: Statements) => Slices<T>): Promise<T> {
    // A database in memory has one connection, whose snapshot would be that of all others.
    if (this.#path === IN_MEMORY) return this.read((sql) => uninterrupted(query(sql)));
    const result = this.#reading.then(async () => await this.#inSlices(query));
    this.#reading = result.catch(() => undefined);
    return await result;
  }

  async #inSlices<T>(query: (sql: Statements) => Slices<T>): Promise<T> {
    const { database, sql } = this.#openReader();
    return await onSnapshot({ database, path: this.#path }, () => query(sql));
  }

  /** The result of `change` in a transaction. Throws a DatabaseError. */
  write<T>(change: (sql: Statements) => T): T {
    const { database, sql } = this.#open();
    return translated(this.#path, () => transaction(database, () => change(sql)));
  }

  /**
   * Retires a machine until it reports again (D83). The answer says how it is retired now, also if it was before; undefined: it never
   * reported. Rejects with a DatabaseError.
   */
  async retire(retirement: Retirement): Promise<RetiredMachine | undefined> {
    if (this.retireAtAll) return await this.retireAtAll(retirement);
    return this.write((sql) => retire(sql, retirement, this.#now()));
  }

  /** Notes that machines were heard just now (D186). Throws a DatabaseError. */
  noteContacts(machines: readonly string[]): void {
    if (this.contactsAtAll) this.contactsAtAll(machines);
    else this.write((sql) => noteContacts(sql, machines, this.#now()));
  }

  /** How far this file has followed the stream of reports. Throws a DatabaseError. */
  followed(): Followed {
    const row = this.read((sql) => sql.get('SELECT stream, sequence FROM followed'));
    return { stream: String(row?.['stream']), sequence: Number(row?.['sequence']) };
  }

  /** Takes the reports of a message, whichever front received them: all fronts come to the same result. Throws a DatabaseError. */
  takeShared({
    stream,
    sequence,
    at,
    reports,
    retirements = [],
    contacts = [],
  }: SharedReports): readonly (ReportAnswer | RefusedReport)[] {
    return this.write((sql) => {
      // The clock of the front that received them may be wrong.
      this.#prune(sql, Math.min(at, this.#now()));
      sql.run('UPDATE followed SET stream = ?, sequence = ?', stream, sequence);
      const answers = takeReports(sql, reports, { at, gaps: 'count' });
      for (const retirement of retirements) retire(sql, retirement, at);
      noteContacts(sql, contacts, at);
      return answers;
    });
  }

  /** Why nothing more must be written to the disk of the file; undefined if it has space. Throws a DatabaseError. */
  lackOfSpace(bytes = 0): DatabaseError | undefined {
    if (this.#path === IN_MEMORY) return undefined;
    const { path } = this.#open().sql;
    return translated(path, () =>
      lackOfSpace(dirname(path), { size: bytes, freeDisk: this.#freeDisk }),
    );
  }

  #expectSpace(bytes: number): void {
    const lack = this.lackOfSpace(bytes);
    if (lack) throw lack;
  }

  close(): void {
    for (const { database } of [this.#reader, this.#opened].filter((one) => one !== undefined)) {
      database.close();
    }
    this.#opened = undefined;
    this.#reader = undefined;
  }

  #open(): OpenFile {
    this.#opened ??= opened(this.#path, this.#mode);
    return this.#opened;
  }

  #openReader(): OpenFile {
    this.#open();
    this.#reader ??= opened(this.#path, 'read');
    return this.#reader;
  }

  /** Answers the reports that wait once they are on the disk. */
  #flush(): void {
    const reports = this.#waiting.splice(0, countAtOnce(this.#waiting));
    this.#isBusy = reports.length > 1;
    if (this.#waiting.length > 0) setImmediate(() => this.#flush());
    try {
      const answers = this.#take(reports);
      for (const [place, waiting] of reports.entries()) {
        const answer = answers[place];
        if (answer) settle(waiting, answer);
      }
    } catch (error) {
      for (const { reject } of reports) reject(error);
    }
  }

  #take(reports: readonly Waiting[]): (ReportAnswer | RefusedReport)[] {
    this.#expectSpace(reports.reduce((sum, { bytes }) => sum + bytes, 0));
    const { database, sql } = this.#open();
    const now = this.#now();
    return translated(this.#path, () =>
      transaction(database, () => {
        this.#prune(sql, now);
        return takeReports(sql, reports, { at: now, gaps: 'refuse' });
      }),
    );
  }

  #prune(sql: Statements, now: number): void {
    if (Math.abs(now - this.#prunedAt) <= PRUNE_EVERY_MS) return;
    sql.run('DELETE FROM outcomes WHERE received_at < ?', now - KEPT_MS);
    this.#prunedAt = now;
  }
}

/** How many of the reports that wait are taken at once. */
function countAtOnce(waiting: readonly Waiting[]): number {
  let left = MOST_BYTES_AT_ONCE;
  const end = waiting.slice(0, MOST_AT_ONCE).findIndex(({ bytes }) => (left -= bytes) < 0);
  return end === -1 ? MOST_AT_ONCE : Math.max(end, 1);
}
