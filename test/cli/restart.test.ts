import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, targetNamed, type DayOptions } from '../support/day.ts';
import { moduleQuestion, openFrom } from '../support/decided.ts';
import { ask } from '../support/history.ts';
import { inProcess } from '../support/in-process.ts';
import { homeAfter, logged } from '../support/machine-home.ts';
import { blocksOf, pageAt } from '../support/pages.ts';
import { entry } from '../support/planned.ts';
import { afterwards, answerTo, NIGHTLY, settled } from '../support/restarts.ts';

const LIDAR = targetNamed('acme_lidar');
const ROUND = { at: 1, trouble: undefined };

describe('[D41] modreg restart says what the planner decides', () => {
  it('as the page for operators shows', async () => {
    const machine = await settled({ policy: NIGHTLY });
    const lines = await answerTo(machine, 'acme:lidar');
    const sessions = blocksOf(pageAt('docs/operating.md')).map(({ content }) => content);
    expect(sessions).toContain(['$ modreg restart acme:lidar', ...lines, ''].join('\n'));
  });

  it('for a restart that is due', async () => {
    const machine = await settled();
    expect(await answerTo(machine, 'acme:lidar')).toEqual([
      'acme:lidar restarts 1.2.3 within a second',
      '  because  an operator requested a restart at 2026-11-21T01:03:03Z',
      '  then     up to date: already the newest patch of 1.2',
    ]);
    expect(await afterwards(machine)).toEqual([
      '01:03:03 committed restart acme_lidar 1.2.3 → 1.2.3',
      '01:03:03 delivered restart acme_lidar 1.2.3 → 1.2.3',
      '01:03:04 acknowledged done',
    ]);
  });

  it('for a restart that a window holds, and for one that passes it', async () => {
    const machine = await settled({ policy: NIGHTLY });
    expect(await answerTo(machine, 'acme_lidar')).toEqual([
      'acme:lidar restarts 1.2.3 once nothing holds it',
      '  because  the maintenance window is closed until 2026-11-21T02:00:00Z (in 56 min 57 s); an operator requested a restart at 2026-11-21T01:03:03Z',
      '  next     2026-11-21T02:00:00Z (in 56 min 57 s): restart of 1.2.3, as the maintenance window opens',
    ]);
    expect(await answerTo(machine, 'acme_lidar', '--now')).toEqual([
      'acme:lidar restarts 1.2.3 within a second',
      '  because  an operator requested an immediate restart at 2026-11-21T01:03:03Z',
      '  then     up to date: already the newest patch of 1.2',
    ]);
    expect((await afterwards(machine))[1]).toBe(
      '01:03:03 delivered restart acme_lidar 1.2.3 → 1.2.3',
    );
  });

  it('for an upgrade that is held as long as the restart', async () => {
    const machine = await settled({ policy: NIGHTLY });
    machine.publish('acme:lidar', '1.2.4');
    await machine.pass(MINUTE);
    expect(await answerTo(machine, 'acme:lidar')).toEqual([
      'acme:lidar restarts once nothing holds it',
      '  because  the maintenance window is closed until 2026-11-21T02:00:00Z (in 55 min 57 s); an operator requested a restart at 2026-11-21T01:04:03Z',
      '  next     2026-11-21T02:00:00Z (in 55 min 57 s): upgrade to 1.2.4, as the maintenance window opens',
    ]);
  });

  it('for an upgrade that is due', async () => {
    const machine = await settled({ policy: NIGHTLY });
    machine.publish('acme:lidar', '1.2.4');
    await machine.pass(HOUR);
    await machine.deliveries
      .shift()
      ?.failed({ reason: 'no power', blame: 'machine', running: '1.2.3' });
    expect(await answerTo(machine, 'acme:lidar')).toEqual([
      'acme:lidar restarts with the upgrade to 1.2.4 within a second',
      '  because  newest patch of 1.2',
      '  next     2026-11-21T03:00:00Z (in 56 min 57 s): upgrade to 1.2.4 waits, as the maintenance window closes',
    ]);
  });

  it('for an action that the agent has', async () => {
    const machine = await settled();
    machine.publish('acme:lidar', '1.2.4');
    await machine.pass(MINUTE);
    expect(await answerTo(machine, 'acme:lidar')).toEqual([
      'acme:lidar restarts with the upgrade 1.2.3 → 1.2.4, which the agent has',
    ]);
    const { answer } = await ask(machine, 'restart', 'acme:lidar', '--json');
    expect(JSON.parse(answer[0] ?? '')).toMatchObject({ first: machine.deliveries[0]?.action.id });
  });

  it('as data with --json', async () => {
    const machine = await settled({ policy: NIGHTLY });
    const { answer } = await ask(machine, 'restart', 'acme:lidar', '--json');
    expect(JSON.parse(answer[0] ?? '')).toEqual({
      schema: 'modreg/restart@1',
      name: 'acme_lidar',
      module_id: 'acme:lidar',
      requested_at: '2026-11-21T01:03:03Z',
      immediate: false,
      decision: 'hold',
      direction: 'restart',
      reason:
        'the maintenance window is closed until 2026-11-21T02:00:00Z; an operator requested a restart at 2026-11-21T01:03:03Z',
      held_by: [{ reason: 'window-closed', until: '2026-11-21T02:00:00Z' }],
      until: '2026-11-21T02:00:00Z',
      afterwards: null,
      next_change: {
        at: '2026-11-21T02:00:00Z',
        because: 'window-opens',
        decision: 'restart',
        target: '1.2.3',
      },
      list_known: true,
      first: null,
    });
  });
});

