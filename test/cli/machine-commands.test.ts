import { describe, expect, it } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
import { machineStateIn, type MachineState } from '../../src/store/machine-state.ts';
import { moduleId, version } from '../support/ask.ts';
import { commitOne, moduleNamed } from '../support/claimed.ts';
import { printed, type Printed } from '../support/command.ts';
import { day, HOUR, MINUTE, type Day } from '../support/day.ts';
import { homeAfter, logged, polledHome } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');
const ROUND = { at: NOON, trouble: undefined };

/** Runs a command on the machine whose machine.db is in `home`, at noon by default. */
async function on(home: string, line: string, now = NOON): Promise<Printed> {
  const environment = { PLATFORM_HOME: home };
  return await printed(line.split(' '), { environment, clock: () => now });
}

/** Runs a command on a machine at its time. */
async function at({ home, clock }: Day, line: string): Promise<Printed> {
  return await on(home, line, clock.now());
}

/** A maintenance window that is always open. */
function window(time_zone: string): object {
  return { maintenance: [{ start: '0 0-23 * * *', duration: '1h', time_zone }] };
}

/** A machine in Tokyo whose lidar was upgraded from 1.2.9 to 1.3.0, and one in Berlin. */
async function upgraded(constraint = '1.*'): Promise<Day> {
  const machine = await day({
    machine: { modules: [entry('acme:arm', '1.*'), entry('acme:lidar', constraint)] },
    policy: {
      ...window('Europe/Berlin'),
      restart_cooldown: '0s',
      modules: { acme_lidar: window('Asia/Tokyo') },
    },
    deployed: { acme_lidar: '1.2.9', acme_arm: '1.0.0' },
    intervalMs: 10 * MINUTE,
    releases: {
      'acme:arm': [{ version: '1.0.0' }],
      'acme:lidar': ['1.2.9', '1.3.0'].map((text) => ({ version: text })),
    },
  });
  await machine.pass(HOUR);
  await machine.deliveries.shift()?.done();
  await machine.pass(HOUR);
  return machine;
}

/** Rolls the lidar back from `from`, which refuses these versions. */
function rollBack(state: MachineState, from: string, refused: readonly string[]): void {
  state.report(LIDAR, from, 1);
  state.rollBack(
    LIDAR,
    { from: version(from), to: version('1.0.0'), refused: new Set(refused) },
    { at: 1, until: undefined },
  );
}

describe('modreg quarantine add', () => {
  it('shows times in the zone of the module, and how to undo it', async () => {
    const machine = await upgraded();
    expect(await at(machine, 'quarantine add acme:lidar 1.3.0 --for 1h')).toEqual({
      stdout: [
        'acme:lidar 1.3.0 is refused on this machine until 2026-11-21T04:02:03Z (13:02 Asia/Tokyo, in 1 h)',
        '  acme:lidar: rollback to 1.2.9: 1.3.0 was refused by an operator (quarantined by an operator); 1.2.9 was deployed before it',
      ],
      stderr: ['note: modreg quarantine lift acme:lidar 1.3.0 undoes this'],
      exit: 0,
    });
    expect((await at(machine, 'quarantine add acme:lidar 1.4.0 --json')).stderr).toEqual([
      expect.stringContaining('contains acme:lidar 1.4.0; it is refused if it is published'),
    ]);
    expect((await at(machine, 'quarantine list')).stdout[1]).toContain(
      '   2026-11-21T03:02:03Z (12:02 Asia/Tokyo)   2026-11-21T04:02:03Z (13:02 Asia/Tokyo, in 1 h)   ',
    );
  });

  it('the list shows times of a module that was removed in the zone of another one', async () => {
    const machine = await upgraded();
    const file = openMachineFile(`${machine.home}/machine.db`);
    const until = machine.clock.now() + HOUR;
    const entryOf = { moduleId: moduleId('acme:cam'), version: '1.0.0', since: 0, until };
    machineStateIn(file).quarantine({ ...entryOf, reason: 'does not start' });
    file.close();
    expect((await at(machine, 'quarantine list')).stdout.join('\n')).toContain(
      '   2026-11-21T04:02:03Z (05:02 Europe/Berlin, in 1 h)   ',
    );
  });

  it('says thwithin a second is not known without a recorded decision', async () => {
    const home = homeAfter((state) => state.log([logged('acme_lidar')], ROUND));
    expect((await on(home, 'quarantine add acme_lidar 1.3.0')).stdout).toEqual([
      'acme:lidar 1.3.0 is refused on this machine until an operator lifts it',
      '  acme:lidar: the next decision is not known here: no decision about it is recorded',
    ]);
    const { stdout } = await on(home, 'quarantine add acme_lidar 1.3.0 --json');
    expect(JSON.parse(stdout[0] ?? '')).toMatchObject({ until: null, decisions: [] });
  });

  it('does not replace a rollback, and says how to end it', async () => {
    const home = homeAfter((state) => rollBack(state, '1.3.0', ['1.3.0']));
    expect(await on(home, 'quarantine add acme:lidar 1.3.0')).toEqual({
      stdout: [],
      stderr: [
        'error[USAGE]: acme:lidar 1.3.0 is refused already, by a rollback on this machine; nothing was changed',
        'hint: modreg quarantine lift acme:lidar 1.3.0 ends the rollback for all its versions',
      ],
      exit: 2,
    });
  });

  it('names ten modules of a machine that does not have the one', async () => {
    const names = Array.from({ length: 11 }, (_, place) => `acme_m${place}`);
    const home = homeAfter((state) =>
      state.log(
        names.map((name) => logged(name)),
        ROUND,
      ),
    );
    const { stderr } = await on(home, 'quarantine add nosuch:mod 1.0.0');
    expect(stderr.at(-1)).toBe(
      'hint: this machine has acme:m0, acme:m1, acme:m2, acme:m3, acme:m4, acme:m5, acme:m6, acme:m7, acme:m8, acme:m9, 1 more',
    );
  });
});

