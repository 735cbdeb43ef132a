import { scryptSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { canTrace, runRecorded } from '../faults/run-traced.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { needs } from '../support/prerequisite.ts';

/** What is stored of the passwords `old` and `new`, with the least work. */
const OLD = stored('old');
const NEW = stored('new');

function stored(password: string): string {
  const salt = Buffer.alloc(16, 7);
  const hash = scryptSync(password, salt, 32, { N: 16, r: 1, p: 1 });
  return `scrypt:16:1:1:${salt.toString('base64url')}:${hash.toString('base64url')}`;
}

/** Calls of the system on the catalogue, in the order in which they are made: all of its log, and the copying from there; and the role of the account then. */
const KILLS = [
  ['pwrite64 1', 'admin'],
  ['fsync 1', 'admin'],
  ['pwrite64 2', 'admin'],
  ['pwrite64 3', 'admin'],
  ['pwrite64 4', 'viewer'],
  ['fsync 2', 'viewer'],
  ['fsync 3', 'viewer'],
  ['unlink 1', 'viewer'],
] as const;

it.for(KILLS)(
  '[D370] a registry that is killed at %s while an account becomes a viewer has it as %s, with the password of that role',
  async ([call, role], context) => {
    needs(context, canTrace(), 'strace is not installed, or may not be used here');
    const path = `${temporaryFolder()}/registry.db`;
    const before = new Catalogue(path, { mode: 'create' });
    before.accounts.set({ name: 'ada', role: 'admin', password: OLD }, 0);
    before.close();
    const [name = '', count = ''] = call.split(' ');
    const on = [path, `${path}-wal`].flatMap((file) => ['-P', file]);
    const inject = ['-e', `inject=${name}:signal=KILL:when=${count}`, '-e', `trace=${name}`];
    const once = `${ROOT}test/server/support/account-once.ts`;
    const program = [process.execPath, once, path, 'viewer', NEW];
    const strace = ['-f', '-qq', '-o', '/dev/null', ...on, ...inject];
    expect((await runRecorded(strace, program)).signal).toBe('SIGKILL');
    const catalogue = new Catalogue(path, { mode: 'write' });
    const { accounts } = catalogue;
    const [ada] = accounts.all();
    const opens = await Promise.all(
      ['old', 'new'].map(async (one) => await accounts.withPassword('ada', one)),
    );
    const found = [ada?.role, ...opens.map((one) => one !== undefined)];
    expect(found).toEqual([role, role === 'admin', role === 'viewer']);
    catalogue.close();
  },
);
