import { DatabaseSync } from 'node:sqlite';
import { quote } from '../core/text/quote.ts';
import { DatabaseError } from './database-error.ts';
import { addChecksumFunction } from './row-checksum.ts';
import { upgradeSchema, type Layout } from './schema.ts';

/** More tables and indexes than any later schema has. */
const MOST_OBJECTS = 200;
/** Expressions that SQLite evaluates while it reads a row. */
const COMPUTED = /\b(?:generated|as)\s*\(|\bvirtual\b/i;
/** An operator's ANALYZE creates them. */
const STATISTICS = /^table sqlite_stat[14]$/;

/** The SQL of each table and index, by `<type> <name>`. */
type Definitions = ReadonlyMap<string, string>;

const KNOWN = new WeakMap<Layout, Map<number, Definitions>>();

/**
 * Throws a DatabaseError of the kind `damaged` if the file has anything that programs with `layout` do not create: a view or a
 * trigger of a crafted file could run for ever when it is read (T91). A later schema may have other tables, indexes and columns.
 */
export function checkSchema(
  database: DatabaseSync,
  {
    path,
    layout,
    version,
  }: { readonly path: string; readonly layout: Layout; readonly version: number },
): void {
  const isLater = version > layout.migrations.length;
  const known = definitionsAt(layout, Math.min(version, layout.migrations.length));
  const found = objectsIn(database);
  for (const [object, sql] of found) {
    const isExpected =
      isLater || STATISTICS.test(object) ? isPlain(object, sql) : sql === known.get(object);
    if (!isExpected) throw unexpected(path, object);
  }
  if (found.length <= MOST_OBJECTS) return;
  throw new DatabaseError('damaged', `${quote(path)}: it has more than ${MOST_OBJECTS} tables`);
}

function objectsIn(database: DatabaseSync): [object: string, sql: string][] {
  return database
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT ${MOST_OBJECTS + 1}`,
    )
    .all()
    .map(({ type, name, sql }) => [`${String(type)} ${String(name)}`, String(sql)]);
}

/** What the migrations up to `version` create. */
function definitionsAt(layout: Layout, version: number): Definitions {
  const versions = KNOWN.get(layout) ?? new Map<number, Definitions>();
  KNOWN.set(layout, versions);
  const known = versions.get(version) ?? created(layout, version);
  versions.set(version, known);
  return known;
}

function created(layout: Layout, version: number): Definitions {
  const database = new DatabaseSync(':memory:');
  try {
    addChecksumFunction(database);
    upgradeSchema(database, { ...layout, migrations: layout.migrations.slice(0, version) }, 0);
    return new Map(objectsIn(database));
  } finally {
    database.close();
  }
}

function isPlain(object: string, sql: string): boolean {
  return /^(?:table|index) /.test(object) && !COMPUTED.test(sql);
}

function unexpected(path: string, object: string): DatabaseError {
  const [type = '', ...name] = object.split(' ');
  const found = `its schema has the ${type} ${quote(name.join(' '))}`;
  return new DatabaseError('damaged', `${quote(path)}: ${found}, which modreg does not create`);
}