describe('modreg quarantine lift', () => {
  it('of a version that a rollback refuses says which one to lift', async () => {
    const home = homeAfter((state) => rollBack(state, '1.3.0', ['1.3.0', '1.4.0']));
    expect(await on(home, 'quarantine lift acme:lidar 1.4.0')).toEqual({
      stdout: [],
      stderr: [
        'error[UNKNOWN_VERSION]: acme:lidar 1.4.0 is refused by the rollback from 1.3.0',
        'hint: modreg quarantine lift acme:lidar 1.3.0 ends it for all its versions',
      ],
      exit: 1,
    });
    // The rollback of one module refuses no version of another one.
    expect((await on(home, 'quarantine lift acme:arm 1.4.0')).stderr).toEqual([
      'error[UNKNOWN_VERSION]: acme:arm 1.4.0 is not in quarantine on this machine',
      'hint: in quarantine: acme:lidar 1.3.0',
    ]);
  });

  it('names five of the versions that stay refused', async () => {
    const others = ['1.1.0', '1.1.1', '1.1.2', '1.1.3', '1.1.4', '1.1.5'];
    const home = homeAfter((state) => {
      rollBack(state, '1.3.0', ['1.3.0', ...others]);
      rollBack(state, '1.2.0', ['1.2.0', ...others]);
    });
    expect((await on(home, 'quarantine lift acme:lidar 1.3.0')).stdout).toEqual([
      'acme:lidar 1.3.0 may be selected again; still refused: 1.1.0, 1.1.1, 1.1.2, 1.1.3, 1.1.4, 1 more',
    ]);
  });

  it('takes the name of an entry, whatever its module_id is', async () => {
    const home = homeAfter((state) => {
      state.log([logged('rear', { moduleId: 'acme:lidar' })], ROUND);
      const found = { moduleId: moduleId('acme:lidar'), version: '1.1.0', reason: 'no light' };
      state.quarantine({ ...found, since: 1, until: undefined });
    });
    expect((await on(home, 'quarantine lift rear 1.1.0')).stdout).toEqual([
      'acme:lidar 1.1.0 may be selected again',
    ]);
  });
});

