import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { watch } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Layout } from '../../src/sqlite/schema.ts';
import { claimFile } from '../../src/store/claim.ts';
import { openForPoller, openMachineFile, type ClaimedFile } from '../../src/store/index.ts';
import { LAYOUT } from '../../src/store/machine-file.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { version } from '../support/ask.ts';
import { ARM, caught, claimed, commitOne, LIDAR, running } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ADDITIVE, BREAKING, LATER, TODAY } from '../support/later-layouts.ts';
import { ROOT } from '../support/modreg.ts';

const TERMS = { at: 5, quarantineUntil: 900, retryAt: 6 };

/** A poller's file, opened by a modreg with `layout`. */
function claimedBy(layout: Layout, path = `${temporaryFolder()}/machine.db`): ClaimedFile {
  const file = claimFile(path, layout);
  onTestFinished(() => file.close());
  return file;
}

/** The path of a closed file with 1.0.0 deployed and an open action, which a modreg with `layout` wrote. */
function remembered(layout: Layout = LAYOUT): string {
  const file = claimedBy(layout);
  file.state.report(LIDAR, '1.0.0', 1);
  commitOne(file.state);
  file.close();
  return file.path;
}

/** The path of a file as a process leaves it that is killed: with 1.1.0 deployed in its write-ahead log. */
function crashed(layout: Layout): string {
  const { path, state } = claimedBy(layout, remembered(layout));
  state.report(LIDAR, '1.1.0', 2);
  const copy = `${temporaryFolder()}/machine.db`;
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
  return copy;
}

/** What a poller remembers. */
function memoryIn(state: MachineState): unknown {
  const { open, quarantine } = state.memory();
  return {
    lidar: running(state),
    arm: running(state, ARM),
    open: open.map(({ action, deliveries }) => `${action.to}, delivered ${deliveries} times`),
    quarantine: quarantine.map((entry) => `${entry.version}: ${entry.reason}`),
  };
}

/** The failure of an action that upgrades the lidar to `to`. */
function fail(state: MachineState, to: string, reason: string): void {
  const { id } = commitOne(state, { to });
  state.deliver(id, 3);
  state.acknowledge(id, { kind: 'failed', reason, running: '1.0.0', blame: 'release' }, TERMS);
}

function rows(path: string, sql: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  } finally {
    database.close();
  }
}

/** The names of the files beside `path`, without those that SQLite needs to read it. */
function namesBeside(path: string): string[] {
  return readdirSync(dirname(path)).filter(
    (name) => !/-(wal|shm|poller|poller-journal)$/.test(name),
  );
}

function removeLog(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
}

