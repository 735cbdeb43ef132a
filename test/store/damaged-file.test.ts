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
import { moduleQuestion } from '../support/decided.ts';
import { temporaryFolder } from '../support/folder.ts';
import { logged } from '../support/machine-home.ts';

const PAGE = 4096;

/** The path of a closed file with 1.0.0 deployed, an open action and a decision. No page of it is empty. */
function remembered(): string {
  const file = claimed();
  file.state.report(LIDAR, '1.0.0', 1);
  commitOne(file.state);
  const input = moduleQuestion({ wanted: '1.*', deployed: '1.0.0', list: ['1.0.0'] });
  const round = { at: 1, trouble: undefined };
  file.state.log([logged('lidar')], round, new Map([['module lidar', input]]));
  // SQLite reads a missing end as zeros, which an empty last page has anyway.
  file.sql.run("INSERT INTO first_seen VALUES ('here', 'acme:lidar', '', NULL, 1, NULL)");
  file.close();
  return file.path;
}

/** Replaces the bytes of a file with the result of `change`, and returns them. */
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

/** What a poller finds: the deployed version, and how many actions are open. Throws if it cannot write. */
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
/** The action was set aside, so what is deployed must be reported (T90). */
const WITHOUT_ACTION = 'unknown after nothing, 0 open';

const MUTATIONS: readonly [string, string, (bytes: Buffer, path: string) => Uint8Array][] = [
  ['garbage', 'file is not a database', (bytes) => Buffer.alloc(bytes.length, 'garbage!')],
  ['[T100] nothing', 'it is empty', () => Buffer.of()],
  ['one line', 'file is not a database', () => Buffer.from('garbage\n')],
  ['a first page of zeros', 'file is not a database', (bytes) => filled(bytes, 0, 0)],
  [
    'half of the file',
    'database disk image is malformed',
    (bytes) => bytes.subarray(0, bytes.length / 2),
  ],
  ['only its first page', 'database disk image is malformed', (bytes) => bytes.subarray(0, PAGE)],
  ['only its first bytes', 'database disk image is malformed', (bytes) => bytes.subarray(0, 99)],
  [
    'an overwritten page',
    'Tree 8 page 8: btreeInitPage() returns error code 11',
    (bytes) => filled(bytes, 7 * PAGE, 0xff),
  ],
  [
    'a page of zeros',
    'Tree 8 page 8: btreeInitPage() returns error code 11',
    (bytes) => filled(bytes, 7 * PAGE, 0),
  ],
  [
    'an index that contradicts its table',
    'row 1 missing from index open_actions',
    (bytes) => flipped(bytes, bytes.toString('latin1').search(/modulelidar(?!acme)/)),
  ],
];

describe('[T53] a file that cannot be used is set aside unchanged, and a blank one is created', () => {
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
    // The files that SQLite creates to check a file are set aside with it.
    const left = readdirSync(path.replace('machine.db', '')).filter(
      (name) => !/-(wal|shm)$/.test(name),
    );
    expect(left).toEqual(['machine.db', 'machine.db-poller', 'machine.db.set-aside-1']);
    const again = claimed(path);
    expect([running(again.state), again.setAside]).toEqual(['2.0.0 after nothing', undefined]);
  });

  it('each with a separate number', () => {
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
  ])('with its write-ahead log: %s', (_, change) => {
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

describe('[T53] a damaged file contains the old memory, or is replaced by a blank one', () => {
  it.each<[string, string, (bytes: Buffer, path: string) => Uint8Array]>([
    ['no damage', OLD, (bytes) => bytes],
    ['no bytes', 'blank', () => Buffer.of()],
    ['a flipped bit that SQLite does not use', OLD, (bytes) => flipped(bytes, 75)],
    ['a header that does not permit writing', 'blank', (bytes) => flipped(bytes, 18)],
    [
      '[T90] a flipped bit in an action',
      WITHOUT_ACTION,
      (bytes) => flipped(bytes, bytes.indexOf('{"kind":"restart-and-upgrade"')),
    ],
    [
      'a flipped bit in a field name of an action',
      WITHOUT_ACTION,
      (bytes) => flipped(bytes, bytes.indexOf('"target"') + 1),
    ],
    [
      'a flipped bit in the module of an action',
      WITHOUT_ACTION,
      (bytes) => flipped(bytes, bytes.indexOf('acme:lidar"}') + 4),
    ],
    [
      'a flipped bit in the name of a column',
      'blank',
      (bytes) => flipped(bytes, bytes.lastIndexOf('not_before')),
    ],
  ])('%s: %s', (_, expected, change) => {
    const path = remembered();
    rewrite(path, (bytes) => change(bytes, path));
    expect(found(path)).toBe(expected);
  });

  it('a missing end', () => {
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

  it('any overwritten page', () => {
    const path = remembered();
    const whole = readFileSync(path);
    const places = Array.from({ length: whole.length / PAGE }, (_, page) => page * PAGE);
    const outcomes = places.map((place) => {
      rewrite(path, () => filled(Buffer.from(whole), place, 0x5a));
      return found(path);
    });
    expect(outcomes).toEqual(places.map(() => 'blank'));
  });

  it('a missing end of its write-ahead log', () => {
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

  it('a write-ahead log without its file', () => {
    const { state, path } = claimed(remembered());
    state.report(LIDAR, '1.1.0', 2);
    const copy = `${temporaryFolder()}/machine.db`;
    for (const suffix of ['-wal', '-shm']) copyFileSync(path + suffix, copy + suffix);
    expect([existsSync(copy), found(copy)]).toEqual([false, 'blank']);
  });
});

it('[T53] a write that contradicts the file is reported as damage', () => {
  const { state, database, path } = claimed();
  // The checks of SQLite find no damage in such an index.
  database.exec('DROP INDEX open_actions; CREATE UNIQUE INDEX open_actions ON actions (kind)');
  commitOne(state);
  const message = `"${path}": UNIQUE constraint failed: actions.kind`;
  expect(caught(() => commitOne(state, { target: ARM }))).toEqual(['damaged', message]);
});

describe('what modreg did not create stays unchanged', () => {
  it('a file of another program', () => {
    const path = `${temporaryFolder()}/machine.db`;
    const database = new DatabaseSync(path);
    database.exec('PRAGMA application_id = 5; CREATE TABLE theirs (id); PRAGMA user_version = 99');
    database.close();
    const bytes = readFileSync(path);
    const message = `"${path}": it is a SQLite file of another program`;
    expect(caught(() => openForPoller(path))).toEqual(['unreadable', message]);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(path.replace('machine.db', ''))).toEqual([
      'machine.db',
      'machine.db-poller',
    ]);
    // Once the file is removed, the path can be used.
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