describe('modreg rollback', () => {
  it('of a machine with its list says why, until when, and what is refused', async () => {
    const machine = await upgraded();
    const { stdout, stderr } = await at(machine, 'rollback acme:lidar --for 1h');
    const until = '2026-11-21T04:02:03Z (13:02 Asia/Tokyo, in 1 h)';
    expect(stdout).toEqual([
      `acme:lidar rolls back from 1.3.0 to 1.2.9 within a second, until ${until}`,
      '  because  1.3.0 was rolled back on this machine; 1.2.9 was deployed before it',
      `  then     up to date: stays at 1.2.9: 1.3.0 is refused by a rollback on this machine until ${until}`,
      `  next     ${until}: upgrade to 1.3.0, as a quarantine ends`,
    ]);
    expect(stderr).toEqual(['note: modreg quarantine lift acme:lidar 1.3.0 undoes this']);
  });

  it('names the action that the agent has, and the end, in --json', async () => {
    const machine = await upgraded();
    machine.publish('acme:lidar', '1.4.0');
    await machine.pass(11 * MINUTE);
    const { stdout, stderr } = await at(machine, 'rollback acme:lidar --for 1h --json');
    expect(JSON.parse(stdout[0] ?? '')).toMatchObject({
      until: '2026-11-21T04:13:03Z',
      first: machine.deliveries[0]?.action.id,
      next_change: {
        at: '2026-11-21T04:13:03Z',
        because: 'quarantine-ends',
        decision: 'upgrade',
        target: '1.4.0',
      },
    });
    expect(stderr).toEqual([]);
  });

  it('names three lower releases, and why each is refused', async () => {
    const machine = await upgraded('1.3.*');
    for (const text of ['1.2.1', '1.3.0-rc.1', '1.3.0-rc.2', '1.3.0-rc.3', '1.3.0-rc.4'])
      machine.publish('acme:lidar', text);
    await machine.pass(11 * MINUTE);
    const { stdout, stderr, exit } = await at(machine, 'rollback acme:lidar');
    expect([stdout, stderr, exit]).toEqual([
      [],
      [
        'error[NO_MATCH]: acme:lidar cannot be rolled back from 1.3.0: no lower release may be selected; nothing was changed',
        '  because 1.3.0-rc.4: prerelease; only latest-with-prerelease accepts prereleases',
        '  1.3.0-rc.3: prerelease; only latest-with-prerelease accepts prereleases',
        '  1.3.0-rc.2: prerelease; only latest-with-prerelease accepts prereleases',
        'hint: pin the version that should run',
      ],
      1,
    ]);
  });

  it('without a list ends at the time of --for, too', async () => {
    const home = homeAfter((state) => {
      for (const text of ['1.0.0', '1.1.0']) state.report(LIDAR, text, 1);
      state.log([logged('acme_lidar')], ROUND);
    });
    expect((await on(home, 'rollback acme:lidar --for 1h')).stdout[0]).toBe(
      'acme:lidar rolls back from 1.1.0 to 1.0.0 at the next start of the agent, until 2026-11-21T13:00:00Z (in 1 h)',
    );
    const { stdout } = await on(home, 'rollback acme:lidar --for 2h --json');
    expect(JSON.parse(stdout[0] ?? '')).toMatchObject({ until: '2026-11-21T14:00:00Z' });
  });
});

describe('modreg status', () => {
  it('shows reasons in the zone of each module', async () => {
    const machine = await upgraded();
    const zones = { ...window('Europe/Berlin'), modules: { acme_lidar: window('Asia/Tokyo') } };
    machine.configure({ policy: { ...zones, minimum_release_age: '1d' } });
    await at(machine, 'quarantine add acme:lidar 1.3.1 --for 1h');
    machine.publish('acme:lidar', '1.3.1');
    await machine.pass(11 * MINUTE);
    const { stdout } = await at(machine, 'status');
    expect(stdout.slice(3, 5)).toEqual([
      expect.stringContaining('too young until 2026-11-22T01:02:03Z (02:02 Europe/Berlin, in '),
      expect.stringContaining('too young until 2026-11-22T01:02:03Z (10:02 Asia/Tokyo, in '),
    ]);
    expect(stdout.at(-1)).toContain(' 2026-11-21T04:02:03Z (13:02 Asia/Tokyo, in 49 min) ');
  });

  it.each<[string, number | undefined, string, number]>([
    ['no round was made', undefined, '', 12],
    ['the last round is 30 minutes old', 30 * MINUTE, '', 0],
    ['the last round is older', 30 * MINUTE + 1, '', 12],
    ['the last round is as old as --max-age', HOUR, ' --max-age 1h', 0],
    ['the last round is older than --max-age', HOUR + 1, ' --max-age 1h', 12],
  ])('--exit-code: %s', async (_, age, options, exit) => {
    const { home, state } = polledHome();
    if (age !== undefined) state.log([logged('acme_lidar')], { ...ROUND, at: NOON - age });
    expect((await on(home, `status --exit-code${options}`)).exit).toBe(exit);
  });

  it('says that a poller is running before its first round', async () => {
    const { home } = polledHome();
    expect((await on(home, 'status')).stdout[0]).toBe(
      `process ${process.pid} polls for this machine; no round was made yet`,
    );
  });

  it.each<[number, string]>([
    [1, 'failed once because of this machine, next attempt in 5 min'],
    [2, 'failed 2 times because of this machine, next attempt in 5 min'],
  ])('counts %i failures', async (failures, line) => {
    const home = homeAfter((state) => {
      const { id } = commitOne(state, { target: LIDAR });
      for (let times = 0; times < failures; times++) {
        state.deliver(id, 1);
        const failed = { kind: 'failed', reason: '', running: '1.0.0', blame: 'machine' } as const;
        const terms = { at: 1, quarantineUntil: undefined, retryAt: NOON + 5 * MINUTE };
        state.acknowledge(id, failed, terms);
      }
    });
    expect((await on(home, 'status')).stdout.at(-1)).toContain(
      `acme_lidar 1.0.0 → 1.1.0: ${line} (`,
    );
  });
});
