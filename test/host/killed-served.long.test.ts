import { expect, it } from 'vitest';
import { verdictOn } from '../../src/config/served/verdict.ts';
import { accepted, keepState, keptState, noneServed } from '../../src/host/served/served-state.ts';
import { canTrace, runRecorded } from '../faults/run-traced.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { needs } from '../support/prerequisite.ts';

const SERVED = { machine: 'rover-7', revision: 5, config: '{}', policy: undefined, signatures: {} };
const TAKEN = { by: 'operators', least: {} } as const;
const STATE = accepted(noneServed('https://site.example', 'rover-7'), SERVED, TAKEN, 0);

/** The calls of the system on the kept documents at which a machine is killed, in the order in which they are made, and what it runs then. */
const KILLS = [
  ['openat 1', 5],
  ['openat 2', 5],
  ['write 1', 5],
  ['fsync 1', 5],
  ['rename 1', 5],
  ['fsync 2', 6],
] as const;

it.for(KILLS)(
  '[T735] killed at %s while it keeps revision 6, a machine runs revision %i, whole, and no lower one',
  async ([call, revision], context) => {
    needs(context, canTrace(), 'strace is not installed, or may not be used here');
    const home = temporaryFolder();
    keepState(home, STATE);
    const [name = '', count = ''] = call.split(' ');
    const paths = [home, `${home}/machine.db.served`, `${home}/machine.db.served.new`];
    const on = paths.flatMap((path) => ['-P', path]);
    const inject = ['-e', `inject=${name}:signal=KILL:when=${count}`, '-e', `trace=${name}`];
    const program = [process.execPath, `${ROOT}test/host/support/keep-once.ts`, home];
    const { signal } = await runRecorded(
      ['-f', '-qq', '-o', '/dev/null', ...on, ...inject],
      program,
    );
    expect(signal).toBe('SIGKILL');
    const kept = keptState(home);
    expect([kept?.current?.revision, kept?.highest]).toEqual([revision, revision]);
    const next = accepted(STATE, kept?.current ?? SERVED, TAKEN, 0);
    expect(kept).toEqual(revision === 5 ? STATE : next);
    const lower = verdictOn(
      { ...SERVED, revision: 4 },
      {
        machine: 'rover-7',
        local: { config: {}, policy: { trust: 'unsigned' } },
        inForce: kept?.current,
        highest: kept?.highest ?? 0,
        unreached: 0,
        isUnproven: false,
        least: {},
        trust: { ok: false, error: 'there is none' },
        deployed: () => undefined,
        now: 0,
      },
    );
    expect(lower).toMatchObject({ ok: false, error: { code: 'older-revision' } });
  },
);
