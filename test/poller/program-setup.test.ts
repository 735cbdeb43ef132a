import { describe, expect, it } from 'vitest';
import type { ProgramSetup } from '../../src/poller/poller-options.ts';
import { day, MINUTE, type Day } from '../support/day.ts';
import { moduleId } from '../support/ask.ts';
import { entry } from '../support/planned.ts';

const LIDAR = moduleId('acme:lidar');

/** A machine that installs 1.0.0 of the lidar, whose program has what `setup` returns. */
async function machineWith(setup: () => ProgramSetup | undefined): Promise<Day> {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    deployed: { acme_lidar: null },
    releases: { 'acme:lidar': [{ version: '1.0.0' }] },
    programSetup: ({ kind }) => (kind === 'module' ? setup() : undefined),
  });
  await machine.pass(MINUTE);
  return machine;
}

/** The release fails, and ten minutes pass. Returns why it is delivered again; undefined if it is not. */
async function failed(machine: Day): Promise<string | undefined> {
  const delivery = machine.deliveries.shift();
  await delivery?.failed({ reason: 'no port', running: null, blame: 'release' });
  await machine.pass(10 * MINUTE);
  return machine.deliveries[0]?.action.reason.text;
}

const AGAIN = (retry: number): string =>
  `not deployed yet; newest release of 1; the entry was edited since 1.0.0 failed; one more try, ${retry} of 3`;

describe('[D82] what reaches a program', () => {
  it.each<[string, ProgramSetup | undefined, ProgramSetup | undefined, string | undefined]>([
    ['is not known: it is not tried again', undefined, undefined, undefined],
    ['stays: it is not tried again', { now: 'a' }, { now: 'a' }, undefined],
    ['is edited later', { now: 'a' }, { now: 'b' }, AGAIN(1)],
    ['was edited while it ran', { now: 'b', started: 'a' }, { now: 'b' }, AGAIN(1)],
    ['was edited before it was started', { now: 'b', started: 'b' }, { now: 'b' }, undefined],
  ])('%s', async (_, failing, later, expected) => {
    let setup = failing;
    const machine = await machineWith(() => setup);
    const delivery = machine.deliveries.shift();
    await delivery?.failed({ reason: 'no port', running: null, blame: 'release' });
    setup = later;
    await machine.pass(10 * MINUTE);
    expect(machine.deliveries[0]?.action.reason.text).toBe(expected);
  });

  it('counts for a failure that is reported at any time', async () => {
    let setup: ProgramSetup = { now: 'a' };
    const machine = await machineWith(() => setup);
    await machine.deliveries.shift()?.done();
    const failure = { version: '1.0.0', reason: 'no port', running: null };
    const target = { kind: 'module', name: 'acme_lidar', moduleId: LIDAR } as const;
    await machine.poller.reportFailure(target, failure);
    setup = { now: 'b' };
    await machine.pass(10 * MINUTE);
    expect(machine.deliveries[0]?.action.reason.text).toBe(AGAIN(1));
    setup = { now: 'b', started: 'b' };
    expect(await failed(machine)).toBeUndefined();
    setup = { now: 'c' };
    machine.poller.look();
    await machine.pass(10 * MINUTE);
    expect(machine.deliveries[0]?.action.reason.text).toBe(AGAIN(2));
  });
});
