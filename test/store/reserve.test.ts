import { existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import { describe, expect, it, type TestContext } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { keepReserve } from '../../src/store/reserve.ts';
import { caught, claimed, LIDAR, running } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';

interface Home {
  readonly path: string;
  /** What fills the disk. */
  readonly filling: string;
  readonly fill: () => void;
  readonly makeSpace: () => void;
}

/** A disk of 8 MiB. */
function homeOn(context: TestContext): Home {
  const disk = `${temporaryFolder()}/disk`;
  smallDisk(context, disk, '8m');
  const filling = `${disk}/filling`;
  return {
    path: `${disk}/machine.db`,
    filling,
    fill: () => fillDisk(filling),
    makeSpace: () => rmSync(filling),
  };
}

/** The home of a poller that has recorded 1.0.0 and ended, and whose disk has become full. */
function fullHome(context: TestContext, { isReserved }: { readonly isReserved: boolean }): Home {
  const home = homeOn(context);
  const file = claimed(home.path);
  file.state.report(LIDAR, '1.0.0', 1);
  if (isReserved) keepReserve(file);
  file.close();
  home.fill();
  return home;
}

const FULL = 'database or disk is full';

describe('[T344] a reserve is kept for the state of a machine', () => {
  it('as allocated bytes that only its owner can read, and only while its disk has room', (context) => {
    const { path, filling, fill, makeSpace } = homeOn(context);
    const file = claimed(path);
    expect(keepReserve(file)).toMatchObject({ isReserved: true, isFull: false });
    const { blocks, size, mode } = statSync(`${path}-reserve`);
    expect([blocks * 512, size, mode & 0o777]).toEqual([1_048_576, 1_048_576, 0o600]);
    rmSync(`${path}-reserve`);
    fill();
    expect(keepReserve(file)).toEqual({ freeBytes: 0, isReserved: false, isFull: true });
    expect(existsSync(`${path}-reserve`)).toBe(false);
    truncateSync(filling, statSync(filling).size - 1_572_864);
    expect(keepReserve(file)).toEqual({ freeBytes: 1_572_864, isReserved: false, isFull: true });
    makeSpace();
    expect(keepReserve(file)).toMatchObject({ isReserved: true, isFull: false });
  });

  it('and is free for it when the disk is full at a start', (context) => {
    const { path } = fullHome(context, { isReserved: true });
    const { state } = claimed(path);
    state.report(LIDAR, '1.1.0', 2);
    expect(running(state)).toBe('1.1.0 after 1.0.0');
    expect(existsSync(`${path}-reserve`)).toBe(false);
    // Others can read it meanwhile.
    const other = openMachineFile(path, { mode: 'read' });
    expect(running(machineStateIn(other))).toBe('1.1.0 after 1.0.0');
    other.close();
  });

  it('and is free for it when the disk becomes full', (context) => {
    const { path, fill } = homeOn(context);
    const file = claimed(path);
    file.state.report(LIDAR, '1.0.0', 1);
    keepReserve(file);
    fill();
    const long = `1.1.0-${'x'.repeat(20_000)}`;
    file.state.report(LIDAR, long, 2);
    expect(running(file.state)).toBe(`${long} after 1.0.0`);
    expect(existsSync(`${path}-reserve`)).toBe(false);
  });
});

describe('[T344] with no byte free and no reserve', () => {
  it('a poller reads what it has recorded, alone, and writes once there is space', (context) => {
    const { path, makeSpace } = fullHome(context, { isReserved: false });
    const file = claimed(path);
    const { state } = file;
    expect(running(state)).toBe('1.0.0 after nothing');
    expect(caught(() => state.report(LIDAR, '1.1.0', 2))).toEqual([
      'unwritable',
      `"${path}": ${FULL}`,
    ]);
    const read = (): string => {
      const other = openMachineFile(path, { mode: 'read', busyTimeoutMs: 0 });
      try {
        return running(machineStateIn(other));
      } finally {
        other.close();
      }
    };
    expect(caught(read)).toEqual([
      'locked',
      `"${path}": its disk is full, so the process that uses it, such as the agent, has it for itself; nothing is lost: free some space`,
    ]);
    keepReserve(file);
    expect(caught(read)).toMatchObject({ 0: 'locked' });
    makeSpace();
    keepReserve(file);
    state.report(LIDAR, '1.1.0', 2);
    expect(read()).toBe('1.1.0 after 1.0.0');
  });

  it('a command reads it', (context) => {
    const { path } = fullHome(context, { isReserved: false });
    const file = openMachineFile(path, { mode: 'read' });
    expect(running(machineStateIn(file))).toBe('1.0.0 after nothing');
    file.close();
  });
});
