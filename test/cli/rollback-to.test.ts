import { describe, expect, it } from 'vitest';
import { day, HOUR, MINUTE, SECOND, type Day } from '../support/day.ts';
import { moduleNamed } from '../support/claimed.ts';
import { printed, type Printed } from '../support/command.ts';
import { ask } from '../support/history.ts';
import { homeAfter, logged, rememberedIn } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';

/** A machine on which 1.3.0 is deployed after `previous`; 0.9.0, 1.2.7, 1.2.9 and 1.2.8, which is yanked, are published. */
async function upgraded(previous = '1.2.9'): Promise<Day> {
  const releases = ['0.9.0', '1.2.7', '1.2.8', '1.2.9', '1.3.0'].map((version) => ({ version }));
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    deployed: { acme_lidar: previous },
    releases: { 'acme:lidar': releases },
  });
  machine.registry.yank('acme:lidar', '1.2.8', 'drifts');
  await machine.pass(HOUR);
  await machine.deliveries.shift()?.done();
  await machine.pass(10 * MINUTE);
  return machine;
}

async function told({ home, clock }: Day, version: string): Promise<Printed> {
  const environment = { PLATFORM_HOME: home };
  const args = ['rollback', 'acme:lidar', '--to', version];
  return await printed(args, { environment, clock: () => clock.now() });
}

