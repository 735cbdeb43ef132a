import type { DatabaseSync } from 'node:sqlite';
import { expectMembers, OBJECT, TEXT } from '../core/text/argument.ts';
import { quote } from '../core/text/quote.ts';
import type { KnownDigest } from '../registry/known-digests.ts';
import { jsonOf } from '../registry/packed-records.ts';
import { SavedListsError, type SavedList, type SavedLists } from '../registry/saved-lists.ts';
import { DatabaseError, type DatabaseErrorKind } from '../sqlite/database-error.ts';
import { transaction, translated } from '../sqlite/database.ts';
import type { Row, Statements } from '../sqlite/statements.ts';
import { numberOf, textOf } from './columns.ts';
import {
  readFirstSeen,
  writeCertainTimes,
  writeFirstSeen,
  type ListKey,
  type ReadTimes,
} from './first-seen-table.ts';
import { isReleaseRecord } from './release-shape.ts';
import type { MachineFile } from './machine-file.ts';
import { isIntact } from './sealed-tables.ts';
import { isNumber, isText, listOf, objectOf, optional, type Shape } from './shape.ts';

/** The kind of a SavedListsError for each kind of DatabaseError. */
export const STATE_ERRORS: Readonly<Record<DatabaseErrorKind, SavedListsError['kind']>> = {
  missing: 'state-unreadable',
  damaged: 'state-unreadable',
  unreadable: 'state-unreadable',
  'later-schema': 'state-unreadable',
  locked: 'locked',
  unwritable: 'state-write',
};

/** Limits the disk space, even if more modules are requested than any machine has. */
const MOST_LISTS = 20_000;
const MOST_BYTES = 512 * 1024 * 1024;
/** More than a policy names: one for each of its registries (D138). */
const MOST_DOCUMENTS = 16;

const MACHINE_FILE = { path: TEXT, sql: OBJECT };

/**
 * The release lists saved in a machine's file. The newest 20,000 are kept, up to 512 MiB in total.
 *
 * @example
 * ```ts
 * import { openForPoller, savedListsIn } from 'modreg/store';
 * import { openRegistries } from 'modreg/registry';
 *
 * const file = openForPoller('machine.db');
 * export const registries = openRegistries({ saved: savedListsIn(file) });
 * ```
 */
export function savedListsIn(file: MachineFile): SavedLists {
  expectMembers('savedListsIn()', 'file', file, MACHINE_FILE);
  const { path, database, sql } = file;
  const within = <T>(work: () => T): T => rethrowing(path, work);
  const writing = <T>(work: () => T): T => {
    WRITES.set(database, writesOf(database) + 1);
    return within(() => transaction(database, work));
  };
  return {
    version: () =>
      within(() => Number(sql.get('PRAGMA data_version')?.['data_version']) + writesOf(database)),
    read: (address, moduleId) =>
      within(() => {
        const row = sql.get(SELECT, address, moduleId);
        if (!row) return undefined;
        if (row['is_intact'] !== 1) throw damagedList(path);
        return listIn(row, readFirstSeen(sql, [address, moduleId]), path);
      }),
    firstSeen: (address, moduleId) =>
      within(() => readFirstSeen(sql, [address, moduleId]).firstSeen),
    stamp: (address, moduleId) =>
      within(() => textOf(sql.get(SELECT_STAMP, address, moduleId)?.['stamp'])),
    trust: (pin) => within(() => textOf(sql.get(SELECT_TRUST, pin)?.['document'])),
    saveTrust: (pin, text) =>
      writing(() => {
        sql.run(INSERT_TRUST, pin, text);
        sql.run(PRUNE_TRUST, MOST_DOCUMENTS);
      }),
    save: (address, moduleId, list) => writing(() => write(sql, [address, moduleId], list)),
    replace: (address, moduleId, list) =>
      writing(() => {
        sql.run(FORGET, address, moduleId);
        write(sql, [address, moduleId], list);
      }),
    confirm: (address, lists) =>
      within(() => transaction(database, () => confirm(sql, address, lists))),
  };
}