describe('[T71] upgrade, fallback and upgrade', () => {
  it('keep what every modreg wrote', () => {
    const path = remembered();

    const later = claimedBy(ADDITIVE, path);
    later.state.report(LIDAR, '1.1.0', 2);
    later.state.report(ARM, '2.0.0', 2);
    const [open] = later.state.memory().open;
    if (!open) throw new Error('nothing is open');
    later.state.deliver(open.action.id, 2);
    later.state.rollBack(ARM, { from: version('2.0.0'), to: undefined }, 2);
    later.database.exec(`
      INSERT INTO sites VALUES ('hall 4');
      UPDATE deployed SET site = 'hall 4';
      UPDATE quarantine SET site = 'hall 4';
      UPDATE restarts SET site = 'hall 4';
      UPDATE actions SET site = 'hall 4', content = json_set(content, '$.site', 'hall 4')`);
    const known = memoryIn(later.state);
    later.close();

    const earlier = claimed(path);
    expect([earlier.setAside, memoryIn(earlier.state)]).toEqual([undefined, known]);
    earlier.state.deliver(open.action.id, 4);
    earlier.state.acknowledge(open.action.id, { kind: 'done' }, TERMS);
    fail(earlier.state, '1.2.0', 'no points');
    earlier.state.report(ARM, '2.0.0', 6);
    earlier.state.rollBack(ARM, { from: version('2.0.0'), to: version('1.9.0') }, 7);
    earlier.close();

    const again = claimedBy(ADDITIVE, path);
    expect([again.setAside, memoryIn(again.state)]).toEqual([
      undefined,
      {
        lidar: '1.0.0 after 1.1.0',
        arm: '2.0.0 after nothing',
        open: [],
        quarantine: ['2.0.0: rolled back by an operator', '1.2.0: no points'],
      },
    ]);
    again.close();
    expect(rows(path, 'SELECT name FROM sites')).toEqual([['hall 4']]);
    expect(rows(path, 'SELECT name, site FROM deployed')).toEqual([
      ['arm', 'hall 4'],
      ['lidar', 'hall 4'],
    ]);
    expect(rows(path, 'SELECT version, rolled_back_to, site FROM quarantine')).toEqual([
      ['2.0.0', '1.9.0', 'hall 4'],
      ['1.2.0', null, null],
    ]);
    expect(rows(path, 'SELECT action, at, site FROM restarts')).toEqual([
      [1, 4, 'hall 4'],
      [2, 3, null],
    ]);
    expect(rows(path, "SELECT state, site, content ->> '$.site' FROM actions")).toEqual([
      ['done', 'hall 4', 'hall 4'],
      ['failed', null, null],
    ]);
    expect(rows(path, 'PRAGMA user_version')).toEqual([[LATER]]);
    expect(namesBeside(path)).toEqual(['machine.db']);
  });

  it('keep what was in the write-ahead log when the later modreg was killed', () => {
    const { setAside, state } = claimed(crashed(ADDITIVE));
    expect([setAside, running(state), state.memory().open.length]).toEqual([
      undefined,
      '1.1.0 after 1.0.0',
      1,
    ]);
  });

  it.each(['create', 'write', 'read'] as const)('%s a file of a later modreg', (mode) => {
    const path = remembered(ADDITIVE);
    openMachineFile(path, { mode }).close();
    expect(rows(path, 'PRAGMA user_version')).toEqual([[LATER]]);
    expect(running(claimedBy(ADDITIVE, path).state)).toBe('1.0.0 after nothing');
  });
});

const REFUSED = `it has schema ${LATER}, for programs that know ${LATER} or later, and this modreg knows ${TODAY}; nothing was changed: use the later modreg again`;

describe('[T71] a file that only a later modreg understands is refused, and no byte of it changes', () => {
  it.each<[string, () => string]>([
    ['closed', () => remembered(BREAKING)],
    ['with a write-ahead log', () => crashed(BREAKING)],
  ])('%s', (_, make) => {
    const path = make();
    const contents = (): unknown =>
      [path, `${path}-wal`].map((name) => existsSync(name) && readFileSync(name));
    const before = contents();
    const opens = [
      () => openForPoller(path),
      () => openMachineFile(path),
      () => openMachineFile(path, { mode: 'write' }),
      () => openMachineFile(path, { mode: 'read' }),
    ];
    for (const open of opens) {
      expect(caught(open)).toEqual(['later-schema', `"${path}": ${REFUSED}`]);
      expect(contents()).toEqual(before);
      expect(namesBeside(path)).toEqual(['machine.db']);
    }
    const { setAside, state } = claimedBy(BREAKING, path);
    expect([setAside, state.memory().open.length]).toEqual([undefined, 1]);
  });

  it('but a damaged one is set aside', () => {
    const path = remembered(BREAKING);
    writeFileSync(path, readFileSync(path).fill(0x5a, 4096));
    expect(claimed(path).setAside?.path).toBe(`${path}.set-aside-1`);
  });
});

describe('[T71] content that a later modreg may have written is not damage', () => {
  it.each<[string, string, string]>([
    [
      'an unknown kind of action',
      "UPDATE actions SET content = json_set(content, '$.kind', 'inspect')",
      'stored data is damaged: a value is missing or has an unexpected type',
    ],
    [
      'a column with another name',
      'ALTER TABLE deployed RENAME COLUMN previous TO before',
      'no such column: previous',
    ],
  ])('%s', (_, sql, because) => {
    const path = remembered(ADDITIVE);
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const bytes = readFileSync(path);
    const message = `"${path}": it has schema ${LATER}, and this modreg, which knows ${TODAY}, cannot read its content ("${path}": ${because}); nothing was changed: use the later modreg again`;
    expect(caught(() => openForPoller(path))).toEqual(['later-schema', message]);
    expect([readFileSync(path).equals(bytes), namesBeside(path)]).toEqual([true, ['machine.db']]);
  });
});

