import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';

it('[T94] a state file is created with the mode 0600, and never has another one', () => {
  const script = join(ROOT, 'test/store/support/print-created-modes.ts');
  const { stdout, stderr } = spawnSync(process.execPath, [script, temporaryFolder()], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n')).toEqual([
    '600 earlier.db',
    '600 earlier.db-poller',
    '600 earlier.db-shm',
    '600 earlier.db-wal',
    '600 earlier.db.schema-2',
    '600 machine.db',
    '600 machine.db-poller',
    '600 machine.db-shm',
    '600 machine.db-wal',
    '600 registry.db',
    '600 registry.db-shm',
    '600 registry.db-wal',
  ]);
});
