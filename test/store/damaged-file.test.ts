import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openForPoller } from '../../src/store/index.ts';
import { ARM, caught, claimed, commitOne, LIDAR, running } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

const PAGE = 4096;

/** The path of a file that remembers 1.0.0 and an open action, and that nobody has open. */
function remembered(): string {
  const file = claimed();
  file.state.report(LIDAR, '1.0.0', 1);
  commitOne(file.state);
  file.close();
  return file.path;
}

/** Writes what `change` makes of the file's bytes, and gives them back. */
function rewrite(path: string, change: (bytes: Buffer) => Uint8Array): Buffer {
  const bytes = Buffer.from(change(readFileSync(path)));
  writeFileSync(path, bytes);
  return bytes;
}

function filled(bytes: Buffer, place: number, value: number): Buffer {
  return bytes.fill(value, place, place + PAGE);
}

function flipped(bytes: Buffer, place: number): Buffer {
  bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
  return bytes;
}

/** What a poller finds: what runs and how many actions are open, and whether it can write that. */
function found(path: string): string {
  const file = claimed(path);
  const { state } = file;
  const { isBlank, open } = state.memory();
  const before = isBlank ? 'blank' : `${running(state)}, ${open.length} open`;
  state.report(LIDAR, '2.0.0', 9);
  if (!running(state).startsWith('2.0.0 after ')) throw new Error(running(state));
  file.close();
  return before;
}

const OLD = '1.0.0 after nothing, 1 open';

const MUTATIONS: readonly [string, string, (bytes: Buffer, path: string) => Uint8Array][] = [
  ['no SQLite file', 'file is not a database', (bytes) => Buffer.alloc(bytes.length, 'garbage!')],
  ['one line', 'file is not a database', () => Buffer.from('garbage\n')],
  ['no beginning', 'file is not a database', (bytes) => filled(bytes, 0, 0)],
  [
    'half of it',
    'database disk image is malformed',
    (bytes) => bytes.subarray(0, bytes.length / 2),
  ],
  ['its first page', 'database disk image is malformed', (bytes) => bytes.subarray(0, PAGE)],
  ['its first bytes', 'database disk image is malformed', (bytes) => bytes.subarray(0, 99)],
  [
    'an overwritten page',
    '*** in database main ***\\u{a}Tree 8 page 8: btreeInitPage() returns error code 11',
    (bytes) => filled(bytes, 7 * PAGE, 0xff),
  ],
  [
    'a page that was never written',
    '*** in database main ***\\u{a}Tree 8 page 8: btreeInitPage() returns error code 11',
    (bytes) => filled(bytes, 7 * PAGE, 0),
  ],
  [
    'an index that says otherwise than its table',
    'row 1 missing from index open_actions',
    (bytes) => flipped(bytes, bytes.toString('latin1').search(/modulelidar(?!acme)/)),
  ],
  [
    'a later schema',
    'its schema is 99, and this modreg knows schemas up to 3',
    (_, path) => {
      const database = new DatabaseSync(path);
      database.exec('PRAGMA user_version = 99');
      database.close();
      return readFileSync(path);
    },
  ],
];

describe('[T53] a file that cannot be used is set aside as it is, and a blank one begins', () => {
  it.each(MUTATIONS)('%s', (_, because, change) => {
    const path = remembered();
    const bytes = rewrite(path, (whole) => change(whole, path));
    const file = claimed(path);
    const { state, setAside } = file;
    const aside = `${path}.set-aside-1`;
    expect(setAside).toEqual({ path: aside, because: `"${path}": ${because}` });
    expect([state.memory().isBlank, state.memory().open, state.poller().pid]).toEqual([
      true,
      [],
      process.pid,
    ]);
    state.report(LIDAR, '2.0.0', 9);
    file.close();
    expect(readFileSync(aside).equals(bytes)).toBe(true);
    // What SQLite makes to look at a file goes with it.
    const left = readdirSync(path.replace('machine.db', '')).filter(
      (name) => !/-(wal|shm)$/.test(name),
    );
    expect(left).toEqual(['machine.db', 'machine.db-poller', 'machine.db.set-aside-1']);
    const again = claimed(path);
    expect([running(again.state), again.setAside]).toEqual(['2.0.0 after nothing', undefined]);
  });

  it('each under a number of its own', () => {
    const path = remembered();
    for (const number of [1, 2, 3]) {
      rewrite(path, () => Buffer.from(`garbage ${number}`));
      const file = claimed(path);
      file.close();
      expect(file.setAside?.path).toBe(`${path}.set-aside-${number}`);
    }
    const asides = [1, 2, 3].map((number) => readFileSync(`${path}.set-aside-${number}`, 'utf8'));
    expect(asides).toEqual(['garbage 1', 'garbage 2', 'garbage 3']);
  });

  it.each([
    ['garbage', (bytes: Buffer) => bytes.fill('garbage!')],
    ['an overwritten page', (bytes: Buffer) => filled(bytes, 7 * PAGE, 0xff)],
  ])('with what was in its log: %s', (_, change) => {
    const { state, path } = claimed(remembered());
    state.report(LIDAR, '1.1.0', 2);
    const copy = `${temporaryFolder()}/machine.db`;
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
    const before = [rewrite(copy, change), readFileSync(`${copy}-wal`)];
    expect(claimed(copy).setAside?.path).toBe(`${copy}.set-aside-1`);
    const aside = ['', '-wal']
      .map((suffix) => `${copy}.set-aside-1${suffix}`)
      .map((name) => (existsSync(name) ? readFileSync(name) : Buffer.of()));
    expect(aside.map((bytes, at) => before[at]?.equals(bytes))).toEqual([true, true]);
  });
});