/** A saved list, without its content. */
export interface SavedListTime {
  readonly address: string;
  /** As in the file. */
  readonly moduleId: string;
  /** When its registry confirmed it last, in milliseconds since the epoch. */
  readonly confirmedAt: number;
}

/** Every saved list, the oldest first. Throws a DatabaseError if the file cannot be used. */
export function savedListTimes(file: MachineFile): readonly SavedListTime[] {
  const rows = file.sql.all(
    'SELECT address, module_id, confirmed_at FROM saved_lists ORDER BY confirmed_at',
  );
  return rows.map(({ address, module_id: moduleId, confirmed_at: confirmedAt }) => ({
    address: String(address),
    moduleId: String(moduleId),
    confirmedAt: Number(confirmedAt),
  }));
}

function write(sql: Statements, key: ListKey, list: SavedList): void {
  const { records, dropped, lost } = list;
  const rest = JSON.stringify({ dropped, lost, fields: FIELDS_READ });
  const content = `{"records":${jsonOf(records)},${rest.slice(1)}`;
  const isNew = sql.get(SELECT_STAMP, ...key) === undefined;
  const row = sql.get(
    UPSERT,
    ...key,
    list.confirmedAt,
    list.sequence ?? null,
    historyColumn(list),
    list.generation ?? null,
    list.digest,
    list.size,
    content.length,
    list.etag ?? null,
  );
  writeFirstSeen(sql, key, list.firstSeen);
  const [address, moduleId] = key;
  writeCertainTimes(sql, address, certainTimes([[moduleId, list]]));
  // No row means that a later list is already stored.
  if (!row) return;
  const id = Number(row['id']);
  sql.run(WRITE_CONTENT, id, content);
  if (isNew) sql.run(PRUNE, MOST_LISTS, MOST_BYTES, id);
}

/** How often each connection wrote lists. Its `data_version` changes only if another connection writes. */
const WRITES = new WeakMap<DatabaseSync, number>();

function writesOf(database: DatabaseSync): number {
  return WRITES.get(database) ?? 0;
}

/** One statement for all lists that were confirmed together, such as the lists of one round. */
function confirm(sql: Statements, address: string, lists: ReadonlyMap<string, SavedList>): void {
  const groups = Map.groupBy(
    lists,
    ([, list]) => `${list.confirmedAt} ${list.sequence} ${historyColumn(list)}`,
  );
  for (const group of groups.values()) {
    const [[, list]] = group as [[string, SavedList]];
    const { confirmedAt, sequence = null } = list;
    const digests = group.map(([moduleId, { digest }]) => [moduleId, digest]);
    const position = [sequence, historyColumn(list)] as const;
    sql.run(CONFIRM, confirmedAt, ...position, JSON.stringify(digests), address);
  }
  writeCertainTimes(sql, address, certainTimes(lists));
}

function certainTimes(lists: Iterable<readonly [string, SavedList]>): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const [moduleId, { certainAt }] of lists) {
    if (certainAt !== undefined) times.set(moduleId, certainAt);
  }
  return times;
}

const SELECT = `
  SELECT *, ${isIntact('saved_lists')} AND ${isIntact('saved_contents')} AS is_intact
  FROM saved_lists JOIN saved_contents ON list = id WHERE address = ? AND module_id = ?`;
const SELECT_TRUST = 'SELECT document FROM trust_documents WHERE pin = ?';
const INSERT_TRUST = 'INSERT OR REPLACE INTO trust_documents (pin, document) VALUES (?, ?)';
const PRUNE_TRUST = `
  DELETE FROM trust_documents WHERE id NOT IN (SELECT id FROM trust_documents ORDER BY id DESC LIMIT ?)`;
const SELECT_STAMP = `
  SELECT id || ' ' || digest AS stamp FROM saved_lists WHERE address = ? AND module_id = ?`;
