import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isPolled } from '../../src/store/claim.ts';
import { openForPoller, openMachineFile } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { caught, claimed, LIDAR, running } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';

function newPath(): string {
  return `${temporaryFolder()}/machine.db`;
}

/** Claims the file in another process, which has reported 1.0.0 by then. Returns its pid, and how to kill it. */
async function claimElsewhere(
  path: string,
): Promise<{ pid: number | undefined; kill: () => Promise<void> }> {
  const script = `${ROOT}test/store/support/claim-and-wait.ts`;
  const child = spawn(process.execPath, [script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), closed]);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  return { pid: child.pid, kill };
}

function namesIn(folder: string): string[] {
  return readdirSync(folder).toSorted();
}

function refusal(path: string, by: string): [string, string] {
  return ['locked', `"${path}": ${by} already polls for this machine, and only one process can`];
}

describe('[T58] a second poller', () => {
  it('is refused while another process polls, and accepted once that is killed', async () => {
    const path = newPath();
    const { pid, kill } = await claimElsewhere(path);
    expect(caught(() => openForPoller(path))).toEqual(refusal(path, `process ${pid}`));
    await kill();
    const { state, setAside } = claimed(path);
    expect([running(state), state.poller().pid, setAside]).toEqual([
      '1.0.0 after nothing',
      process.pid,
      undefined,
    ]);
  });

  it('is refused in the same process, and accepted once the first has closed the file', () => {
    const first = claimed();
    const { path } = first;
    const second = (): unknown => openForPoller(path);
    expect(caught(second)).toEqual(refusal(path, `process ${process.pid}`));
    // A refusal changes nothing.
    expect(caught(second)).toEqual(refusal(path, `process ${process.pid}`));
    first.state.report(LIDAR, '1.0.0', 1);
    first.close();
    first.close();
    // Nor does it keep the file open.
    expect(namesIn(dirname(path))).toEqual(['machine.db', 'machine.db-poller']);
    expect(running(claimed(path).state)).toBe('1.0.0 after nothing');
  });

  it('is refused even if nothing but the state of the first is referenced', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const path = newPath();
    const { state } = openForPoller(path);
    // The values of a function are released once it has ended.
    await setImmediate();
    collectGarbage();
    const second = (): unknown => openForPoller(path).close();
    expect(caught(second)).toEqual(refusal(path, `process ${process.pid}`));
    expect(state.memory().isBlank).toBe(true);
  });

  it.each<[string, (path: string) => string]>([
    ['is named by a link', (path) => `${path}-link`],
    ['is named by a link to its folder', (path) => path.replace('machine.db', 'link/machine.db')],
    ['is named by a longer path', (path) => path.replace('machine.db', './machine.db')],
  ])('is refused if the file %s', (_, other) => {
    const { path } = claimed();
    symlinkSync(path, `${path}-link`);
    symlinkSync('.', path.replace('machine.db', 'link'));
    const second = (): unknown => openForPoller(other(path)).close();
    expect(caught(second)).toEqual(refusal(path, `process ${process.pid}`));
  });

  it.each<[string, (path: string) => void]>([
    ['the file is removed', (path) => rmSync(path)],
    [
      'the file does not contain the pid',
      (path) => {
        const file = openMachineFile(path);
        file.sql.run('UPDATE poller SET pid = NULL');
        file.close();
      },
    ],
  ])('is refused even if %s', (_, make) => {
    const { path } = claimed();
    make(path);
    expect(caught(() => openForPoller(path))).toEqual(refusal(path, 'another process'));
  });

  it('is accepted for another file in the folder', () => {
    const { path } = claimed();
    expect(claimed(path.replace('machine.db', 'other.db')).setAside).toBeUndefined();
  });

  it('is refused, but a command may read and write the file', () => {
    const { path, state } = claimed();
    const file = openMachineFile(path);
    machineStateIn(file).report(LIDAR, '1.0.0', 1);
    file.close();
    expect(running(state)).toBe('1.0.0 after nothing');
  });
});

