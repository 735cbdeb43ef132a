import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { ModuleId } from '../../src/core/index.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { openMachineFile } from '../../src/store/index.ts';
import { Catalogue, readRelease, type PublishedRelease } from '../../src/server/index.ts';
import { caught } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

const LIDAR_ID = 'acme:lidar' as ModuleId;
const PAGE = 4096;

/** The path of a catalogue with 1,000 releases, after `change` was executed on it. */
function crafted(change = ''): string {
  published ??= publishedBytes();
  const path = join(temporaryFolder({ 'registry.db': published }), 'registry.db');
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false, defensive: false });
  // No test is about a loss of power, and a change may have 70 MB.
  database.exec(`PRAGMA synchronous = OFF; BEGIN; ${change}; COMMIT`);
  database.close();
  return path;
}

let published: Uint8Array | undefined;

function publishedBytes(): Uint8Array {
  const path = join(temporaryFolder(), 'registry.db');
  const catalogue = new Catalogue(path, { mode: 'create' });
  const versions = Array.from({ length: 1000 }, (_, patch) => release(patch));
  catalogue.publishAll(LIDAR_ID, versions, 1);
  catalogue.close();
  return readFileSync(path);
}

function release(patch: number): PublishedRelease {
  const found = readRelease({ version: `1.0.${patch}` });
  if (!found.ok) throw new Error(found.error.join());
  return found.value;
}

async function read(path: string): Promise<string> {
  const registry = openRegistries().registryFor({ registry: path });
  try {
    return `${(await registry.read(LIDAR_ID)).records.length} releases`;
  } catch (error) {
    return String(error);
  }
}

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';

describe('[T91] a crafted file is refused before its tables are read', () => {
  it.each([
    [
      'a trigger',
      'CREATE TRIGGER slow BEFORE INSERT ON releases BEGIN DELETE FROM tokens; END',
      'its schema has the trigger "slow", which modreg does not create',
    ],
    [
      'a column that is computed',
      `ALTER TABLE releases ADD COLUMN big TEXT AS (hex(zeroblob(1)))`,
      'its schema has the table "releases", which modreg does not create',
    ],
    [
      'a virtual table',
      'CREATE VIRTUAL TABLE words USING fts5(word)',
      'its schema has the table "words", which modreg does not create',
    ],
    [
      'an index on an expression',
      'CREATE INDEX slow ON releases (hex(content))',
      'its schema has the index "slow", which modreg does not create',
    ],
    [
      'a view in a file of a later schema that this program may read',
      `PRAGMA user_version = 99; UPDATE compatibility SET oldest_reader = 1;
       CREATE VIEW more AS SELECT id FROM modules`,
      'its schema has the view "more", which modreg does not create',
    ],
    [
      'a table that is an endless view',
      `DROP TABLE releases; DROP TABLE modules;
       CREATE VIEW modules AS ${ENDLESS} SELECT i AS id, 'acme' AS namespace, i AS name, 1 AS generation FROM n`,
      'its schema has the view "modules", which modreg does not create',
    ],
  ])('%s', async (_, change, found) => {
    const path = crafted(change);
    expect(await read(path)).toBe(`RegistryError: ${JSON.stringify(path)}: ${found}`);
    for (const mode of ['read', 'write'] as const) {
      expect(caught(() => new Catalogue(path, { mode }))).toEqual([
        'damaged',
        `"${path}": ${found}`,
      ]);
    }
  });

  it('a machine.db, too', () => {
    const path = `${temporaryFolder()}/machine.db`;
    openMachineFile(path).close();
    const database = new DatabaseSync(path);
    database.exec(`CREATE VIEW more AS ${ENDLESS} SELECT i FROM n`);
    database.close();
    expect(caught(() => openMachineFile(path, { mode: 'read' }))).toEqual([
      'damaged',
      `"${path}": its schema has the view "more", which modreg does not create`,
    ]);
  });
});