const UPSERT = `
  INSERT INTO saved_lists
    (address, module_id, confirmed_at, sequence, history, generation, digest, size, kept, etag)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    confirmed_at = excluded.confirmed_at, sequence = excluded.sequence,
    history = excluded.history, generation = excluded.generation,
    digest = excluded.digest, size = excluded.size, kept = excluded.kept, etag = excluded.etag
  WHERE generation IS NULL OR excluded.generation >= generation
  RETURNING id`;
const WRITE_CONTENT =
  'INSERT OR REPLACE INTO saved_contents (list, content, checksum) VALUES (?1, ?2, row_checksum(CAST(?1 AS INTEGER), ?2))';
const PRUNE = `
  DELETE FROM saved_lists WHERE id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER newest AS place, sum(kept) OVER newest AS bytes
      FROM saved_lists WINDOW newest AS (ORDER BY confirmed_at DESC, id DESC)
    ) WHERE place > ? OR bytes > ?
  ) AND id <> ?`;
const CONFIRM = `
  UPDATE saved_lists SET confirmed_at = ?, sequence = ?, history = ?
  WHERE (module_id, digest) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?)) AND address = ?`;
const FORGET = 'DELETE FROM saved_lists WHERE address = ? AND module_id = ?';

/** Runs `work`, and throws a DatabaseError again as a SavedListsError. */
function rethrowing<T>(path: string, work: () => T): T {
  try {
    return translated(path, work);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new SavedListsError(STATE_ERRORS[error.kind], error.message, error);
  }
}

/** The history after its sequence number, or `null`: it is void if an earlier program has changed only the number. It names the keys that signed the list (D196). */
function historyColumn({ sequence, history }: SavedList): string | null {
  return history === undefined ? null : `${sequence ?? null} ${history}`;
}

function historyIn({ sequence, history }: Row): string | undefined {
  const prefix = `${String(sequence)} `;
  const text = textOf(history);
  return text?.startsWith(prefix) === true ? text.slice(prefix.length) : undefined;
}

/** Reads a list that `save` wrote. A list without first-seen times counts as a first list. */
function listIn(row: Row, { firstSeen, certainAt }: ReadTimes, path: string): SavedList {
  const confirmedAt = Number(row['confirmed_at']);
  const { fields, ...parts } = partsOf(String(row['content']), path);
  const list = {
    ...parts,
    digest: String(row['digest']),
    size: Number(row['size']),
    generation: numberOf(row['generation']),
    firstSeen: firstSeen ?? { since: confirmedAt, added: new Map() },
    confirmedAt,
    certainAt,
  };
  // What would confirm it is not known, so that the next round requests the whole list.
  if (fields !== FIELDS_READ) {
    return {
      ...list,
      isPartlyRead: true,
      etag: undefined,
      sequence: undefined,
      history: undefined,
    };
  }
  const [etag, sequence] = [textOf(row['etag']), numberOf(row['sequence'])];
  return { ...list, etag, sequence, history: historyIn(row) };
}

/** Increases with each field of a release that is read from then on, such as `floor` and `signatures` (T391). */
const FIELDS_READ = 2;

interface Parts extends Pick<SavedList, 'records' | 'dropped' | 'lost'> {
  /** Absent in what a modreg before floors wrote. */
  readonly fields?: number | undefined;
}

const shape: Shape = objectOf<keyof Parts>({
  records: listOf(isReleaseRecord),
  dropped: listOf(isText),
  fields: optional(isNumber),
  lost: listOf(objectOf<keyof KnownDigest>({ version: isText, platform: isText, digest: isText })),
});

function areParts(value: unknown): value is Parts {
  return shape(value);
}

function partsOf(json: string, path: string): Parts {
  const parts = parsed(json);
  if (areParts(parts)) {
    const { records, dropped, lost, fields } = parts;
    return { records, dropped, lost, fields };
  }
  throw damagedList(path, parts);
}

function damagedList(path: string, cause?: unknown): SavedListsError {
  const message = `${quote(path)}: a saved list is damaged`;
  return new SavedListsError('state-unreadable', message, cause);
}

/** The parsed value; the error if `json` is not JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    return error;
  }
}
