import { rmSync } from 'node:fs';
import { describe, expect, it, type TestContext } from 'vitest';
import { openMachineFile, type ClaimedFile } from '../../src/store/index.ts';
import { machineStateIn, type MachineState } from '../../src/store/machine-state.ts';
import { ARM, caught, claimed, commitOne, LIDAR, running, upgrade } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';

/** A machine's file that cannot grow until there is more space. */
interface Full {
  readonly path: string;
  readonly state: MachineState;
  readonly makeSpace: () => void;
}

/** A new file with 1.0.0 deployed and an open action; in `folder` if that is given. */
function remembered(folder?: string): ClaimedFile {
  const file = folder === undefined ? claimed() : claimed(`${folder}/machine.db`);
  file.state.report(LIDAR, '1.0.0', 1);
  commitOne(file.state);
  return file;
}

function unableToGrow(): Full {
  const { path, state, sql } = remembered();
  sql.get('PRAGMA max_page_count = 1');
  return { path, state, makeSpace: () => void sql.get('PRAGMA max_page_count = 1000') };
}

function onSmallDisk(context: TestContext): Full {
  const disk = `${temporaryFolder()}/disk`;
  smallDisk(context, disk, '512k');
  const { path, state } = remembered(disk);
  fillDisk(`${disk}/filling`);
  return { path, state, makeSpace: () => rmSync(`${disk}/filling`) };
}

/** The deployed version, and how many actions are open. */
function seen(state: MachineState): [string, number] {
  return [running(state), state.memory().open.length];
}

/** Text that does not fit. */
const LONG = 'x'.repeat(20_000);

describe('[T52] without space the memory stays as it was, and writes succeed once there is space', () => {
  it.for<[string, (context: TestContext) => Full]>([
    ['in a file that may not grow', unableToGrow],
    ['on a full disk', onSmallDisk],
  ])('%s', ([, make], context) => {
    const { path, state, makeSpace } = make(context);
    const report = (): void => state.report(LIDAR, `1.1.0-${LONG}`, 2);
    const commit = (): unknown =>
      state.commit([upgrade({ target: ARM, reason: { kind: 'pin-url', text: LONG } })], [], 2);
    for (const write of [report, commit, report]) {
      expect(caught(write)).toEqual(['unwritable', `"${path}": database or disk is full`]);
      expect(seen(state)).toEqual(['1.0.0 after nothing', 1]);
    }
    const other = openMachineFile(path);
    expect(seen(machineStateIn(other))).toEqual(['1.0.0 after nothing', 1]);
    other.close();
    makeSpace();
    report();
    commit();
    expect(seen(state)).toEqual([`1.1.0-${LONG} after 1.0.0`, 2]);
  });
});