describe('[D41] modreg restart refuses', () => {
  const refusals: readonly [string, Partial<DayOptions>, string][] = [
    [
      'what is not deployed',
      { deployed: { acme_lidar: null }, policy: { maintenance: [] } },
      'acme:lidar cannot be restarted: nothing is deployed; nothing was changed',
    ],
    [
      'a module whose deployed version is not known',
      { deployed: {} },
      'acme:lidar cannot be restarted: the deployed version is not known; nothing was changed',
    ],
    [
      'what is not a version',
      { deployed: { acme_lidar: 'nightly' } },
      'acme:lidar cannot be restarted: the deployed version is nightly; nothing was changed',
    ],
    [
      'a module that is stuck',
      { machine: { modules: [entry('acme:lidar', '1.3.0')] } },
      'acme:lidar cannot be restarted: the pin is not published; the nearest published version is 1.2.3; nothing was changed',
    ],
    [
      'a module that is disabled',
      {
        machine: {
          modules: [entry('acme:lidar', '1.2.*')],
          agent: { 'platform-server': { disable_subsystem: true } },
        },
      },
      'acme:lidar cannot be restarted: disabled by disable_subsystem; nothing was changed',
    ],
  ];
  it.each(refusals)('%s', async (_, options, message) => {
    const machine = await settled(options);
    expect(await answerTo(machine, 'acme:lidar')).toEqual([message]);
    expect(machine.state.memory().of(LIDAR).restartRequest).toBeUndefined();
  });

  it('a server of unknown version, and says what makes it known, as a rollback does', async () => {
    const home = homeAfter((state) => {
      state.log([logged('platform-server', { constraint: 'stable' })], ROUND);
    });
    const hint = `hint: modreg agent run reports it once "agent" in the machine config names platform-server; modreg poll takes it from --deployed <file>\n`;
    const said = [
      ['restart', 'platform-server', '--now'],
      ['rollback', 'platform-server', '--to', '1.0.0'],
    ].map(async (args) => (await inProcess(args, { PLATFORM_HOME: home })).stderr);
    expect(await Promise.all(said)).toEqual([
      `error[DEPLOYED_UNKNOWN]: platform-server cannot be restarted: the deployed version is not known; nothing was changed\n${hint}`,
      `error[DEPLOYED_UNKNOWN]: platform-server: the deployed version is unknown; only a version can be rolled back\n${hint}`,
    ]);
  });

  it('a module that nobody has', async () => {
    expect(await answerTo(await settled(), 'acme:lydar')).toEqual([
      '"acme:lydar" names no module or subsystem that this machine decides on',
    ]);
  });

  it('--now with --cancel', async () => {
    expect(await answerTo(await settled(), 'acme:lidar', '--now', '--cancel')).toEqual([
      '--now requests a restart, and --cancel withdraws the request: pass one of them',
    ]);
  });
});

/** The home of a machine whose poller logged a decision without its input. */
function homeWith(decision: string): string {
  return homeAfter((state) => {
    state.report(LIDAR, '1.0.0', 1);
    const row = logged('acme_lidar', { decision, reason: 'the list is empty' });
    state.log([row], { at: 1, trouble: undefined });
  });
}

describe('[D41] modreg restart without what the planner needs', () => {
  it('says so', async () => {
    expect(await answerTo(homeWith('up-to-date'), 'acme:lidar')).toEqual([
      'acme:lidar restarts 1.0.0 once that is decided',
      '  what holds it is not known here: no decision about it is recorded',
    ]);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'a window',
      [],
      [
        'acme:lidar restarts 1.0.0 once nothing holds it',
        '  because  the maintenance window is closed until 2027-01-01T02:00:00Z (in 39 d 14 h); an operator requested a restart at 2026-11-22T12:00:00Z',
        '  next     2027-01-01T02:00:00Z (in 39 d 14 h): restart of 1.0.0, as the maintenance window opens',
      ],
    ],
    [
      'nothing',
      ['--now'],
      [
        'acme:lidar restarts 1.0.0 at the next start of the agent',
        '  because  an operator requested an immediate restart at 2026-11-22T12:00:00Z',
      ],
    ],
  ])('says what holds it if the release list is not saved: %s', async (_, args, lines) => {
    const window = { start: '0 2 1 1 *', durationMs: 1, timeZone: 'UTC' };
    const timing = { window: { ...openFrom([1, 2]), windows: [window] } };
    const input = moduleQuestion({ wanted: '1.*', deployed: '1.0.0', list: ['1.1.0'], timing });
    const folder = homeAfter((state) => {
      state.report(LIDAR, '1.0.0', 1);
      const inputs = new Map([['module acme_lidar', input]]);
      state.log([logged('acme_lidar')], { at: 1, trouble: undefined }, inputs);
    });
    expect(await answerTo(folder, 'acme:lidar', ...args)).toEqual([
      ...lines,
      '  its release list is not known here; a replacement that is due comes first',
    ]);
  });

  it('believes the last decision if that was stuck', async () => {
    expect(await answerTo(homeWith('stuck'), 'acme:lidar')).toEqual([
      'acme:lidar cannot be restarted: the list is empty; nothing was changed',
    ]);
  });
});
