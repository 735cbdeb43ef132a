import type { Row, Statements } from '../../sqlite/statements.ts';

/** A row of a catalogue as JSON: its table, and a value for each of its columns. A hash of a token is in hexadecimal. */
export type ImportedRow = readonly [table: string, ...values: readonly (string | number | null)[]];

/** The columns that move to another catalogue, and how a row of them is written there. */
const TABLES: Readonly<
  Record<string, { readonly columns: readonly string[]; readonly write: string }>
> = {
  modules: {
    columns: ['id', 'namespace', 'name', 'generation', 'sequence'],
    write: `INSERT INTO modules (id, namespace, name, generation, sequence) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET generation = excluded.generation, sequence = excluded.sequence`,
  },
  releases: {
    columns: ['id', 'module', 'version', 'published_at', 'content', 'yanked'],
    write:
      'INSERT INTO releases (id, module, version, published_at, content, yanked) VALUES (?, ?, ?, ?, ?, ?)',
  },
  rollout_events: {
    columns: ['sequence', 'module', 'release', 'after', 'at', 'kind', 'content'],
    write:
      'INSERT INTO rollout_events (sequence, module, release, after, at, kind, content) VALUES (?, ?, ?, ?, ?, ?, ?)',
  },
  // A front may have created the same name itself, and keeps its own.
  tokens: {
    columns: ['hex(token_hash)', 'name', 'scopes', 'created_at', 'expires_at', 'revoked_at'],
    write: `INSERT OR IGNORE INTO tokens (token_hash, name, scopes, created_at, expires_at, revoked_at)
      VALUES (unhex(?), ?, ?, ?, ?, ?)`,
  },
  catalogue: {
    columns: ['sequence', 'first_generation'],
    write: 'UPDATE catalogue SET sequence = ?, first_generation = ?',
  },
};

const AT_ONCE = 1000;

/**
 * All that moves to a cluster. Modules come first with generation 0, which machines that know a module refuse, and again at the end: nobody takes
 * a list of which only a part has arrived.
 */
export function* importedRows(sql: Statements): Generator<ImportedRow, undefined> {
  for (const [table, id, namespace, name] of rowsOf(sql, 'modules')) {
    yield [table, id ?? 0, namespace ?? '', name ?? '', 0, 0];
  }
  for (const table of ['releases', 'rollout_events', 'tokens', 'modules', 'catalogue']) {
    yield* rowsOf(sql, table);
  }
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
  const columns = TABLES[table]?.columns ?? [];
  const page = `SELECT rowid AS place, ${columns.map((column, place) => `${column} AS c${place}`).join(', ')}
    FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${AT_ONCE}`;
  let last = 0;
  for (;;) {
    const rows = sql.all(page, last);
    for (const row of rows) {
      yield [table, ...columns.map((_column, place) => valueIn(row, place))];
    }
    const next = rows.at(-1)?.['place'];
    if (next === undefined) return;
    last = Number(next);
  }
}

function valueIn(row: Row, place: number): string | number | null {
  const value = row[`c${place}`];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