describe('[T71] an upgrade that earlier programs do not understand copies the file first', () => {
  it("with its write-ahead log, for its owner alone, and today's modreg can use the copy", () => {
    const path = crashed(LAYOUT);
    claimedBy(BREAKING, path).close();
    const copy = `${path}.schema-${TODAY}`;
    expect(namesBeside(path)).toEqual(['machine.db', `machine.db.schema-${TODAY}`]);
    expect((statSync(copy).mode & 0o777).toString(8)).toBe('600');
    expect(caught(() => openForPoller(path))).toEqual([
      'later-schema',
      `"${path}": ${REFUSED}, or restore the copy "${copy}"`,
    ]);
    copyFileSync(copy, path);
    removeLog(path);
    const { setAside, state } = claimed(path);
    expect([setAside, running(state), state.memory().open.length]).toEqual([
      undefined,
      '1.1.0 after 1.0.0',
      1,
    ]);
  });

  it('and never overwrites a copy', () => {
    const path = remembered();
    claimedBy(BREAKING, path).close();
    const first = `${path}.schema-${TODAY}`;
    const bytes = readFileSync(first);
    copyFileSync(first, path);
    const restored = claimed(path);
    restored.state.report(LIDAR, '1.3.0', 3);
    restored.close();
    claimedBy(BREAKING, path).close();
    const second = `${first}-2`;
    expect(readFileSync(first).equals(bytes)).toBe(true);
    expect(rows(second, "SELECT text FROM deployed WHERE name = 'lidar'")).toEqual([['1.3.0']]);
    const message = `"${path}": ${REFUSED}, or restore the copy "${second}"`;
    expect(caught(() => openForPoller(path))).toEqual(['later-schema', message]);
  });

  it('but a refusal names no copy that is damaged', () => {
    const path = remembered();
    claimedBy(BREAKING, path).close();
    writeFileSync(`${path}.schema-${TODAY}`, 'garbage');
    mkdirSync(`${path}.schema-${TODAY}-2`);
    expect(caught(() => openForPoller(path))).toEqual(['later-schema', `"${path}": ${REFUSED}`]);
  });

  it('but an empty file, and an upgrade that only adds, are not copied', () => {
    const path = `${temporaryFolder()}/machine.db`;
    claimedBy(LAYOUT, path).close();
    claimedBy(ADDITIVE, path).close();
    expect(namesBeside(path)).toEqual(['machine.db']);
  });

  it('also from a schema that records no oldest reader', () => {
    const path = `${temporaryFolder()}/machine.db`;
    makeEarlier(path);
    expect(claimed(path).setAside).toBeUndefined();
    expect(namesBeside(path)).toEqual(['machine.db', 'machine.db.schema-3']);
    expect(rows(`${path}.schema-3`, 'PRAGMA user_version')).toEqual([[3]]);
  });
});

/** A file of schema 3, as its programs wrote it. */
function makeEarlier(path: string): void {
  const database = new DatabaseSync(path);
  for (const migration of LAYOUT.migrations.slice(0, 3)) database.exec(migration);
  database.exec(`PRAGMA application_id = ${LAYOUT.applicationId}; PRAGMA user_version = 3`);
  database.exec('PRAGMA journal_mode = WAL');
  database.close();
}

