import { readdirSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readMachine } from '../../src/config/index.ts';
import { refreshSecrets, secretFor } from '../../src/host/served/kept-secrets.ts';
import { canTrace, runRecorded } from '../faults/run-traced.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { needs } from '../support/prerequisite.ts';
import { value } from '../support/reading.ts';
import { NAMING, placeOf, valuesOf } from './support/kept-secret.ts';

/** The calls of the system on the kept values at which a machine is killed, in the order in which they are made, and the value that its module gets then. */
const KILLS = [
  ['openat 1', 'old'],
  ['openat 2', 'old'],
  ['write 1', 'old'],
  ['fsync 1', 'old'],
  ['rename 1', 'old'],
  ['fsync 2', 'new'],
] as const;

it.for(KILLS)(
  '[D365] a machine that is killed at %s while it keeps a value of its site has the %s one, in files for its user only',
  async ([call, expected], context) => {
    needs(context, canTrace(), 'strace is not installed, or may not be used here');
    const home = temporaryFolder();
    const of = placeOf(home);
    await refreshSecrets(of, [NAMING], async () => await Promise.resolve(valuesOf('old')));
    const [name = '', count = ''] = call.split(' ');
    const paths = [home, `${home}/machine.db.secrets`, `${home}/machine.db.secrets.new`];
    const on = paths.flatMap((path) => ['-P', path]);
    const inject = ['-e', `inject=${name}:signal=KILL:when=${count}`, '-e', `trace=${name}`];
    const program = [process.execPath, `${ROOT}test/host/support/secret-once.ts`, home];
    const strace = ['-f', '-qq', '-o', '/dev/null', ...on, ...inject];
    expect((await runRecorded(strace, program)).signal).toBe('SIGKILL');
    const [module] = value(readMachine(NAMING.config)).modules;
    expect(module && secretFor(of)(module, 'KEY', 'KEY')).toBe(expected);
    const modes = readdirSync(home).map((file) => statSync(`${home}/${file}`).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    // A start after the kill keeps the value as if nothing had happened.
    await refreshSecrets(of, [NAMING], async () => await Promise.resolve(valuesOf('new')));
    expect(module && secretFor(of)(module, 'KEY', 'KEY')).toBe('new');
    expect(readdirSync(home)).toEqual(['machine.db.secrets']);
  },
);
