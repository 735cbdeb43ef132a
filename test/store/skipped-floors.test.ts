import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { ARM, claimed, LIDAR, startedWithout } from '../support/claimed.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';

/** Another module under the name of the entry. */
const OTHER = { kind: 'module', name: 'lidar', moduleId: moduleId('acme:other') } as const;
const SKIP = { version: '1.2.0', by: 'ann', because: 'by hand', at: 5 };

describe('[D92] the floors that operators skipped', () => {
  it('are kept as they were skipped, for their entry and its module', () => {
    const first = claimed();
    first.state.skipFloor(LIDAR, SKIP);
    first.state.skipFloor(LIDAR, { ...SKIP, version: '1.3.0', because: undefined });
    first.close();
    const { state } = claimed(first.path);
    const memory = state.memory();
    expect(memory.of(LIDAR).skippedFloors).toEqual([
      SKIP,
      { ...SKIP, version: '1.3.0', because: undefined },
    ]);
    expect(memory.of(ARM).skippedFloors).toBeUndefined();
    expect(memory.of(OTHER).skippedFloors).toBeUndefined();
  });

  it('are one for each version: a later one takes its place', () => {
    const { state } = claimed();
    state.skipFloor(LIDAR, SKIP);
    state.skipFloor(LIDAR, { ...SKIP, because: 'fair', at: 7 });
    expect(state.memory().of(LIDAR).skippedFloors).toEqual([{ ...SKIP, because: 'fair', at: 7 }]);
  });

  it('count again once that is said', () => {
    const { state } = claimed();
    state.skipFloor(LIDAR, SKIP);
    expect([
      state.unskipFloor(LIDAR, '1.2.1'),
      state.unskipFloor(ARM, '1.2.0'),
      state.unskipFloor(LIDAR, '1.2.0'),
    ]).toEqual([false, false, true]);
    expect(state.memory().of(LIDAR).skippedFloors).toBeUndefined();
  });

  it('are at most 200, those that were skipped last', () => {
    const { state } = claimed();
    for (let at = 0; at <= 200; at++) state.skipFloor(ARM, { ...SKIP, version: `1.${at}.0`, at });
    const kept = state.memory().of(ARM).skippedFloors ?? [];
    expect([kept.length, kept[0]?.version, kept.at(-1)?.version]).toEqual([
      200,
      '1.1.0',
      '1.200.0',
    ]);
  });
});

it.each(["version = '1.2.1'", "name = 'arm'", 'at = 6', "skipped_by = 'bob'"])(
  '[T393] with %s, a damaged record counts no more, and the log says so',
  (change) => {
    const first = claimed();
    first.state.skipFloor(LIDAR, SKIP);
    first.close();
    const database = new DatabaseSync(first.path);
    // A connection that is not modreg's leaves the checksum as it was.
    database.exec(`UPDATE skipped_floors SET ${change}`);
    database.close();
    const { lostRows, state } = claimed(first.path);
    expect(lostRows).toEqual([
      expect.stringMatching(
        /^a damaged row: that an operator skipped floor 1\.2\.\d of module (?:lidar|arm); it counts again until it is skipped again$/,
      ),
    ]);
    expect(state.memory().skippedFloors).toEqual([]);
  },
);

it('[D92] a modreg without floors uses a file that has some, and keeps them', () => {
  const path = `${temporaryFolder()}/machine.db`;
  const first = claimed(path);
  first.state.skipFloor(LIDAR, SKIP);
  first.close();
  startedWithout('skipped_floors', path);
  const { setAside, state } = claimed(path);
  expect([setAside, state.memory().starts]).toEqual([undefined, [7]]);
  expect(state.memory().of(LIDAR).skippedFloors).toEqual([SKIP]);
});
