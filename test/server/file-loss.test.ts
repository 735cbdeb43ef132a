import { renameSync, rmSync, truncateSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchForLoss } from '../../src/server/catalogue/file-loss.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

it.each<[string, (path: string) => void, string]>([
  ['removed', (path) => rmSync(path), 'missing'],
  ['replaced', (path) => renameSync(`${path}-wal`, path), 'missing'],
  ['truncated', (path) => truncateSync(path), 'damaged'],
])('the loss of a file that was %s is found within 250 ms', async (_, lose, kind) => {
  const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  const { lost, stop } = watchForLoss(catalogue);
  const now = async (): Promise<unknown> =>
    await Promise.race([lost, new Promise((resolve) => setImmediate(resolve, 'nothing'))]);
  vi.advanceTimersByTime(1000);
  lose(catalogue.path);
  vi.advanceTimersByTime(249);
  expect(await now()).toBe('nothing');
  vi.advanceTimersByTime(1);
  expect(await now()).toMatchObject({ kind });
  stop();
  expect(vi.getTimerCount()).toBe(0);
  catalogue.close();
});
