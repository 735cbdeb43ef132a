import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keepState, noneServed } from '../../src/host/served/served-state.ts';
import type { Catalogue } from '../../src/server/index.ts';
import { canTrace, runRecorded } from '../faults/run-traced.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { ROOT } from '../support/modreg.ts';
import { needs } from '../support/prerequisite.ts';
import { tokenFor } from '../support/token.ts';

const DONE = 'done: acme:lidar is held';
const LOST =
  'lost: the agent ended while it carried this out: modreg status on the machine says whether it did';

/** The calls of the system on the state of a machine at which it is killed, in the order in which they are made; how often it does then what the command says, and what the registry has of it. */
const KILLS = [
  // It takes the command.
  ['write 1', 1, DONE],
  ['fsync 1', 1, DONE],
  ['rename 1', 1, DONE],
  ['fsync 2', 0, LOST],
  // It has carried it out, and keeps the outcome.
  ['write 2', 1, LOST],
  ['fsync 3', 1, LOST],
  ['rename 2', 1, LOST],
  ['fsync 4', 1, DONE],
  // The registry has the outcome.
  ['write 3', 1, DONE],
  ['rename 3', 1, DONE],
] as const;

function given({ configs }: Catalogue): void {
  const at = Date.now();
  configs.commands.give({
    machine: 'rover-7',
    key: 'a',
    kind: 'hold',
    module: 'acme:lidar',
    term: '1h',
    version: undefined,
    reason: 'a test',
    author: 'token t1 (ops)',
    at,
    expiresAt: at + 3_600_000,
  });
}

function outcomes({ configs }: Catalogue): string[] {
  const all = configs.commands.all('rover-7');
  return all.map(({ outcome }) => `${outcome?.result}: ${outcome?.detail}`);
}

it.for(KILLS)(
  '[D297] [T704] a machine that is killed at %s while it is given a command does it %i times, and says %s',
  async ([call, times, outcome], context) => {
    needs(context, canTrace(), 'strace is not installed, or may not be used here');
    const { address, catalogue } = await loopbackRegistry();
    const home = temporaryFolder({ carried: '' });
    const none = noneServed(address, 'rover-7');
    keepState(home, { ...none, commands: { taken: 0, outcomes: [] } });
    given(catalogue);
    const token = tokenFor(catalogue, ['machine:rover-7'], 'rover-7');
    const once = `${ROOT}test/host/support/command-once.ts`;
    const program = [process.execPath, once, home, address, token];
    const [name = '', count = ''] = call.split(' ');
    const paths = [home, `${home}/machine.db.served`, `${home}/machine.db.served.new`];
    const on = paths.flatMap((path) => ['-P', path]);
    const inject = ['-e', `inject=${name}:signal=KILL:when=${count}`, '-e', `trace=${name}`];
    const strace = ['-f', '-qq', '-o', '/dev/null'];
    const killed = await runRecorded([...strace, ...on, ...inject], program);
    expect(killed.signal).toBe('SIGKILL');
    for (let start = 0; start < 2; start++)
      expect(await runRecorded([...strace, '-e', 'trace=none'], program)).toMatchObject({
        exit: 0,
      });
    expect(readFileSync(`${home}/carried`, 'utf8')).toBe('1\n'.repeat(times));
    expect(outcomes(catalogue)).toEqual([outcome]);
  },
);
