import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { mutate, randomFrom } from '../support/mutate.ts';
import { emptyFolder } from './scratch.ts';
import { JUNK, type Junk } from './junk-cells.ts';
import type { StoreBytes } from './store-template.ts';

type Half = keyof StoreBytes;

/** One change of a SQLite file. Positions are taken modulo the size. */
export type StoreEdit =
  | { readonly kind: 'flip'; readonly half: Half; readonly at: number; readonly bit: number }
  | { readonly kind: 'put'; readonly half: Half; readonly at: number; readonly bytes: string }
  | {
      readonly kind: 'fill';
      readonly half: Half;
      readonly at: number;
      readonly length: number;
      readonly value: number;
    }
  | { readonly kind: 'cut'; readonly half: Half; readonly at: number }
  | { readonly kind: 'append'; readonly half: Half; readonly bytes: string }
  | { readonly kind: 'page'; readonly from: number; readonly to: number }
  | { readonly kind: 'swap'; readonly from: number; readonly to: number }
  | { readonly kind: 'header'; readonly at: number; readonly bytes: string }
  | { readonly kind: 'words'; readonly from: string; readonly to: string }
  | { readonly kind: 'cell'; readonly column: number; readonly row: number; readonly value: Junk }
  | { readonly kind: 'json'; readonly column: number; readonly row: number; readonly seed: number }
  | { readonly kind: 'sql'; readonly sql: string };

const PAGE = 4096;
const HEADER = 100;

/** Replacements of equal length, so that the file keeps its layout. */
const WORDS: readonly (readonly [string, string])[] = [
  ['STRICT', '      '],
  ['NOT NULL', '        '],
  ['INTEGER', 'TEXT   '],
  ['PRIMARY KEY', '           '],
  ['CHECK (id = 1)', '              '],
  ['WITHOUT ROWID', '             '],
  ['CREATE UNIQUE INDEX', 'CREATE        INDEX'],
  ['content', 'contend'],
  ['"version"', '"versiom"'],
  ['"target"', '"targer"'],
  ['"kind"', '"kinf"'],
  ['"name"', '"nam "'],
  ['"records"', '"recorfs"'],
  ['restart-and-upgrade', 'restart-and-upgradf'],
  ['waiting', 'wailing'],
  ['acme', 'a\0me'],
];

const SQL: readonly string[] = [
  'DELETE FROM identity',
  'DELETE FROM poller',
  'DELETE FROM saved_contents',
  'DROP TABLE actions',
  'DROP TABLE deployed',
  'DROP TABLE poller',
  'DROP INDEX open_actions',
  'ALTER TABLE actions DROP COLUMN outcome',
  'ALTER TABLE decisions RENAME COLUMN place TO p',
  'ALTER TABLE quarantine ADD COLUMN more TEXT',
  'ALTER TABLE starts RENAME TO stars',
  "INSERT INTO identity VALUES (2, 'x')",
  'INSERT INTO poller VALUES (2, 7, 7, 7)',
  'PRAGMA user_version = 1',
  'PRAGMA user_version = 0',
  'PRAGMA user_version = -1',
  'PRAGMA user_version = 99',
  'PRAGMA user_version = 99; UPDATE compatibility SET oldest_reader = 98',
  'PRAGMA user_version = 99; DROP TABLE compatibility',
  'PRAGMA application_id = 0',
  'PRAGMA application_id = 5',
  'PRAGMA auto_vacuum = 1; VACUUM',
  'PRAGMA page_size = 512; VACUUM',
  'VACUUM',
  "PRAGMA encoding = 'UTF-16'",
  'PRAGMA journal_mode = DELETE',
  'REINDEX',
  'PRAGMA wal_checkpoint',
  'UPDATE sqlite_sequence SET seq = 9223372036854775807',
  'CREATE TABLE theirs (id)',
  'CREATE VIEW v AS SELECT * FROM v',
  'ALTER TABLE poller RENAME COLUMN pid TO pids',
];

const place = fc.noBias(fc.nat());
const half = fc.constantFrom<Half[]>('main', 'main', 'main', 'log');
const someBytes = fc
  .uint8Array({ minLength: 1, maxLength: 8 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'));
const bytes = fc.oneof(
  fc.constantFrom('\0', '\xff', '\x7f\xff\xff\xff', '\0\0\0\0', '\x81'),
  someBytes,
);

export const storeEdits: fc.Arbitrary<StoreEdit> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('flip'), half, at: place, bit: fc.nat(7) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put'), half, at: place, bytes }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fill'),
      half,
      at: place,
      length: fc.nat(9000),
      value: fc.constantFrom(0, 0xff, 0x5a),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut'), half, at: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('append'), half, bytes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('page'), from: place, to: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('swap'), from: place, to: place }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('header'), at: fc.nat(HEADER - 1), bytes }),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...WORDS)
      .map(([from, to]) => ({ kind: 'words' as const, from, to })),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('cell'),
      column: place,
      row: fc.nat(5),
      value: fc.constantFrom(...JUNK),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('json'), column: place, row: fc.nat(5), seed: place }),
  },
  { weight: 3, arbitrary: fc.constantFrom(...SQL).map((sql) => ({ kind: 'sql' as const, sql })) },
);

