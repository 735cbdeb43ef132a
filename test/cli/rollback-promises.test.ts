import { describe, expect, it } from 'vitest';
import type { MachineState } from '../../src/store/machine-state.ts';
import { moduleNamed } from '../support/claimed.ts';
import { moduleQuestion } from '../support/decided.ts';
import { day, HOUR, MINUTE, SECOND, type Day } from '../support/day.ts';
import { ask } from '../support/history.ts';
import { homeAfter, logged, rememberedIn } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';

const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');

function homeOf(log: (state: MachineState) => void, deployed = ['1.0.0', '1.1.0']): string {
  return homeAfter((state) => {
    for (const version of deployed) state.report(LIDAR, version, 1);
    log(state);
  });
}

describe('modreg rollback promises only what a decision will do', () => {
  it.each([
    ['acme_lidar', undefined, 'disabled', 'disabled by disable_subsystem'],
    ['acme_lidar', undefined, 'local', 'local module: available only on this machine'],
    ['platform-agent', 'https://builds.example/agent', 'hold', 'cooling down after a restart'],
  ])(
    'refuses a target that no constraint decides: %s %s %s',
    async (name, constraint, decision, reason) => {
      const row = logged(name, { constraint, decision, reason });
      const home = homeOf((state) => state.log([row], { at: 1, trouble: undefined }));
      // [bug] The command announced a rollback, but such a decision ignores the quarantine.
      expect(await ask(home, 'rollback', name)).toEqual({
        answer: [],
        problems: [expect.stringMatching(`it cannot be rolled back: ${reason}$`)],
        exit: 2,
      });
      expect(rememberedIn(home)).toEqual(['1.1.0 after 1.0.0']);
    },
  );

  it('does not announce a stay at a newer previous version', async () => {
    const row = logged('acme_lidar', { constraint: '1.*' });
    const log = (state: MachineState): void => state.log([row], { at: 1, trouble: undefined });
    const home = homeOf(log, ['1.2.0', '1.1.0']);
    // [bug] The message said that the module stays at 1.2.0 until a release above 1.1.0 is published.
    expect(await ask(home, 'rollback', 'acme:lidar')).toMatchObject({ answer: [], exit: 1 });
  });
});

/** A machine on which 1.3.0 is deployed after 1.2.9, and a window holds what is newer until 02:00. */
async function upgraded(constraint: string, ...published: readonly string[]): Promise<Day> {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', constraint)] },
    policy: { maintenance: [{ start: '0 2 * * *', duration: '1h', time_zone: 'UTC' }] },
    deployed: { acme_lidar: '1.2.9' },
    intervalMs: 10 * MINUTE,
    releases: { 'acme:lidar': ['1.2.9', '1.3.0'].map((version) => ({ version })) },
  });
  await machine.pass(HOUR);
  await machine.deliveries.shift()?.done();
  await machine.pass(2 * HOUR);
  for (const version of published) machine.publish('acme:lidar', version);
  await machine.pass(11 * MINUTE);
  return machine;
}

