import { describe, expect, it } from 'vitest';
import { planned, printed } from '../support/command.ts';
import { HOUR, MINUTE } from '../support/day.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ask } from '../support/history.ts';
import { entry } from '../support/planned.ts';
import { afterwards, answerTo, settled } from '../support/restarts.ts';
import { shown, site } from './support/patient.ts';

const BERLIN = { time_zone: 'Europe/Berlin' };
const SEASON = { from: '2026-11-21', to: '2026-11-26', ...BERLIN, reason: 'season' };
const NIGHTLY = { maintenance: [{ start: '0 2 * * *', duration: '1h', ...BERLIN }] };
const ROVER = {
  machine: { modules: [entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')] },
  lists: { 'acme/lidar': ['1.0.0', '1.0.1'], 'acme/arm': ['1.0.0', '1.0.1'] },
  deployed: { acme_lidar: '1.0.0', acme_arm: '1.0.0' },
};
const UNTIL = '2026-11-26T23:00:00Z (2026-11-27 00:00 Europe/Berlin, in 5 d 11 h)';

describe('[D74] modreg plan', () => {
  it('shows the end and the reason of a blackout, and when the module is replaced', async () => {
    const policy = { registry: './lists', blackout: [SEASON], modules: { acme_arm: NIGHTLY } };
    const { stdout } = await planned({ ...ROVER, policy });
    expect(stdout.slice(2)).toEqual([
      '  MODULE       CONSTRAINT   DEPLOYED   TARGET   LATEST   DECISION   WHY',
      `  acme:lidar   1.*          1.0.0      1.0.1    1.0.1    waiting    no maintenance until ${UNTIL} (blackout: season)`,
      `      next ${UNTIL}: upgrade to 1.0.1, as the blackout ends`,
      `  acme:arm     1.*          1.0.0      1.0.1    1.0.1    waiting    no maintenance until ${UNTIL} (blackout: season); the maintenance window is closed until 2026-11-22T01:00:00Z (02:00 Europe/Berlin, in 13 h)`,
      '      next 2026-11-27T01:00:00Z (02:00 Europe/Berlin, in 5 d 13 h): upgrade to 1.0.1, as the maintenance window opens',
      '',
      '2 waiting, 0 unchanged.',
      'Nothing was changed.',
    ]);
  });

  it('shows when the next blackout begins, in its zone', async () => {
    const policy = { registry: './lists', blackout: [{ ...SEASON, from: '2026-11-22' }] };
    const { stdout } = await planned({ ...ROVER, policy });
    expect(stdout.filter((line) => line.includes('next'))).toEqual(
      Array.from(
        { length: 2 },
        () =>
          '      next 2026-11-21T23:00:00Z (2026-11-22 00:00 Europe/Berlin, in 11 h): upgrade to 1.0.1 waits, as a blackout begins',
      ),
    );
  });

  it('has a blackout as data', async () => {
    const policy = {
      registry: './lists',
      blackout: [SEASON],
      modules: { acme_arm: { blackout: [] } },
    };
    const { stdout } = await planned({ ...ROVER, policy }, '--json');
    const { modules } = JSON.parse(stdout.join('')) as { modules: object[] };
    expect(modules).toMatchObject([
      {
        decision: 'hold',
        reason: 'no maintenance until 2026-11-26T23:00:00Z (blackout: season)',
        held_by: [{ reason: 'blackout', until: '2026-11-26T23:00:00Z' }],
        until: '2026-11-26T23:00:00Z',
        next_change: { at: '2026-11-26T23:00:00Z', because: 'blackout-ends', decision: 'upgrade' },
      },
      { decision: 'upgrade', held_by: [], next_change: null },
    ]);
  });
});

describe('[D74] a blackout that holds nothing', () => {
  const now = Date.parse('2026-12-01T12:00:00Z');
  const ENDED = '/blackout/0: it ended at 2026-11-26T23:00:00Z and holds nothing any more';

  it('is a warning of modreg check, which --strict refuses', async () => {
    const folder = temporaryFolder({ 'policy.json': JSON.stringify({ blackout: [SEASON] }) });
    const at = `${folder}/policy.json`;
    const world = { clock: () => now };
    expect(await printed(['check', at], world)).toEqual({
      stdout: [
        `${at}:1:14  warning[IDLE_BLACKOUT]  ${ENDED}`,
        '1 warning; read as an update policy',
      ],
      stderr: [],
      exit: 0,
    });
    expect((await printed(['check', at, '--strict'], world)).exit).toBe(1);
    // Until the end, it is none.
    const before = { clock: () => now - 120 * HOUR };
    expect((await printed(['check', at, '--strict'], before)).exit).toBe(0);
  });

  it('is a warning of modreg doctor, also of the policy beside the config', async () => {
    expect(await shown(site('./lists', { blackout: [SEASON] }), 'documents')).toEqual([
      `warning  documents  "./policy.json" has 1 warning; 1:35 ${ENDED}`,
      '                    fix: modreg check ./policy.json shows them all',
    ]);
  });
});

/** Until three hours later. */
const SOON = {
  blackout: [
    { from: '2026-11-21T01:00', to: '2026-11-21T04:00', time_zone: 'UTC', reason: 'fair' },
  ],
};

describe('[D74] a poller', () => {
  it('holds a requested restart, and makes it when the blackout ends', async () => {
    const machine = await settled({ policy: SOON });
    expect(await answerTo(machine, 'acme:lidar')).toEqual([
      'acme:lidar restarts 1.2.3 once nothing holds it',
      '  because  no maintenance until 2026-11-21T04:00:00Z (in 2 h 56 min) (blackout: fair); an operator requested a restart at 2026-11-21T01:03:03Z',
      '  next     2026-11-21T04:00:00Z (in 2 h 56 min): restart of 1.2.3, as the blackout ends',
    ]);
    expect(await afterwards(machine)).toEqual([
      '04:00:00 committed restart acme_lidar 1.2.3 → 1.2.3',
      '04:00:00 delivered restart acme_lidar 1.2.3 → 1.2.3',
    ]);
  });

  it('upgrades when the blackout ends, and says why', async () => {
    const machine = await settled({ policy: SOON });
    machine.publish('acme:lidar', '1.2.4');
    await machine.pass(MINUTE);
    const status = await ask(machine, 'status');
    expect(status.answer.slice(2)).toEqual([
      '  MODULE       CONSTRAINT   DEPLOYED   TARGET   LATEST   DECISION   WHY',
      '  acme:lidar   1.2.*        1.2.3      1.2.4    1.2.4    waiting    no maintenance until 2026-11-21T04:00:00Z (in 2 h 55 min) (blackout: fair)',
      '',
      'Begin now: modreg upgrade acme:lidar --now',
    ]);
    await machine.pass(3 * HOUR);
    expect(machine.story()).toEqual([
      '04:00:00 committed acme_lidar 1.2.3 → 1.2.4',
      '04:00:00 delivered acme_lidar 1.2.3 → 1.2.4',
    ]);
    const { answer } = await ask(machine, 'why', 'acme:lidar');
    expect(answer.slice(1, 3)).toEqual([
      '2026-11-21T01:03:33Z  held the upgrade 1.2.3 → 1.2.4: no maintenance until 2026-11-21T04:00:00Z (blackout: fair); 1.2.4 was published',
      '2026-11-21T04:00:00Z  decided to upgrade 1.2.3 → 1.2.4: newest patch of 1.2; the blackout ended',
    ]);
  });
});
