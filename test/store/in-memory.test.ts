import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { openForPoller, openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { commitOne, LIDAR, running } from '../support/claimed.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';

const LIDAR_ID = moduleId('acme:lidar');

/** In an empty working folder, because a file of that name must not be created. */
function inEmptyFolder(): void {
  const before = process.cwd();
  process.chdir(temporaryFolder());
  onTestFinished(() => {
    expect(existsSync(':memory:') || existsSync(':memory:-poller')).toBe(false);
    process.chdir(before);
  });
}

it('openForPoller(":memory:") is a new machine in memory, as often as it is called', () => {
  inEmptyFolder();
  const [one, other] = [openForPoller(':memory:'), openForPoller(':memory:')];
  one.state.report(LIDAR, '1.0.0', 1);
  commitOne(one.state);
  expect([running(one.state), one.state.memory().open.length]).toEqual(['1.0.0 after nothing', 1]);
  expect([running(other.state), other.setAside]).toEqual(['unknown after nothing', undefined]);
  one.close();
  one.close();
  expect(() => one.state.memory()).toThrow('":memory:": it was closed');
  other.close();
});

it('openMachineFile(":memory:") keeps lists until it is closed', () => {
  inEmptyFolder();
  const file = openMachineFile(':memory:', { mode: 'write' });
  expect(savedListsIn(file).read('https://registry.example', LIDAR_ID)).toBeUndefined();
  file.close();
  expect(() => savedListsIn(file).read('x', LIDAR_ID)).toThrow('":memory:": it was closed');
});