/** Opens the files with the named layout in another process, which has started by then. */
async function upgrader(layout: string, paths: readonly string[]): Promise<ChildProcess> {
  const script = `${ROOT}test/support/upgrade-files.ts`;
  const child = spawn(process.execPath, [script, layout, ...paths], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

describe('[T71] an upgrade that is interrupted', () => {
  it('changes nothing if its process is killed, and the next one needs no second copy', async () => {
    const path = remembered();
    const child = await upgrader('endless', [path]);
    const copy = `machine.db.schema-${TODAY}`;
    const changes = watch(dirname(path));
    const exit = once(child, 'exit');
    child.stdin?.write('\n');
    for await (const { filename } of changes)
      if (filename === copy && existsSync(`${path}.schema-${TODAY}`)) break;
    child.kill('SIGKILL');
    expect((await exit)[1]).toBe('SIGKILL');

    const earlier = claimed(path);
    expect([earlier.setAside, running(earlier.state)]).toEqual([undefined, '1.0.0 after nothing']);
    expect(rows(path, 'PRAGMA user_version')).toEqual([[TODAY]]);
    expect(namesBeside(path)).toEqual(['machine.db', copy]);
  });

  it('reuses a complete copy, and discards a part', () => {
    const path = remembered();
    const restored = readFileSync(path);
    claimedBy(BREAKING, path).close();
    writeFileSync(path, restored);
    writeFileSync(`${path}.schema-${TODAY}.part`, 'the start of a copy');
    claimedBy(BREAKING, path).close();
    expect(namesBeside(path)).toEqual(['machine.db', `machine.db.schema-${TODAY}`]);
  });

  it('changes nothing if the disk has no space for the copy', ({ skip }) => {
    const disk = `${temporaryFolder()}/disk`;
    mkdirSync(disk);
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', disk]);
    if (status !== 0) return skip('this process may not mount a small disk');
    onTestFinished(() => void spawnSync('umount', ['--lazy', disk]));
    const path = `${disk}/machine.db`;
    copyFileSync(remembered(), path);
    // SQLite needs 32 KiB to open a file, and the copy more than 64.
    writeFileSync(`${disk}/reserve`, Buffer.alloc(65_536));
    fill(`${disk}/filling`);
    rmSync(`${disk}/reserve`);
    const copy = `${path}.schema-${TODAY}`;
    const message = `"${path}": its schema needs an upgrade that earlier programs do not understand, and it could not be copied first ("${copy}": database or disk is full); nothing was changed: make space for a copy`;
    const upgrade = (): unknown => claimFile(path, BREAKING);
    expect(caught(upgrade)).toEqual(['unwritable', message]);
    expect(existsSync(`${copy}.part`) || existsSync(copy)).toBe(false);
    rmSync(`${disk}/filling`);
    const earlier = claimed(path);
    expect([earlier.setAside, running(earlier.state)]).toEqual([undefined, '1.0.0 after nothing']);
    earlier.close();
    expect(running(claimedBy(BREAKING, path).state)).toBe('1.0.0 after nothing');
  });
});

function fill(path: string): void {
  for (const size of [16_384, 1]) {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

it('[T71] of processes that upgrade a file at the same time, the one with the latest schema wins', async () => {
  const folder = temporaryFolder();
  const paths = Array.from({ length: 40 }, (_, number) => `${folder}/${number}.db`);
  for (const path of paths) makeEarlier(path);
  const layouts = ['today', 'additive', 'today', 'additive'];
  const children = await Promise.all(layouts.map(async (layout) => await upgrader(layout, paths)));
  const exits = children.map(async (child) => await once(child, 'exit'));
  for (const child of children) child.stdin?.write('\n');
  expect(await Promise.all(exits)).toEqual(layouts.map(() => [0, null]));
  const found = paths.map((path) => [
    rows(path, 'PRAGMA user_version'),
    rows(path, 'SELECT oldest_reader FROM compatibility'),
    readdirSync(folder).filter((name) => name.startsWith(`${path.slice(folder.length + 1)}.`)),
  ]);
  expect(found).toEqual(
    paths.map((path) => [
      [[LATER]],
      [[LAYOUT.oldestReader]],
      [`${path.slice(folder.length + 1)}.schema-3`],
    ]),
  );
});

it('[T71] a file of another program is not read, even if it has a table of that name', () => {
  const path = `${temporaryFolder()}/machine.db`;
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 99; CREATE TABLE compatibility (theirs)');
  database.close();
  const message = `"${path}": it is a SQLite file of another program`;
  expect(caught(() => openForPoller(path))).toEqual(['unreadable', message]);
});