describe('[D32] modreg rollback with the saved list', () => {
  it('says which versions stay refused, and until when', async () => {
    const machine = await upgraded('1.*', '1.2.10', '1.4.0');
    expect(await ask(machine, 'rollback', 'acme:lidar', '--for', '1h')).toEqual({
      answer: [
        'acme:lidar rolls back from 1.3.0 to 1.2.9 within a second, until 2026-11-21T05:13:03Z (in 1 h)',
        '  because  1.3.0 was rolled back on this machine; 1.2.9 was deployed before it; 1.4.0 and 1.2.10 are refused by a rollback on this machine until 2026-11-21T05:13:03Z (in 1 h)',
        '  then     up to date: stays at 1.2.9: 1.4.0, 1.3.0 and 1.2.10 are refused by a rollback on this machine until 2026-11-21T05:13:03Z (in 1 h)',
        '  next     2026-11-21T05:13:03Z (in 1 h): upgrade to 1.4.0 waits, as a quarantine ends',
      ],
      problems: [],
      exit: 0,
    });
    machine.story();
    machine.poller.look();
    await machine.pass(SECOND);
    await machine.deliveries.shift()?.done();
    await machine.pass(24 * HOUR);
    // The window opens after the rollback has ended.
    expect(machine.story()).toEqual([
      '04:13:03 committed rollback acme_lidar 1.3.0 → 1.2.9',
      '04:13:03 delivered rollback acme_lidar 1.3.0 → 1.2.9',
      '04:13:04 acknowledged done',
      '02:00:00 committed acme_lidar 1.2.9 → 1.4.0',
      '02:00:00 delivered acme_lidar 1.2.9 → 1.4.0',
      '02:30:00 overdue acme_lidar 1.2.9 → 1.4.0',
    ]);
  });

  it('refuses those versions until it is lifted, and none that is published later', async () => {
    const machine = await upgraded('1.*', '1.2.10', '1.4.0');
    await ask(machine, 'rollback', 'acme:lidar');
    machine.poller.look();
    await machine.pass(MINUTE);
    await machine.deliveries.shift()?.done();
    const lift = ['quarantine', 'lift', 'acme:lidar'] as const;
    expect(await ask(machine, ...lift, '1.4.0')).toMatchObject({
      problems: ['acme:lidar 1.4.0 is refused by the rollback from 1.3.0'],
      exit: 1,
    });
    machine.story();
    machine.publish('acme:lidar', '1.2.11');
    await machine.pass(23 * HOUR);
    expect(machine.story()[0]).toBe('02:00:00 committed acme_lidar 1.2.9 → 1.2.11');
    await machine.deliveries.shift()?.done();
    await ask(machine, ...lift, '1.3.0');
    await machine.pass(24 * HOUR);
    expect(machine.story().at(-3)).toBe('02:00:00 committed acme_lidar 1.2.11 → 1.4.0');
  });

  it('prints the same as data with --json', async () => {
    const machine = await upgraded('1.*', '1.4.0');
    const { answer } = await ask(machine, 'rollback', 'acme:lidar', '--json');
    expect(JSON.parse(answer[0] ?? '')).toEqual({
      schema: 'modreg/rollback@1',
      name: 'acme_lidar',
      module_id: 'acme:lidar',
      from: '1.3.0',
      to: '1.2.9',
      refused: ['1.4.0', '1.3.0'],
      until: null,
      afterwards: {
        decision: 'up-to-date',
        reason: 'stays at 1.2.9: 1.4.0 and 1.3.0 are refused by a rollback on this machine',
      },
      next_change: null,
      first: null,
      waits_for: null,
      replaces: null,
    });
  });

  it('changes nothing if no lower release may be selected', async () => {
    const machine = await upgraded('1.3.*', '1.3.1-rc.1');
    machine.publish('acme:lidar', '1.2.99');
    await machine.pass(11 * MINUTE);
    expect(await ask(machine, 'rollback', 'acme:lidar')).toEqual({
      answer: [],
      problems: [
        'acme:lidar cannot be rolled back from 1.3.0: no lower release may be selected; nothing was changed',
      ],
      exit: 1,
    });
    expect(machine.state.memory().quarantine).toEqual([]);
  });

  it('says that an action which the agent has ends first', async () => {
    const machine = await upgraded('1.*', '1.4.0');
    machine.configure({ policy: {} });
    await machine.pass(11 * MINUTE);
    const { answer } = await ask(machine, 'rollback', 'acme:lidar');
    expect(answer[1]).toBe('  first    the agent ends 1.3.0 → 1.4.0, which it has');
  });

  it('says what the poller waits for if its registry has no list that it accepts', async () => {
    const error = { kind: 'registry-regressed', message: 'the list went backwards' };
    const input = moduleQuestion({ wanted: '1.*', deployed: '1.1.0', list: { error } });
    const outcome = { decision: 'stuck', target: undefined, reason: error.message };
    const row = logged('acme_lidar', { constraint: '1.*', ...outcome });
    const round = { at: 1, trouble: undefined };
    const home = homeOf((state) =>
      state.log([row], round, new Map([['module acme_lidar', input]])),
    );
    // [bug] The command promised a rollback at the next decision, which was stuck.
    expect(await ask(home, 'rollback', 'acme:lidar')).toEqual({
      answer: [
        'acme:lidar rolls back from 1.1.0 to 1.0.0 once its release list can be read',
        '  waits    the list went backwards',
        '  its release list is not known here, so every version above 1.0.0 and up to 1.1.0 is refused; a higher one may replace 1.0.0',
      ],
      problems: [],
      exit: 0,
    });
    const record = `${home}/record.json`;
    expect((await ask(home, 'why', 'acme:lidar', '--record', record)).problems).toEqual([]);
    expect((await ask(home, 'replay', record)).exit).toBe(0);
  });

  it.each(['0s', 'ever'])('refuses a duration of %s', async (duration) => {
    const machine = await upgraded('1.*');
    const { problems, exit } = await ask(machine, 'rollback', 'acme:lidar', '--for', duration);
    expect([problems[0]?.startsWith('--for: '), exit]).toEqual([true, 2]);
  });
});