it('[T91] a file of a later schema may have more tables, indexes and columns', async () => {
  const path = crafted(
    `PRAGMA user_version = 99; UPDATE compatibility SET oldest_reader = 1;
     CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT; CREATE INDEX by_time ON releases (published_at);
     ALTER TABLE releases ADD COLUMN site TEXT`,
  );
  expect(await read(path)).toBe('1000 releases');
});

it('[T91] a file of a later schema with more than 200 tables and indexes is refused', async () => {
  const tables = Array.from({ length: 200 }, (_, id) => `CREATE TABLE more${id} (id TEXT);`);
  const path = crafted(
    `PRAGMA user_version = 99; UPDATE compatibility SET oldest_reader = 1; ${tables.join(' ')}`,
  );
  expect(await read(path)).toBe(`RegistryError: "${path}": it has more than 200 tables`);
});

it('[T91] a file may have the statistics of ANALYZE', async () => {
  expect(await read(crafted('ANALYZE'))).toBe('1000 releases');
});

it.each<[string, string, string]>([
  [
    'a list of 70 MB',
    "UPDATE releases SET content = json_object('a', hex(zeroblob(35000000))) WHERE id = 1",
    'has 700',
  ],
  [
    'a list that would take gigabytes as JSON',
    "UPDATE releases SET content = '{\"a\":' || replace(hex(zeroblob(5000000)), '0', '[') || '}' WHERE id = 1",
    'the content of acme:lidar 1.0.0 is not that of a release',
  ],
  [
    'a list that is nested too deep',
    `UPDATE releases SET content = '{"a":' || replace(hex(zeroblob(300)), '0', '[') || replace(hex(zeroblob(300)), '0', ']') || ',"b":"' || hex(zeroblob(5000000)) || '"}' WHERE id = 1`,
    'it is nested more than 256 levels deep',
  ],
])('[T91] %s is refused before it is read', async (_, change, found) => {
  expect(await read(crafted(change))).toContain(found);
});

it('[T91] pages that do not form a tree are refused before they are read', async () => {
  const path = crafted();
  expect(await read(path)).toBe('1000 releases');
  const bytes = readFileSync(path);
  const root = pageOf(path, 'releases');
  // The first two children of the table become one page, so that its rows occur twice.
  const cells = root * PAGE + 12;
  const [first, second] = [bytes.readUInt16BE(cells), bytes.readUInt16BE(cells + 2)];
  bytes.copy(bytes, root * PAGE + second, root * PAGE + first, root * PAGE + first + 4);
  writeFileSync(path, bytes);
  // While another process has the file open, its write-ahead log stays the same.
  const other = new DatabaseSync(path);
  other.prepare('SELECT sequence FROM catalogue').get();
  const refused = /^RegistryError: .*cell 0: Rowid \d+ out of order$/;
  expect(await read(path)).toMatch(refused);
  // A file that was refused is checked again.
  expect(await read(path)).toMatch(refused);
  other.close();
});

it('[T91] pages in the write-ahead log are checked, too, although the file stays the same', async () => {
  const path = crafted();
  // Keeps the log from being moved into the file.
  const open = new Catalogue(path, { mode: 'read' });
  expect(await read(path)).toBe('1000 releases');
  const before = statSync(path).mtimeMs;
  const crafting = new DatabaseSync(path, { defensive: false });
  const tokens = pageOf(path, 'tokens') + 1;
  crafting.exec(`PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET rootpage = ${tokens} WHERE name = 'releases'`);
  crafting.close();
  expect(await read(path)).toMatch(/^RegistryError: .*: 2nd reference to page \d+$/);
  expect(statSync(path).mtimeMs).toBe(before);
  open.close();
});

/** The number of a table's first page, from 0. */
function pageOf(path: string, table: string): number {
  const database = new DatabaseSync(path);
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
  database.close();
  return Number(row?.['rootpage']) - 1;
}
