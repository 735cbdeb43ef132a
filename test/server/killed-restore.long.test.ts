import { expect, it } from 'vitest';
import { backUp } from '../../src/server/backup/backup.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { Catalogue } from '../../src/server/index.ts';
import { canTrace, runRecorded } from '../faults/run-traced.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { needs } from '../support/prerequisite.ts';

const ABOUT = { machine: 'rover-7', at: 0, author: 'a', reason: 'b' };

/** Gives the next command to rover-7, saves its next revision, and sets its operator. */
function used({ configs, accounts }: Catalogue): void {
  const { at, ...about } = ABOUT;
  const count = configs.commands.all('rover-7').length;
  const command = { kind: 'hold', module: undefined, term: '1h', version: undefined } as const;
  const expiresAt = 3_600_000;
  configs.commands.give({ ...about, ...command, key: String(count), at, expiresAt });
  const basedOn = configs.newest('rover-7')?.revision ?? 0;
  const config = `{"modules":[],"note":${basedOn}}`;
  configs.save({ ...about, at, basedOn, config, policy: undefined });
  accounts.set({ name: 'ada', role: 'operator', password: 'scrypt:16:1:1:b2xk:b2xk' }, 0);
}

/** What a registry has of what a restore changes. */
function found(path: string): object {
  const catalogue = new Catalogue(path, { mode: 'write' });
  const { configs, accounts } = catalogue;
  const outcomes = configs.commands.all('rover-7').map(({ outcome }) => outcome?.result ?? 'waits');
  const [ada] = accounts.all();
  used(catalogue);
  const [next] = configs.commands.all('rover-7');
  const revision = configs.newest('rover-7')?.revision;
  catalogue.close();
  return { outcomes, isConfirmed: ada?.isConfirmed, number: next?.number, revision };
}

const EARLIER = { outcomes: ['waits', 'waits'], isConfirmed: true, number: 3, revision: 3 };
const RESTORED = { outcomes: ['dropped'], isConfirmed: false, number: 1002, revision: 1002 };

/** The calls of the system at which a restore is killed, in the order in which they are made, and what is in place then. */
const KILLS = [
  // The earlier registry is opened alone.
  ['pwrite64 1', EARLIER],
  ['fsync 1', EARLIER],
  ['fsync 4', EARLIER],
  // The copy is written, and its numbers are raised.
  ['fsync 5', EARLIER],
  ['rename 1', EARLIER],
  ['fsync 9', EARLIER],
  ['fsync 13', EARLIER],
  ['fsync 15', EARLIER],
  ['fsync 20', EARLIER],
  // It takes the place of the earlier one.
  ['link 1', EARLIER],
  ['fsync 21', EARLIER],
  ['rename 2', EARLIER],
  ['fsync 22', RESTORED],
] as const;

it.for(KILLS)(
  '[T76] [T703] [T776] a restore that is killed at %s leaves the commands, the revisions and the accounts of before, or those of a restore',
  async ([call, expected], context) => {
    needs(context, canTrace(), 'strace is not installed, or may not be used here');
    const home = temporaryFolder();
    const [path, folder] = [`${home}/registry.db`, `${home}/backup`];
    const catalogue = new Catalogue(path, { mode: 'create' });
    used(catalogue);
    await backUp(path, folder, 0);
    used(catalogue);
    catalogue.close();
    const [name = '', count = ''] = call.split(' ');
    const inject = ['-e', `inject=${name}:signal=KILL:when=${count}`, '-e', `trace=${name}`];
    const program = [process.execPath, `${ROOT}test/server/support/restore-once.ts`, folder, path];
    const { signal } = await runRecorded(['-f', '-qq', '-o', '/dev/null', ...inject], program);
    expect(signal).toBe('SIGKILL');
    expect(found(path)).toEqual(expected);
    expect(restore(folder, path, { replaces: true, now: 2 }).kind).toBe('done');
  },
);