describe('whether a poller has the file', () => {
  it('is found without taking its lock, in this process and in another one', async () => {
    const path = newPath();
    openMachineFile(path).close();
    expect(isPolled(path)).toBe(false);
    const file = openForPoller(path);
    expect([isPolled(path), isPolled(path)]).toEqual([true, true]);
    file.close();
    expect(isPolled(path)).toBe(false);
    const { pid, kill } = await claimElsewhere(path);
    expect(isPolled(path)).toBe(true);
    expect(caught(() => openForPoller(path))).toEqual(refusal(path, `process ${pid}`));
    await kill();
    expect(isPolled(path)).toBe(false);
  });

  it('is found through a symbolic link', () => {
    const file = claimed();
    const link = `${file.path}-link`;
    symlinkSync(file.path, link);
    expect(isPolled(link)).toBe(true);
    file.close();
    expect(isPolled(link)).toBe(false);
  });
});

it('a lock file that cannot be opened is not reported as a lock', () => {
  const path = newPath();
  mkdirSync(`${path}-poller`);
  expect(caught(() => openForPoller(path))).toEqual([
    'unreadable',
    `"${path}-poller": unable to open database file`,
  ]);
});

it('a failed claim does not lock the file', () => {
  const path = newPath();
  const other = new DatabaseSync(path);
  other.exec('CREATE TABLE theirs (a)');
  other.close();
  const refused = ['unreadable', `"${path}": it is a SQLite file of another program`];
  expect(caught(() => openForPoller(path))).toEqual(refused);
  rmSync(path);
  expect(claimed(path).state.memory().isBlank).toBe(true);
});

it('[T100] an empty file is set aside once', () => {
  const path = newPath();
  const empty = (): string | undefined => {
    writeFileSync(path, '');
    const file = openForPoller(path);
    file.close();
    return file.setAside?.because;
  };
  expect([empty(), empty()]).toEqual([`"${path}": it is empty`, undefined]);
  expect(namesIn(dirname(path))).toEqual([
    'machine.db',
    'machine.db-poller',
    'machine.db.set-aside-1',
  ]);
});

it('a file is set aside with what SQLite keeps beside it', () => {
  const path = newPath();
  claimed(path).close();
  // As a killed process leaves them.
  for (const suffix of ['', '-wal', '-shm']) writeFileSync(path + suffix, 'not a database');
  openForPoller(path).close();
  expect(namesIn(dirname(path))).toEqual([
    'machine.db',
    'machine.db-poller',
    'machine.db.set-aside-1',
    'machine.db.set-aside-1-shm',
    'machine.db.set-aside-1-wal',
  ]);
});

it('a folder that cannot be created is named, with the one that is missing', () => {
  const folder = temporaryFolder();
  const path = `${folder}/none/platform/machine.db`;
  const missing = `"${folder}/none/platform" cannot be created in "${folder}/none", which does not exist`;
  const expected = ['unwritable', `"${path}": its folder ${missing}: create that first`];
  expect(caught(() => openForPoller(path))).toEqual(expected);
  expect(caught(() => openMachineFile(path))).toEqual(expected);
  expect(namesIn(folder)).toEqual([]);
});

it('a file in place of the folder is named', () => {
  const folder = temporaryFolder();
  writeFileSync(`${folder}/home`, '');
  const path = `${folder}/home/machine.db`;
  const expected = ['unwritable', `"${path}": "${folder}/home" is no folder`];
  expect(caught(() => openForPoller(path))).toEqual(expected);
  expect(caught(() => openMachineFile(path))).toEqual(expected);
});

it("[T65] only its owner can read a machine's file", () => {
  const folder = `${temporaryFolder()}/platform`;
  const file = claimed(`${folder}/machine.db`);
  file.state.report(LIDAR, '1.0.0', 1);
  const modes = (): string[] =>
    readdirSync(folder).map((name) => {
      return `${name} ${(statSync(`${folder}/${name}`).mode & 0o777).toString(8)}`;
    });
  expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
  expect(modes()).toEqual([
    'machine.db 600',
    'machine.db-poller 600',
    'machine.db-shm 600',
    'machine.db-wal 600',
  ]);
  file.close();
  expect(modes()).toEqual(['machine.db 600', 'machine.db-poller 600']);
});