/** `file` after `edit`. */
export function edited(file: StoreBytes, edit: StoreEdit): StoreBytes {
  switch (edit.kind) {
    case 'flip':
      return changed(file, edit, (copy, at) =>
        copy.writeUInt8(copy.readUInt8(at) ^ (1 << edit.bit), at),
      );
    case 'put':
      return changed(file, edit, (copy, at) => copy.write(edit.bytes, at, 'latin1'));
    case 'fill':
      return changed(file, edit, (copy, at) =>
        copy.subarray(at, at + edit.length).fill(edit.value),
      );
    case 'cut':
      return {
        ...file,
        [edit.half]: file[edit.half].subarray(0, edit.at % (file[edit.half].length + 1)),
      };
    case 'append':
      return {
        ...file,
        [edit.half]: Buffer.concat([file[edit.half], Buffer.from(edit.bytes, 'latin1')]),
      };
    case 'page':
    case 'swap':
      return { ...file, main: withPages(file.main, edit) };
    case 'header':
      return changed(file, { half: 'main', at: edit.at }, (copy, at) =>
        copy.write(edit.bytes, at, 'latin1'),
      );
    case 'words': {
      const main = file.main.toString('latin1').replaceAll(edit.from, edit.to);
      return { ...file, main: Buffer.from(main, 'latin1') };
    }
    case 'cell':
    case 'json':
    case 'sql':
      return throughSqlite(file, edit);
  }
}

function changed(
  file: StoreBytes,
  { half: which, at }: { readonly half: Half; readonly at: number },
  change: (copy: Buffer, at: number) => unknown,
): StoreBytes {
  const copy = Buffer.from(file[which]);
  if (copy.length > 0) change(copy, at % copy.length);
  return { ...file, [which]: copy };
}

function withPages(
  main: Buffer,
  { kind, from, to }: StoreEdit & { readonly kind: 'page' | 'swap' },
): Buffer {
  const pages = Math.floor(main.length / PAGE);
  if (pages === 0) return main;
  const [a, b] = [(from % pages) * PAGE, (to % pages) * PAGE];
  const copy = Buffer.from(main);
  main.copy(copy, b, a, a + PAGE);
  if (kind === 'swap') main.copy(copy, a, b, b + PAGE);
  return copy;
}

/** Changes the content of the file. Returns it unchanged if SQLite refuses. */
function throughSqlite(
  file: StoreBytes,
  edit: StoreEdit & { readonly kind: 'cell' | 'json' | 'sql' },
): StoreBytes {
  const path = `${emptyFolder('edited')}/machine.db`;
  writeFileSync(path, file.main);
  if (file.log.length > 0) writeFileSync(`${path}-wal`, file.log);
  try {
    const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    try {
      database.exec('PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON');
      run(database, edit);
    } finally {
      database.close();
    }
  } catch {
    // The file is already damaged, or a constraint forbids the change.
    return file;
  }
  const main = readFileSync(path);
  rmSync(`${path}-wal`, { force: true });
  return { main, log: Buffer.of() };
}

function run(
  database: DatabaseSync,
  edit: StoreEdit & { readonly kind: 'cell' | 'json' | 'sql' },
): void {
  if (edit.kind === 'sql') {
    database.exec(edit.sql);
    return;
  }
  const all = columnsOf(database);
  const columns = edit.kind === 'json' ? all.filter((path) => path.endsWith('.content')) : all;
  const [table = '', column = ''] = columns[edit.column % columns.length]?.split('.') ?? [];
  const nth = `(SELECT ${column} FROM ${table} LIMIT 1 OFFSET ${edit.row})`;
  const old = edit.kind === 'json' ? database.prepare(`SELECT ${nth} AS old`).get()?.['old'] : '';
  const value =
    edit.kind === 'json'
      ? mutate(Buffer.from(String(old)), randomFrom(edit.seed)).toString()
      : edit.value;
  database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} IS ${nth}`).run(value);
}

/** Every column, as `table.column`. */
function columnsOf(database: DatabaseSync): string[] {
  const rows = database.prepare(
    "SELECT m.name || '.' || c.name AS path FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'",
  );
  return rows.all().map(({ path }) => String(path));
}
