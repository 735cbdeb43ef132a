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
import { basename, dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdExclusively } from '../../src/sqlite/exclusive-lock.ts';
import { copyBeforeUpgrade } from '../../src/sqlite/upgrade-copy.ts';
import { claimFile } from '../../src/store/claim.ts';
import { openForPoller, openMachineFile } from '../../src/store/index.ts';
import { LAYOUT } from '../../src/store/machine-layout.ts';
import { caught, claimed, LIDAR, running } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ADDITIVE, BREAKING, LATER, TODAY } from '../support/later-layouts.ts';
import { ROOT } from '../support/modreg.ts';
import { lostWithPower } from '../support/on-disk.ts';
import {
  claimedBy,
  crashed,
  makeEarlier,
  namesBeside,
  REFUSED,
  remembered,
  removeLog,
  rows,
} from './support/upgraded.ts';

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

  it('whose content is on the disk before its name', async () => {
    const path = crashed(LAYOUT);
    const lost = await lostWithPower(dirname(path), () => copyBeforeUpgrade(path, TODAY));
    expect(lost.filter((name) => name.includes('schema'))).toEqual([]);
    expect(namesBeside(path)).toContain(`machine.db.schema-${TODAY}`);
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

it('[T71] a command does not upgrade the file under a running poller that would not understand it', () => {
  const path = `${temporaryFolder()}/machine.db`;
  makeEarlier(path);
  // A poller of the third schema holds this lock.
  const release = holdExclusively(`${path}-poller`, 0);
  const message = `"${path}": its schema needs an upgrade that would stop the running process of an earlier modreg; nothing was changed: stop the agent first`;
  expect(caught(() => openMachineFile(path))).toEqual(['locked', message]);
  expect([rows(path, 'PRAGMA user_version'), namesBeside(path)]).toEqual([[[3]], ['machine.db']]);
  release();
  openMachineFile(path).close();
  expect(rows(path, 'PRAGMA user_version')).toEqual([[TODAY]]);
  expect(claimed(path).setAside).toBeUndefined();
});

/** Opens the files with the named layout in another process, which has started by then. */
async function upgrader(layout: string, paths: readonly string[]): Promise<ChildProcess> {
  const script = `${ROOT}test/store/support/upgrade-files.ts`;
  const child = spawn(process.execPath, [script, layout, ...paths], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

describe('[T71] an upgrade that is interrupted', () => {
  it('changes nothing if its process is killed after it made the copy', async () => {
    const path = remembered();
    const child = await upgrader('endless', [path]);
    const copy = `machine.db.schema-${TODAY}`;
    const exit = once(child, 'exit');
    child.stdin?.write('\n');
    for await (const { filename } of watch(dirname(path))) if (filename === copy) break;
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
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=372k', 'none', disk]);
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
  const paths = Array.from({ length: 20 }, (_, number) => `${folder}/${number}.db`);
  for (const path of paths) makeEarlier(path);
  const layouts = ['today', 'additive', 'today', 'additive'];
  const children = await Promise.all(layouts.map(async (layout) => await upgrader(layout, paths)));
  const exits = children.map(async (child) => await once(child, 'exit'));
  for (const child of children) child.stdin?.write('\n');
  expect(await Promise.all(exits)).toEqual(layouts.map(() => [0, null]));
  const found = paths.map((path) => ({
    schema: rows(path, 'PRAGMA user_version'),
    oldestReader: rows(path, 'SELECT oldest_reader FROM compatibility'),
    copies: readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}.`)),
  }));
  expect(found).toEqual(
    paths.map((path) => ({
      schema: [[LATER]],
      oldestReader: [[LAYOUT.oldestReader]],
      copies: [`${basename(path)}.schema-3`],
    })),
  );
});

it('[T71] an upgrade that fails lets pollers use the file again', () => {
  const path = `${temporaryFolder()}/machine.db`;
  makeEarlier(path);
  // A folder is in the way of the copy.
  mkdirSync(`${path}.schema-3.part`);
  expect(() => openMachineFile(path)).toThrow('EISDIR');
  holdExclusively(`${path}-poller`, 0)();
});
