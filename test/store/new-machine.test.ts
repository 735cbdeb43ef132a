import { rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openForPoller, type ClaimedFile } from '../../src/store/index.ts';
import { moduleId } from '../support/ask.ts';
import { LIDAR } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

function isNew(path: string): boolean {
  const file = openForPoller(path);
  file.close();
  return file.isNew;
}

const MODULE = { moduleId: moduleId('acme:lidar'), version: '1.0.0', digest: undefined };

it.each<[boolean, string, (state: ClaimedFile['state']) => void]>([
  [true, 'its file was opened before', () => undefined],
  [
    true,
    'its poller ended before its first round',
    (state) => {
      state.start(1);
      state.end(1);
    },
  ],
  [
    true,
    'an operator has put a release into quarantine',
    (state) => void state.quarantine({ ...MODULE, reason: 'by hand', since: 1, until: undefined }),
  ],
  [false, 'its poller was killed', (state) => state.start(1)],
  [false, 'its poller has planned', (state) => state.log([], { at: 1, trouble: undefined })],
  [false, 'it is recorded that nothing is deployed', (state) => state.report(LIDAR, null, 1)],
])('[D73] it is %s that a machine is new if %s', (expected, _, change) => {
  const path = `${temporaryFolder()}/machine.db`;
  expect(isNew(path)).toBe(true);
  const file = openForPoller(path);
  change(file.state);
  file.close();
  expect(isNew(path)).toBe(expected);
});

it('[D73] a machine whose file was set aside is not new, also at later starts, until that file is removed', () => {
  const path = `${temporaryFolder()}/machine.db`;
  writeFileSync(path, 'not a database');
  expect([isNew(path), isNew(path)]).toEqual([false, false]);
  rmSync(`${path}.set-aside-1`);
  expect(isNew(path)).toBe(true);
});

it('[D73] a machine whose file lost what was deployed is not new', () => {
  const path = `${temporaryFolder()}/machine.db`;
  const file = openForPoller(path);
  file.state.report(LIDAR, '1.0.0', 1);
  file.close();
  const database = new DatabaseSync(path);
  // A connection that is not modreg's leaves the checksum as it was.
  database.exec("UPDATE deployed SET text = '1.0.1'");
  database.close();
  expect([isNew(path), isNew(path)]).toEqual([false, false]);
});
