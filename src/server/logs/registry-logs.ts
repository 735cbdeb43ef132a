import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { SiteLines } from '../../registry/site-logs.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { IN_MEMORY, openDatabase, transaction, translated } from '../../sqlite/database.ts';
import { statementsOf, type Statements } from '../../sqlite/statements.ts';
import { onSnapshot, uninterrupted } from '../fleet/slices.ts';
import { lackOfSpace } from '../free-disk.ts';
import type { RegistryOptions } from '../registry-options.ts';
import { SERVER_LIMITS } from '../server-limits.ts';
import { SITE_LOG_LAYOUT } from './log-schema.ts';
import { searchRecords, type LogSearch } from './search-records.ts';
import { storeRecords, type ReceivedBatch } from './stored-records.ts';

/** Only this process writes the file, and the server answers no request while it waits. */
const BUSY_TIMEOUT_MS = 100;
/** So many records are stored in one transaction, which takes about 20 ms, in which nothing else is answered. */
const MOST_AT_ONCE = 1024;

/** The path of the file beside the catalogue at `path`. */
export function logsPath(path: string): string {
  return path === IN_MEMORY ? path : `${path.replace(/\.db$/, '')}-logs.db`;
}

const NO_LINES: SiteLines = { lines: [], dropped: null, next: null };

interface OpenLogs {
  readonly database: DatabaseSync;
  readonly sql: Statements;
}

interface Waiting extends ReceivedBatch {
  /** The size of its body. */
  readonly bytes: number;
  readonly resolve: (stored: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * What machines log: a file beside the catalogue, which is opened when it is first used. Nothing else of the registry depends on it: while it
 * cannot be used, logs are refused, and `log` hears of it once (T710).
 */
export class RegistryLogs {
  readonly #path: string;
  readonly #options: Pick<RegistryOptions, 'clock' | 'log' | 'limits'>;
  readonly #waiting: Waiting[] = [];
  #opened: OpenLogs | undefined;
  #reader: OpenLogs | undefined;
  /** Ends with the last of the searches. */
  #searching: Promise<unknown> = Promise.resolve();
  #isRefusing = false;

  constructor(path: string, options: Pick<RegistryOptions, 'clock' | 'log' | 'limits'>) {
    this.#path = path;
    this.#options = options;
  }

  /** Resolves once the records, whose body has `bytes` bytes, are on the disk (T711); with false if the file cannot be used. */
  async take(batch: ReceivedBatch, bytes: number): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const waiting = this.#waiting.push({ ...batch, bytes, resolve, reject });
    // Each transaction waits for the disk, so what arrives in a turn of the event loop shares one.
    if (waiting === 1) setImmediate(() => this.#flush());
    return await promise;
  }

  /**
   * The lines that match, the newest first, on a snapshot of the file; undefined if it cannot be used. Between slices, other requests are
   * answered. One search runs after another.
   */
  async search(search: LogSearch): Promise<SiteLines | undefined> {
    const found = this.#searching.then(async () => await this.#found(search));
    this.#searching = found.catch(() => undefined);
    return await found;
  }

  close(): void {
    for (const one of [this.#reader, this.#opened]) one?.database.close();
    this.#reader = undefined;
    this.#opened = undefined;
  }

  #flush(): void {
    const batches = this.#waiting.splice(0, countAtOnce(this.#waiting));
    if (this.#waiting.length > 0) setImmediate(() => this.#flush());
    try {
      this.#store(batches);
      if (this.#isRefusing)
        this.#options.log?.({ kind: 'logs', change: 'go-on', because: undefined });
      this.#isRefusing = false;
      for (const { resolve } of batches) resolve(true);
    } catch (error) {
      for (const { resolve, reject } of batches) {
        if (error instanceof DatabaseError) resolve(false);
        else reject(error);
      }
      if (!(error instanceof DatabaseError)) return;
      this.#letGo();
      this.#refuse(error);
    }
  }

  #store(batches: readonly Waiting[]): void {
    const { limits = SERVER_LIMITS, clock } = this.#options;
    this.#opened ??= opened(this.#path, 'create');
    const { database, sql } = this.#opened;
    const size = batches.reduce((sum, { bytes }) => sum + bytes, 0);
    const room = { ofMachine: limits.logsOfMachine, inTotal: limits.logs };
    translated(this.#path, () => {
      const lack =
        this.#path === IN_MEMORY
          ? undefined
          : lackOfSpace(dirname(this.#path), { size, freeDisk: limits.freeDisk });
      if (lack) throw lack;
      const now = clock.now();
      transaction(database, () => {
        for (const batch of batches) storeRecords(sql, batch, { now, room });
      });
    });
  }

  /** Another file may take the place of one with a fault. A search that is under way reads the old one to its end. */
  #letGo(): void {
    const [file, reader] = [this.#opened, this.#reader];
    this.#opened = undefined;
    this.#reader = undefined;
    file?.database.close();
    this.#searching = this.#searching.then(() => reader?.database.close());
  }

  /** Says once why. The file is opened again for the next request. */
  #refuse(error: DatabaseError): void {
    const because = error.message;
    if (!this.#isRefusing) this.#options.log?.({ kind: 'logs', change: 'wait', because });
    this.#isRefusing = true;
  }

  async #found(search: LogSearch): Promise<SiteLines | undefined> {
    try {
      if (this.#path === IN_MEMORY) {
        this.#opened ??= opened(this.#path, 'create');
        return uninterrupted(searchRecords(this.#opened.sql, search));
      }
      return await this.#inSlices(search);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      if (error.kind === 'missing') return NO_LINES;
      this.#reader?.database.close();
      this.#reader = undefined;
      this.#refuse(error);
      return undefined;
    }
  }

  async #inSlices(search: LogSearch): Promise<SiteLines> {
    this.#reader ??= opened(this.#path, 'read');
    const { database, sql } = this.#reader;
    return await onSnapshot({ database, path: this.#path }, () => searchRecords(sql, search));
  }
}

/**
 * The same of the file beside the catalogue at `path`, for a process that only reads it: what the server writes meanwhile changes nothing.
 * Without a file there is no line. Rejects with a DatabaseError.
 */
export async function storedLines(path: string, search: LogSearch): Promise<SiteLines> {
  const file = logsPath(path);
  if (!existsSync(file)) return NO_LINES;
  const { database, sql } = opened(file, 'read');
  try {
    return await onSnapshot({ database, path: file }, () => searchRecords(sql, search));
  } finally {
    database.close();
  }
}

function opened(path: string, mode: 'create' | 'read'): OpenLogs {
  const database = openDatabase(path, SITE_LOG_LAYOUT, { mode, busyTimeoutMs: BUSY_TIMEOUT_MS });
  // The ids of a million records are larger than SQLite's cache of 2 MB.
  database.exec('PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4096');
  return { database, sql: statementsOf(database, path) };
}

/** How many of the batches that wait are stored at once. */
function countAtOnce(waiting: readonly Waiting[]): number {
  let left = MOST_AT_ONCE;
  const end = waiting.findIndex(({ records }) => (left -= records.length) < 0);
  return end === -1 ? waiting.length : Math.max(end, 1);
}
