import { expect, it } from 'vitest';
import { stateOf } from '../../src/server/configs/fragment-table.ts';
import { Catalogue } from '../../src/server/index.ts';
import { canTrace, runRecorded } from '../faults/run-traced.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { needs } from '../support/prerequisite.ts';

const MACHINES = ['rover-1', 'rover-2', 'rover-3'];
const ABOUT = { at: 0, author: 'a', reason: 'b' };

/** A catalogue in which three machines use a fragment. */
function usedFragment(path: string): void {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const { configs } = catalogue;
  const none = { users: stateOf([]), documents: [] };
  const next = { name: 'base', revision: 1, content: '{}', ...ABOUT };
  catalogue.apply({ kind: 'fragment', next, ...none });
  const source = { config: '{}', policy: undefined, fragments: ['base'] };
  for (const machine of MACHINES) {
    configs.save({ machine, basedOn: 0, config: '{}', policy: undefined, source, ...ABOUT });
  }
  catalogue.close();
}

/** Calls of the system on the catalogue, in the order in which they are made: all of its log, and the copying from there. */
const KILLS = [
  'pwrite64 1',
  'fsync 1',
  'pwrite64 2',
  'pwrite64 8',
  'pwrite64 13',
  'fsync 2',
  'fsync 3',
  'pwrite64 14',
  'ftruncate 1',
  'fsync 4',
  'unlink 1',
];

it.for(KILLS)(
  '[T735] a registry that is killed at %s while it saves a fragment has it and the documents of all machines, or none of both',
  async (call, context) => {
    needs(context, canTrace(), 'strace is not installed, or may not be used here');
    const path = `${temporaryFolder()}/registry.db`;
    usedFragment(path);
    const [name = '', count = ''] = call.split(' ');
    const on = [path, `${path}-wal`].flatMap((file) => ['-P', file]);
    const inject = ['-e', `inject=${name}:signal=KILL:when=${count}`, '-e', `trace=${name}`];
    const program = [process.execPath, `${ROOT}test/server/support/save-fragment-once.ts`, path];
    const { signal } = await runRecorded(
      ['-f', '-qq', '-o', '/dev/null', ...on, ...inject],
      program,
    );
    expect(signal).toBe('SIGKILL');
    const catalogue = new Catalogue(path, { mode: 'write' });
    const { configs } = catalogue;
    const revision = configs.fragments.newest('base')?.revision;
    expect([1, 2]).toContain(revision);
    const served = MACHINES.map((machine) => configs.newest(machine)?.revision);
    expect(served).toEqual(MACHINES.map(() => revision));
    catalogue.close();
  },
);