describe('[T53] whatever became of a file, it remembers what it did, or nothing', () => {
  it.each<[string, string, (bytes: Buffer, path: string) => Uint8Array]>([
    ['nothing happened to it', OLD, (bytes) => bytes],
    ['no bytes are left', 'blank', () => Buffer.of()],
    ['a bit of what SQLite does not use was flipped', OLD, (bytes) => flipped(bytes, 75)],
    ['it is marked as one that is not written', 'blank', (bytes) => flipped(bytes, 18)],
    [
      'a bit of an action was flipped',
      'blank',
      (bytes) => flipped(bytes, bytes.indexOf('{"kind":"restart-and-upgrade"')),
    ],
    [
      'a bit of the name of a part of an action was flipped',
      'blank',
      (bytes) => flipped(bytes, bytes.indexOf('"target"') + 1),
    ],
    [
      'a bit of the module of an action was flipped',
      'blank',
      (bytes) => flipped(bytes, bytes.indexOf('acme:lidar"}') + 4),
    ],
    [
      'a bit of the name of a column was flipped',
      'blank',
      (bytes) => flipped(bytes, bytes.indexOf('not_before')),
    ],
  ])('%s: %s', (_, expected, change) => {
    const path = remembered();
    rewrite(path, (bytes) => change(bytes, path));
    expect(found(path)).toBe(expected);
  });

  it('its end is missing', () => {
    const path = remembered();
    const whole = readFileSync(path);
    const lengths = Array.from(
      { length: (2 * whole.length) / PAGE },
      (_, half) => half * (PAGE / 2),
    );
    const outcomes = lengths.map((length) => {
      rewrite(path, () => whole.subarray(0, length));
      return found(path);
    });
    expect(outcomes).toEqual(lengths.map(() => 'blank'));
  });

  it('any page is another', () => {
    const path = remembered();
    const whole = readFileSync(path);
    const places = Array.from({ length: whole.length / PAGE }, (_, page) => page * PAGE);
    const outcomes = places.map((place) => {
      rewrite(path, () => filled(Buffer.from(whole), place, 0x5a));
      return found(path);
    });
    expect(outcomes).toEqual(places.map(() => 'blank'));
  });

  it('the end of its log is missing', () => {
    const { state, path } = claimed(remembered());
    for (const version of ['1.1.0', '1.2.0', '1.3.0']) state.report(LIDAR, version, 2);
    const folder = temporaryFolder();
    const size = readFileSync(`${path}-wal`).length;
    const parts = Array.from({ length: 21 }, (_, part) => Math.floor((size / 20) * part));
    const outcomes = parts.map((length) => {
      const copy = `${folder}/${length}.db`;
      for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
      truncateSync(`${copy}-wal`, length);
      return found(copy);
    });
    expect([...new Set(outcomes)]).toEqual([
      OLD,
      '1.1.0 after 1.0.0, 1 open',
      '1.2.0 after 1.1.0, 1 open',
      '1.3.0 after 1.2.0, 1 open',
    ]);
  });

  it('only its log is left', () => {
    const { state, path } = claimed(remembered());
    state.report(LIDAR, '1.1.0', 2);
    const copy = `${temporaryFolder()}/machine.db`;
    for (const suffix of ['-wal', '-shm']) copyFileSync(path + suffix, copy + suffix);
    expect([existsSync(copy), found(copy)]).toEqual([false, 'blank']);
  });
});

it('[T53] what the file contradicts is an error about the file', () => {
  const { state, database, path } = claimed();
  // No check of SQLite finds more in such an index than its table has.
  database.exec('DROP INDEX open_actions; CREATE UNIQUE INDEX open_actions ON actions (kind)');
  commitOne(state);
  const message = `"${path}": UNIQUE constraint failed: actions.kind`;
  expect(caught(() => commitOne(state, { target: ARM }))).toEqual(['damaged', message]);
});

describe('what belongs to somebody else is left alone', () => {
  it('a file of another program', () => {
    const path = `${temporaryFolder()}/machine.db`;
    const database = new DatabaseSync(path);
    database.exec('PRAGMA application_id = 5; CREATE TABLE theirs (id); PRAGMA user_version = 99');
    database.close();
    const bytes = readFileSync(path);
    const message = `"${path}": a SQLite file of another program`;
    expect(caught(() => openForPoller(path))).toEqual(['unreadable', message]);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(path.replace('machine.db', ''))).toEqual([
      'machine.db',
      'machine.db-poller',
    ]);
    // Nor is the name kept from whoever comes once it is gone.
    rmSync(path);
    expect(found(path)).toBe('blank');
  });

  it('a folder', () => {
    const path = `${temporaryFolder()}/machine.db`;
    mkdirSync(path);
    writeFileSync(`${path}/theirs`, 'kept');
    const message = `"${path}": unable to open database file`;
    expect(caught(() => openForPoller(path))).toEqual(['unreadable', message]);
    expect(readFileSync(`${path}/theirs`, 'utf8')).toBe('kept');
  });
});
