import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { holdExclusively } from '../../src/sqlite/exclusive-lock.ts';
import { site } from '../support/backups.ts';
import { registry } from './support/registry-command.ts';

it('[T105] a restore does not begin while another process restores the registry', async () => {
  const { path, folder, home } = site();
  await registry(path, 'backup', folder);
  const target = `${home}/new.db`;
  const release = holdExclusively(`${target}-restore.lock`, 0);
  const refused = await registry(target, 'restore', folder);
  expect(refused).toEqual({
    stdout: '',
    stderr: `error[LOCKED]: "${target}": another process restores it; nothing was changed\n`,
    exit: 70,
  });
  expect(existsSync(target)).toBe(false);
  release();
  expect((await registry(target, 'restore', folder)).exit).toBe(0);
});
