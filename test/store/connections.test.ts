import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SCHEMA } from '../../src/server/catalogue/catalogue-schema.ts';
import { openDatabase, snapshot, transaction, type Opening } from '../../src/sqlite/database.ts';
import { statementsOf, type Statements } from '../../src/sqlite/statements.ts';
import { openForPoller, openMachineFile } from '../../src/store/index.ts';
import { caught } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

interface Opened {
  readonly database: DatabaseSync;
  readonly close: () => void;
}

function registry(path: string, mode: Opening['mode'], busyTimeoutMs = 5000): Opened {
  const database = openDatabase(path, SCHEMA, { mode, busyTimeoutMs });
  return { database, close: () => database.close() };
}

function newPath(): string {
  return `${temporaryFolder()}/state.db`;
}

/** The settings of a connection, which is closed then. */
function settingsOf({ database, close }: Opened): Record<string, unknown> {
  // A defensive connection ignores it.
  database.exec('PRAGMA writable_schema = ON');
  const settings = SETTINGS.map((name) => {
    const [value] = Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {});
    return [name, value];
  });
  close();
  return Object.fromEntries(settings) as Record<string, unknown>;
}

const SETTINGS = [
  'journal_mode',
  'synchronous',
  'foreign_keys',
  'busy_timeout',
  'trusted_schema',
  'cell_size_check',
  'writable_schema',
];
const FULL = 2;
const WRITER = {
  journal_mode: 'wal',
  synchronous: FULL,
  foreign_keys: 1,
  busy_timeout: 5000,
  trusted_schema: 0,
  cell_size_check: 1,
  writable_schema: 0,
};

describe('[T115] a connection has the settings on which safety depends', () => {
  it.each<[string, (path: string) => Opened]>([
    ['of a poller', (path) => openForPoller(path)],
    ['that writes a machine.db', (path) => openMachineFile(path, { mode: 'write' })],
    ['that reads a machine.db', (path) => openMachineFile(path, { mode: 'read' })],
  ])('%s', (_, open) => {
    const path = newPath();
    expect(settingsOf(openMachineFile(path))).toEqual(WRITER);
    expect(settingsOf(open(path))).toEqual(WRITER);
  });

  it.each(['create', 'write', 'read'] as const)('to a registry.db, with the mode %s', (mode) => {
    const path = newPath();
    expect(settingsOf(registry(path, 'create'))).toEqual(WRITER);
    expect(settingsOf(registry(path, mode))).toEqual(WRITER);
    expect(settingsOf(registry(path, mode, 70))).toEqual({ ...WRITER, busy_timeout: 70 });
  });

  it('in memory', () => {
    expect(settingsOf(openMachineFile(':memory:'))).toMatchObject({ foreign_keys: 1 });
    expect(settingsOf(registry(':memory:', 'create'))).toMatchObject({ foreign_keys: 1 });
  });

  it('and refuses larger values than any that modreg stores', () => {
    const { database, close } = registry(newPath(), 'create');
    const tooLarge = (): void => database.exec(`SELECT zeroblob(${LARGEST + 1})`);
    expect(tooLarge).toThrow('string or blob too big');
    database.exec(`SELECT length(zeroblob(${LARGEST}))`);
    close();
  });
});

const LARGEST = 256 * 1024 * 1024;

/** Two connections to a file, as two processes have them; the second waits for no lock. */
function two(): [Statements & Opened, Statements & Opened] {
  const path = newPath();
  return [connected(path, 5000), connected(path, 0)];
}

function connected(path: string, busyTimeoutMs: number): Statements & Opened {
  const opened = registry(path, 'create', busyTimeoutMs);
  onTestFinished(() => opened.close());
  return { ...opened, ...statementsOf(opened.database, path) };
}

const INCREASE = 'UPDATE catalogue SET sequence = sequence + 1';

function sequenceIn({ get }: Statements): number {
  return Number(get('SELECT sequence FROM catalogue')?.['sequence']);
}

describe('[T115] of two processes', () => {
  it('one that reads in order to write keeps the other from writing', () => {
    const [one, other] = two();
    transaction(one.database, () => {
      const before = sequenceIn(one);
      expect(caught(() => other.run(INCREASE))).toEqual([
        'locked',
        `"${other.path}": database is locked`,
      ]);
      one.run('UPDATE catalogue SET sequence = ?', before + 1);
    });
    other.run(INCREASE);
    expect([sequenceIn(one), sequenceIn(other)]).toEqual([2, 2]);
  });

  it('one that only reads sees none of what the other writes meanwhile', () => {
    const [one, other] = two();
    const seen = snapshot(one.database, () => {
      const before = sequenceIn(one);
      other.run(INCREASE);
      return [before, sequenceIn(one), sequenceIn(other)];
    });
    expect([seen, sequenceIn(one)]).toEqual([[0, 0, 1], 1]);
  });

  it.each<[string, (database: DatabaseSync, work: () => void) => void]>([
    ['writing', transaction],
    ['reading', snapshot],
  ])('one that throws while %s changes nothing, and locks nothing', (_, within) => {
    const [one, other] = two();
    const error = new Error('no');
    const throwing = (): void => {
      one.run(INCREASE);
      throw error;
    };
    expect(caught(() => within(one.database, throwing))).toBe(error);
    expect(one.database.isTransaction).toBe(false);
    other.run(INCREASE);
    expect([sequenceIn(one), sequenceIn(other)]).toEqual([1, 1]);
  });
});

it('[T122] a file whose process was killed is inspected without a change beside it', () => {
  const path = newPath();
  const { database, close } = registry(path, 'create');
  onTestFinished(close);
  database.exec('UPDATE catalogue SET sequence = sequence + 1');
  const killed = temporaryFolder();
  cpSync(dirname(path), killed, { recursive: true });
  const files = (): string[] =>
    readdirSync(killed).map((name) => {
      const { mtimeMs } = statSync(join(killed, name));
      return `${name} ${mtimeMs} ${readFileSync(join(killed, name), 'base64')}`;
    });
  const before = files();
  const inspected = registry(join(killed, 'state.db'), 'inspect');
  inspected.database.prepare('SELECT sequence FROM catalogue').get();
  inspected.close();
  expect(files()).toEqual(before);
});
