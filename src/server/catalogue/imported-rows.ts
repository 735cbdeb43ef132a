import { EARLIEST_TIME, LATEST_TIME } from '../../core/text/rfc3339.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { TABLES_OF_MACHINES, type ImportedTable } from './imported-machines.ts';

/** A row of a catalogue as JSON: its table, and a value for each of its columns. A hash of a token is in hexadecimal. */
export type ImportedRow = readonly [table: string, ...values: readonly (string | number | null)[]];

/** The columns that move to another catalogue, and how a row of them is written there. */
const TABLES: Readonly<Record<string, ImportedTable>> = {
  ...TABLES_OF_MACHINES,
  modules: {
    columns: ['id', 'namespace', 'name', 'generation', 'sequence'],
    write: `INSERT INTO modules (id, namespace, name, generation, sequence) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET generation = excluded.generation, sequence = excluded.sequence`,
  },
  releases: {
    columns: ['id', 'module', 'version', 'published_at', 'content', 'yanked'],
    // An earlier modreg may have imported times that no list can have (T258).
    write: `INSERT INTO releases (id, module, version, published_at, content, yanked)
      VALUES (?1, ?2, ?3, max(${EARLIEST_TIME}, min(?4, ${LATEST_TIME})), ?5, ?6)`,
  },
  // D379
  release_notes: {
    columns: ['release', 'notes'],
    write: 'INSERT INTO release_notes (release, notes) VALUES (?, ?)',
  },
  rollout_events: {
    columns: ['sequence', 'module', 'release', 'after', 'at', 'kind', 'content'],
    write:
      'INSERT INTO rollout_events (sequence, module, release, after, at, kind, content) VALUES (?, ?, ?, ?, ?, ?, ?)',
  },
  // A token with the name of one that this catalogue has gets the first digits of its hash, too. A revoked one stays revoked.
  tokens: {
    columns: ['hex(token_hash)', 'name', 'scopes', 'created_at', 'expires_at', 'revoked_at'],
    write: `INSERT INTO tokens (token_hash, name, scopes, created_at, expires_at, revoked_at, is_shared)
      SELECT unhex(?1),
        iif(EXISTS (SELECT 1 FROM tokens WHERE name = ?2 AND revoked_at IS NULL), ?2 || '-' || lower(substr(?1, 1, 8)), ?2),
        ?3, ?4, ?5, ?6, 1
      WHERE true ON CONFLICT (token_hash) DO UPDATE SET
        is_shared = revoked_at IS NULL OR excluded.revoked_at IS NOT NULL,
        revoked_at = coalesce(revoked_at, excluded.revoked_at)`,
  },
  // D167
  trust_documents: {
    columns: ['version', 'document'],
    write: 'INSERT INTO trust_documents (version, document) VALUES (?, ?)',
  },
  catalogue: {
    columns: ['sequence', 'first_generation'],
    write: 'UPDATE catalogue SET sequence = ?, first_generation = ?',
  },
};

/** Tables of which an earlier modreg knows nothing in a cluster. */
export const MACHINE_TABLES: ReadonlySet<string> = new Set(Object.keys(TABLES_OF_MACHINES));

const AT_ONCE = 1000;
const MOST_TOKENS = 200;

/**
 * All that moves to a cluster. Modules come first with generation 0, which machines that know a module refuse, and again at the end: no machine takes
 * a list of which only a part has arrived.
 */
export function* importedRows(sql: Statements): Generator<ImportedRow, undefined> {
  for (const [table, id, namespace, name] of rowsOf(sql, 'modules')) {
    yield [table, id ?? 0, namespace ?? '', name ?? '', 0, 0];
  }
  for (const table of [
    'trust_documents',
    'releases',
    'release_notes',
    'rollout_events',
    'tokens',
    ...MACHINE_TABLES,
    'modules',
    'catalogue',
  ]) {
    yield* rowsOf(sql, table);
  }
}

/** The first tokens that the stream does not have as they are here: as many as an event can have. */
export function tokensToShare(sql: Statements): ImportedRow[] {
  const { columns } = TABLES['tokens'] ?? { columns: [] };
  return sql
    .all(
      `SELECT ${selected(columns)} FROM tokens WHERE is_shared = 0 ORDER BY id LIMIT ${MOST_TOKENS}`,
    )
    .map((row) => rowIn('tokens', columns, row));
}

/** Writes rows that `importedRows` returned. The caller has a transaction. Throws if a row is not one of them. */
export function writeRows(sql: Statements, rows: readonly ImportedRow[]): void {
  for (const [name, ...values] of rows) {
    const table = Object.hasOwn(TABLES, name) ? TABLES[name] : undefined;
    if (table?.columns.length !== values.length) throw new Error('it has rows of another kind');
    sql.run(table.write, ...values);
  }
}

function* rowsOf(sql: Statements, table: string): Generator<ImportedRow, undefined> {
  const { columns, key = 'rowid', where = 'true' } = TABLES[table] ?? { columns: [] };
  const page = `SELECT ${key} AS place, ${selected(columns)}
    FROM ${table} WHERE ${key} > ? AND ${where} ORDER BY ${key} LIMIT ${AT_ONCE}`;
  let last: Row[string] = key === 'rowid' ? 0 : '';
  for (;;) {
    const rows = sql.all(page, last);
    for (const row of rows) yield rowIn(table, columns, row);
    const next = rows.at(-1)?.['place'];
    if (next === undefined) return;
    last = next;
  }
}

function selected(columns: readonly string[]): string {
  return columns.map((column, place) => `${column} AS c${place}`).join(', ');
}

function rowIn(table: string, columns: readonly string[], row: Row): ImportedRow {
  return [table, ...columns.map((_column, place) => valueIn(row, place))];
}

function valueIn(row: Row, place: number): string | number | null {
  const value = row[`c${place}`];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