describe('[D390] modreg rollback --to', () => {
  it('rolls back further than to the previous version, and refuses all above', async () => {
    const machine = await upgraded();
    const { answer } = await ask(machine, 'rollback', 'acme:lidar', '--to', '1.2.7');
    expect(answer).toEqual([
      'acme:lidar rolls back from 1.3.0 to 1.2.7 within a second',
      '  because  1.3.0 was rolled back on this machine; 1.2.7 instead: newest release of 1 that may be selected; 1.2.9 is refused by a rollback on this machine, 1.2.8 is yanked: drifts',
      '  then     up to date: stays at 1.2.7: 1.3.0 and 1.2.9 are refused by a rollback on this machine, 1.2.8 is yanked: drifts',
    ]);
    machine.story();
    machine.poller.look();
    await machine.pass(SECOND);
    await machine.deliveries.shift()?.done();
    await machine.pass(HOUR);
    expect(machine.story()).toEqual([
      '02:12:03 committed rollback acme_lidar 1.3.0 → 1.2.7',
      '02:12:03 delivered rollback acme_lidar 1.3.0 → 1.2.7',
      '02:12:04 acknowledged done',
    ]);
  });

  it('[D377] takes the place of an earlier rollback, and says when that would have ended', async () => {
    const machine = await upgraded();
    const rolledBack = async (...args: string[]): Promise<readonly string[]> =>
      (await ask(machine, 'rollback', 'acme:lidar', '--to', ...args)).answer;
    const head = async (...args: string[]): Promise<string | undefined> =>
      (await rolledBack(...args))[0];
    await rolledBack('1.2.7');
    expect((await rolledBack('1.2.9', '--for', '1h')).slice(0, 2)).toEqual([
      'acme:lidar rolls back from 1.3.0 to 1.2.9 within a second, until 2026-11-21T03:12:03Z (in 1 h), in place of the rollback to 1.2.7 that lasts until an operator lifts it',
      '  because  1.3.0 was rolled back on this machine; 1.2.9 was deployed before it',
    ]);
    expect(await head('1.2.9')).toBe(
      'acme:lidar rolls back from 1.3.0 to 1.2.9 within a second, until an operator lifts it, in place of the rollback to 1.2.9 that lasts until 2026-11-21T03:12:03Z (in 1 h)',
    );
    expect(await head('1.2.9')).toBe('acme:lidar rolls back from 1.3.0 to 1.2.9 within a second');
    const [json] = await rolledBack('1.2.7', '--json');
    expect(JSON.parse(json ?? '')).toMatchObject({ replaces: { to: '1.2.9', until: null } });
  });

  it('[D377] replaces neither a rollback that is over nor the quarantine of a failure', async () => {
    const machine = await upgraded();
    const head = async (): Promise<string | undefined> =>
      (await ask(machine, 'rollback', 'acme:lidar', '--to', '1.2.9')).answer[0];
    await ask(machine, 'rollback', 'acme:lidar', '--to', '1.2.7', '--for', '1s');
    machine.clock.set(machine.clock.now() + SECOND);
    expect(await head()).toBe('acme:lidar rolls back from 1.3.0 to 1.2.9 within a second');
    await ask(machine, 'quarantine', 'lift', 'acme:lidar', '1.3.0');
    await ask(machine, 'quarantine', 'add', 'acme:lidar', '1.3.0', '--for', '1h');
    expect(await head()).toBe('acme:lidar rolls back from 1.3.0 to 1.2.9 within a second');
  });

  const FOUND = 'acme:lidar cannot be rolled back from 1.3.0 to';
  const PIN = 'hint: pin the version that should run';
  const LOWER = 'hint: name a lower version, or pin this one';

  it.each<[string, string, readonly string[]]>([
    [
      'is not published',
      '1.2.6',
      [
        `error[NO_MATCH]: ${FOUND} 1.2.6; nothing was changed`,
        '  because 1.2.6 is not in its release list',
        PIN,
      ],
    ],
    [
      'is refused',
      '1.2.8',
      [
        `error[NO_MATCH]: ${FOUND} 1.2.8; nothing was changed`,
        '  because 1.2.8: yanked: drifts',
        PIN,
      ],
    ],
    [
      'is outside the constraint',
      '0.9.0',
      [
        `error[NO_MATCH]: ${FOUND} 0.9.0; nothing was changed`,
        '  because 0.9.0: major 0 is not 1',
        PIN,
      ],
    ],
    [
      'is deployed',
      '1.3.0',
      [
        'error[USAGE]: --to: 1.3.0 is not lower than 1.3.0, which is deployed as acme:lidar; nothing was changed',
        LOWER,
      ],
    ],
    [
      'is higher',
      '2.0.0',
      [
        'error[USAGE]: --to: 2.0.0 is not lower than 1.3.0, which is deployed as acme:lidar; nothing was changed',
        LOWER,
      ],
    ],
    ['is no version', 'newest', ['error[USAGE]: --to: "newest" is not a version']],
  ])('changes nothing if the version %s', async (_, version, stderr) => {
    const machine = await upgraded();
    expect(await told(machine, version)).toMatchObject({
      stdout: [],
      stderr,
      exit: stderr[0]?.startsWith('error[USAGE]') ? 2 : 1,
    });
    expect(machine.state.memory().quarantine).toEqual([]);
  });

  it('changes nothing if the planner prefers what was deployed before', async () => {
    const { stderr } = await told(await upgraded('1.2.7'), '1.2.9');
    expect(stderr).toEqual([
      `error[NO_MATCH]: ${FOUND} 1.2.9; nothing was changed`,
      '  because 1.3.0 was rolled back on this machine; 1.2.7 was deployed before it; 1.2.8 is yanked: drifts',
      PIN,
    ]);
  });

  it('names only the previous version if no list is saved', async () => {
    const home = homeAfter((state) => {
      const lidar = moduleNamed('acme_lidar', 'acme:lidar');
      for (const version of ['1.0.0', '1.1.0']) state.report(lidar, version, 1);
      state.log([logged('acme_lidar')], { at: 1, trouble: undefined });
    });
    const { problems } = await ask(home, 'rollback', 'acme:lidar', '--to', '0.9.0');
    expect(problems).toEqual([
      'acme:lidar cannot be rolled back from 1.1.0 to 0.9.0; nothing was changed',
    ]);
    await ask(home, 'rollback', 'acme:lidar', '--to', '1.0.0');
    expect(rememberedIn(home)).toEqual([
      '1.1.0 after 1.0.0',
      'acme:lidar 1.1.0 rolled back to 1.0.0',
    ]);
  });
});
