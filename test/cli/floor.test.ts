import { describe, expect, it } from 'vitest';
import { day, HOUR, MINUTE, SECOND, type Day } from '../support/day.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ask } from '../support/history.ts';
import { entry } from '../support/planned.ts';

const STUCK =
  'floor 1.1.0 has to run before any higher release, and is refused: quarantined on this machine (burns)';

/** A machine with 1.0.0, on which the floor 1.1.0 has failed, so that it cannot get 1.2.0. */
async function stuckMachine(): Promise<Day> {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    policy: { restart_cooldown: '0s' },
    deployed: { acme_lidar: '1.0.0' },
    intervalMs: 10 * MINUTE,
    releases: {
      'acme:lidar': [
        { version: '1.0.0', floor: true },
        { version: '1.1.0', floor: true },
        { version: '1.2.0' },
      ],
    },
  });
  await machine.pass(HOUR);
  await machine.deliveries.shift()?.failed({ reason: 'burns', blame: 'release', running: '1.0.0' });
  await machine.pass(HOUR);
  return machine;
}

describe('[D92] modreg floor skip', () => {
  it.each(['acme:lidar', 'acme_lidar'])('passes a floor of %s that failed', async (named) => {
    const machine = await stuckMachine();
    const told = await ask(machine, 'status', '--exit-code');
    expect([told.answer.some((line) => line.includes(STUCK)), told.exit]).toEqual([true, 12]);
    const skip = ['floor', 'skip', named, '1.1.0', '--reason', 'migrated by hand'];
    expect(await ask(machine, ...skip)).toEqual({
      answer: [
        'acme:lidar passes floor 1.1.0 without running it',
        '  upgrade to 1.2.0: newest release of 1; floor 1.1.0 was skipped by unknown at 2026-11-21T03:02:03Z: "migrated by hand"',
      ],
      problems: [],
      exit: 0,
    });
    machine.poller.look();
    await machine.pass(SECOND);
    expect(machine.deliveries.map(({ action }) => action.to)).toEqual(['1.2.0']);
    await machine.deliveries.shift()?.done();
    const { answer } = await ask(machine, 'why', named);
    expect(answer.slice(-2, -1).join()).toContain(
      'unknown skipped floor 1.1.0: "migrated by hand"',
    );
  });

  it('with --cancel lets the floor count again', async () => {
    const machine = await stuckMachine();
    await ask(machine, 'floor', 'skip', 'acme:lidar', '1.1.0');
    const { answer } = await ask(
      machine,
      'floor',
      'skip',
      'acme:lidar',
      '1.1.0',
      '--cancel',
      '--json',
    );
    expect(JSON.parse(answer.join(''))).toEqual({
      schema: 'modreg/floor-skip@1',
      name: 'acme_lidar',
      module_id: 'acme:lidar',
      version: '1.1.0',
      skipped: null,
      decision: 'stuck',
      target: null,
      reason: STUCK,
    });
    expect(await ask(machine, 'floor', 'skip', 'acme:lidar', '1.1.0', '--cancel')).toEqual({
      answer: [],
      problems: ['floor 1.1.0 of acme:lidar is not skipped; nothing was changed'],
      exit: 1,
    });
  });

  it('--json has who skipped it and why', async () => {
    const machine = await stuckMachine();
    const { answer } = await ask(machine, 'floor', 'skip', 'acme_lidar', '1.1.0', '--json');
    expect(JSON.parse(answer.join(''))).toMatchObject({
      skipped: { by: 'unknown', reason: null, at: '2026-11-21T03:02:03Z' },
      decision: 'upgrade',
      target: '1.2.0',
    });
  });
});

describe('[T394] modreg floor skip changes nothing', () => {
  it.each([
    [
      ['acme:lidar', '1.2.0'],
      '1.2.0 is no floor that acme:lidar has to pass; nothing was changed',
      2,
    ],
    [
      ['acme:lidar', '1.0.0'],
      '1.0.0 is no floor that acme:lidar has to pass; nothing was changed',
      2,
    ],
    [
      ['acme:arm', '1.1.0'],
      '"acme:arm" names no module or subsystem that this machine decides on',
      1,
    ],
    [['acme:lidar', '1.1'], '"1.1" is not a version', 2],
    [
      ['acme:lidar', '1.1.0', '--reason', ' '],
      'the reason is empty, expected text; nothing was changed',
      2,
    ],
    [
      ['acme:lidar', '1.1.0', '--reason', 'x', '--cancel'],
      'found --cancel and --reason, expected one of them; nothing was changed',
      2,
    ],
  ])('with %j', async (args, problem, exit) => {
    const machine = await stuckMachine();
    expect(await ask(machine, 'floor', 'skip', ...args)).toEqual({
      answer: [],
      problems: [problem],
      exit,
    });
    expect(machine.state.memory().skippedFloors).toEqual([]);
  });

  it('without a machine.db', async () => {
    const { answer, exit } = await ask(temporaryFolder(), 'floor', 'skip', 'acme:lidar', '1.1.0');
    expect([answer, exit]).toEqual([[], 70]);
  });
});
