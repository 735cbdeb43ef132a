import { readdirSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { canTrace, runRecorded } from '../faults/run-traced.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { needs } from '../support/prerequisite.ts';

const FIRST = { MAPS: { value: 'first', places: ['/a'] } };
const SECOND = { MAPS: { value: 'second', places: ['/a'] } };

/** Calls of the system on the file of the values, on the one that takes its place, and on their folder, with what is kept. */
const KILLS = [
  ['openat 1', FIRST],
  ['openat 2', FIRST],
  ['write 1', FIRST],
  ['fsync 1', FIRST],
  ['rename 1', FIRST],
  ['openat 3', SECOND],
  ['fsync 2', SECOND],
] as const;

it.for(KILLS)(
  '[T802] a registry that is killed at %s while it sets a value of a machine has the earlier one or the new one, and sets another',
  async ([call, kept], context) => {
    needs(context, canTrace(), 'strace is not installed, or may not be used here');
    const home = temporaryFolder();
    const path = `${home}/registry.db`;
    new Catalogue(path, { mode: 'create' }).close();
    const set = (value: string): void => {
      const catalogue = new Catalogue(path, { mode: 'write' });
      catalogue.configs.secrets.set('rover-7', 'MAPS', { value, places: ['/a'] });
      catalogue.close();
    };
    set('first');
    const folder = `${home}/registry-secrets`;
    const file = `${folder}/rover-7.json`;
    const [name = '', count = ''] = call.split(' ');
    const on = [folder, file, `${file}.new`].flatMap((one) => ['-P', one]);
    const inject = ['-e', `inject=${name}:signal=KILL:when=${count}`, '-e', `trace=${name}`];
    const program = [process.execPath, `${ROOT}test/server/support/set-secret-once.ts`, path];
    const quiet = ['-f', '-qq', '-o', '/dev/null'];
    const { signal } = await runRecorded([...quiet, ...on, ...inject], program);
    expect(signal).toBe('SIGKILL');
    const catalogue = new Catalogue(path, { mode: 'read' });
    expect(catalogue.configs.secrets.of('rover-7')).toEqual(kept);
    const modes = readdirSync(folder).map((one) => statSync(`${folder}/${one}`).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    set('third');
    const { MAPS } = catalogue.configs.secrets.of('rover-7');
    expect([MAPS?.value, readdirSync(folder)]).toEqual(['third', ['rover-7.json']]);
    catalogue.close();
  },
);
