import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { newFile, registry } from './support/registry-command.ts';

// A command that writes waits for five seconds, inside SQLite.
it('the registry file is reported as locked if another process keeps it locked', async () => {
  const db = newFile();
  await registry(db, 'publish', 'acme:lidar', '1.0.0');
  const holder = new DatabaseSync(db);
  holder.exec('BEGIN IMMEDIATE');
  expect(await registry(db, 'publish', 'acme:lidar', '1.0.1')).toEqual({
    stdout: '',
    stderr: `error[LOCKED]: "${db}": database is locked\n`,
    exit: 70,
  });
  expect((await inProcess(['resolve', 'acme:lidar', 'latest', '--registry', db])).stdout).toBe(
    '1.0.0\n',
  );
  holder.exec('ROLLBACK');
  holder.close();
});
