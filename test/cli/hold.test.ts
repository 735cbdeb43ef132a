import { describe, expect, it } from 'vitest';
import { MINUTE, type Day } from '../support/day.ts';
import { ask } from '../support/history.ts';
import { blocksOf, pageAt } from '../support/pages.ts';
import { NIGHTLY, settled } from '../support/restarts.ts';

/** What a command prints, or its errors. */
async function answerTo(machine: Day, ...args: readonly string[]): Promise<readonly string[]> {
  const { answer, problems } = await ask(machine, ...args);
  return problems.length === 0 ? answer : problems;
}

const STAGE = ['--for', '12h', '--reason', 'on stage'];
const FAIR = ['--until', '2026-11-21T06:00:00Z', '--reason', 'fair'];

describe('[D75] modreg hold', () => {
  it('prints what the page for operators shows', async () => {
    const machine = await settled();
    const held = await answerTo(machine, 'hold', 'acme:lidar', ...STAGE);
    const ended = await answerTo(machine, 'unhold', 'acme:lidar');
    const sessions = blocksOf(pageAt('docs/operating.md')).map(({ content }) => content);
    const hold = "$ modreg hold acme:lidar --for 12h --reason 'on stage'";
    expect(sessions).toContain(
      [hold, ...held, '$ modreg unhold acme:lidar', ...ended, ''].join('\n'),
    );
  });

  it.each(['acme:lidar', 'acme_lidar'])('holds %s for a duration', async (named) => {
    const machine = await settled();
    expect(await answerTo(machine, 'hold', named, ...STAGE)).toEqual([
      'acme:lidar is held until 2026-11-21T13:03:03Z (in 12 h): "on stage"',
    ]);
    machine.publish('acme:lidar', '1.2.4');
    await machine.pass(2 * MINUTE);
    expect([machine.story(), machine.begun()]).toEqual([
      [],
      [
        '01:03:33 held upgrade of acme_lidar: held by unknown until 2026-11-21T13:03:03Z: "on stage"',
      ],
    ]);
  });

  it('holds the machine until a time', async () => {
    const machine = await settled();
    expect(await answerTo(machine, 'hold', ...FAIR)).toEqual([
      'this machine is held until 2026-11-21T06:00:00Z (in 4 h 56 min): "fair"',
    ]);
    expect(
      (await ask(machine, 'hold', ...FAIR, '--json')).answer.map(
        (line) => JSON.parse(line) as unknown,
      ),
    ).toEqual([
      {
        schema: 'modreg/hold@1',
        kind: 'machine',
        name: null,
        by: 'unknown',
        reason: 'fair',
        since: '2026-11-21T01:03:03Z',
        until: '2026-11-21T06:00:00Z',
        ends_at: '2026-11-21T06:00:00Z',
        replaced: {
          kind: 'machine',
          name: null,
          by: 'unknown',
          reason: 'fair',
          since: '2026-11-21T01:03:03Z',
          until: '2026-11-21T06:00:00Z',
          ends_at: '2026-11-21T06:00:00Z',
        },
        delivered: [],
      },
    ]);
  });

  it('replaces an earlier hold of the same, and says so', async () => {
    const machine = await settled();
    await ask(machine, 'hold', 'acme:lidar', ...STAGE);
    await machine.pass(MINUTE);
    expect(await answerTo(machine, 'hold', 'acme:lidar', ...FAIR)).toEqual([
      'acme:lidar is held until 2026-11-21T06:00:00Z (in 4 h 55 min): "fair"',
      '  in place of the hold by unknown until 2026-11-21T13:03:03Z (in 11 h 59 min): "on stage"',
    ]);
    expect(machine.state.memory().holds.map(({ because }) => because)).toEqual(['fair']);
  });

  it('says what the agent has', async () => {
    const machine = await settled();
    machine.publish('acme:lidar', '1.2.4');
    await machine.pass(MINUTE);
    expect(await answerTo(machine, 'hold', ...STAGE)).toEqual([
      'this machine is held until 2026-11-21T13:04:03Z (in 12 h): "on stage"',
      '  the agent has the upgrade to 1.2.4 of acme_lidar: it is finished if its module was stopped already, else it waits',
    ]);
  });

  it('is shown by status and why, with who and why', async () => {
    const machine = await settled({ policy: NIGHTLY });
    await ask(machine, 'hold', 'acme:lidar', ...STAGE);
    await ask(machine, 'hold', ...FAIR);
    machine.publish('acme:lidar', '1.2.4');
    await machine.pass(2 * MINUTE);
    const { answer } = await ask(machine, 'status');
    expect(answer.slice(-3)).toEqual([
      '  HELD           BY        SINCE                  UNTIL                                   WHY',
      '  this machine   unknown   2026-11-21T01:03:03Z   2026-11-21T06:00:00Z (in 4 h 54 min)    "fair"',
      '  acme:lidar     unknown   2026-11-21T01:03:03Z   2026-11-21T13:03:03Z (in 11 h 58 min)   "on stage"',
    ]);
    const status = JSON.parse((await ask(machine, 'status', '--json')).answer.join('')) as {
      holds: unknown[];
    };
    expect(status.holds).toMatchObject([
      { kind: 'machine' },
      { name: 'acme_lidar', by: 'unknown', reason: 'on stage' },
    ]);
    await ask(machine, 'unhold');
    await ask(machine, 'unhold', 'acme:lidar');
    await machine.pass(2 * MINUTE);
    expect((await answerTo(machine, 'why', 'acme:lidar')).slice(1)).toEqual([
      '2026-11-21T01:03:33Z  held the upgrade 1.2.3 → 1.2.4: the machine is held by unknown until 2026-11-21T06:00:00Z (in 4 h 52 min): "fair"; held by unknown until 2026-11-21T13:03:03Z (in 11 h 56 min): "on stage"; the maintenance window is closed until 2026-11-21T02:00:00Z (in 52 min 57 s); the hold of the machine by unknown began; the hold by unknown began; 1.2.4 was published',
      '2026-11-21T01:05:33Z  held the upgrade 1.2.3 → 1.2.4: the maintenance window is closed until 2026-11-21T02:00:00Z (in 52 min 57 s); the hold of the machine by unknown ended; the hold by unknown ended',
    ]);
  });

  it('holds an immediate restart', async () => {
    const machine = await settled();
    await ask(machine, 'hold', 'acme:lidar', ...STAGE);
    expect(await answerTo(machine, 'restart', 'acme:lidar', '--now')).toEqual([
      'acme:lidar restarts 1.2.3 once nothing holds it',
      '  because  held by unknown until 2026-11-21T13:03:03Z (in 12 h): "on stage"; an operator requested an immediate restart at 2026-11-21T01:03:03Z',
      '  next     2026-11-21T13:03:03Z (in 12 h): restart of 1.2.3, as the hold of an operator ends',
    ]);
    const { answer } = await ask(machine, 'restart', 'acme:lidar', '--now', '--json');
    expect(JSON.parse(answer.join(''))).toMatchObject({
      held_by: [
        {
          reason: 'operator-hold',
          until: '2026-11-21T13:03:03Z',
          of: 'target',
          by: 'unknown',
          because: 'on stage',
        },
      ],
    });
  });
});

describe('[D75] modreg unhold', () => {
  it('ends the hold, and says what still holds', async () => {
    const machine = await settled();
    await ask(machine, 'hold', 'acme:lidar', ...STAGE);
    await ask(machine, 'hold', ...FAIR);
    expect(await answerTo(machine, 'unhold', 'acme:lidar')).toEqual([
      'acme:lidar is no longer held',
      '  the whole machine is still held by unknown until 2026-11-21T06:00:00Z (in 4 h 56 min): "fair"; modreg unhold ends that',
    ]);
    expect(await answerTo(machine, 'unhold')).toEqual(['this machine is no longer held']);
    expect(machine.state.memory().holds).toEqual([]);
  });

  it('knows none that has ended, although no poller has run since', async () => {
    const machine = await settled();
    await ask(machine, 'hold', ...STAGE);
    // A day later.
    expect(await ask(machine.home, 'unhold')).toEqual({
      answer: [],
      problems: ['no operator holds this machine; nothing was changed'],
      exit: 1,
    });
  });

  it('ends the hold of a module that has left the config', async () => {
    const machine = await settled();
    await ask(machine, 'hold', 'acme:lidar', ...STAGE);
    machine.configure({ machine: { modules: [] } });
    await machine.pass(2 * MINUTE);
    expect(await answerTo(machine, 'unhold', 'acme_lidar')).toEqual([
      'acme_lidar is no longer held',
    ]);
  });
});

describe('[T336] a hold that cannot be set or ended changes nothing', () => {
  const TOO_LONG = 'the hold lasts 31 d, expected at most 30 d; nothing was changed';
  it.each<[string, readonly string[], number, readonly string[]]>([
    [
      'a time that has passed',
      ['hold', '--until', '2026-11-21T01:03:03Z', '--reason', 'fair'],
      2,
      [
        'the hold ends at 2026-11-21T01:03:03Z, expected a time after 2026-11-21T01:03:03Z, which is the time of this machine; nothing was changed',
      ],
    ],
    [
      'a module that the config lacks',
      ['hold', 'acme:arm', ...STAGE],
      1,
      ['"acme:arm" names no module or subsystem that this machine decides on'],
    ],
    [
      'no end',
      ['hold', '--reason', 'fair'],
      2,
      [
        'the hold has no end, expected either a duration, such as 12h, or a time, such as 2026-11-21T02:03:03Z; nothing was changed',
      ],
    ],
    [
      'two ends',
      ['hold', '--for', '1h', ...FAIR],
      2,
      [
        'the hold has two ends, expected either a duration, such as 12h, or a time, such as 2026-11-21T02:03:03Z; nothing was changed',
      ],
    ],
    ['a duration over 30 days', ['hold', '--for', '31d', '--reason', 'fair'], 2, [TOO_LONG]],
    [
      'a time in over 30 days',
      ['hold', '--until', '2026-12-22T01:03:03Z', '--reason', 'fair'],
      2,
      [TOO_LONG],
    ],
    [
      'no time',
      ['hold', '--for', '0h', '--reason', 'fair'],
      2,
      ['a hold that lasts no time does nothing; nothing was changed'],
    ],
    [
      'no duration',
      ['hold', '--for', 'ever', '--reason', 'fair'],
      2,
      [
        '"ever" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m; nothing was changed',
      ],
    ],
    ['no reason', ['hold', '--for', '1h'], 2, ["required option '--reason <text>' not specified"]],
    [
      'an empty reason',
      ['hold', '--for', '1h', '--reason', ' '],
      2,
      ['the reason is empty, expected text; nothing was changed'],
    ],
    [
      'a long reason',
      ['hold', '--for', '1h', '--reason', 'x'.repeat(501)],
      2,
      ['the reason has 501 characters, expected at most 500; nothing was changed'],
    ],
    [
      'control characters',
      ['hold', '--for', '1h', '--reason', 'a\u001b[2J'],
      2,
      [
        'the reason is "a\\u{1b}[2J", expected text without control characters; nothing was changed',
      ],
    ],
    [
      'nothing that is held',
      ['unhold', 'acme:lidar'],
      1,
      ['no operator holds acme:lidar; nothing was changed'],
    ],
    [
      'a machine that is not held',
      ['unhold'],
      1,
      ['no operator holds this machine; nothing was changed'],
    ],
  ])('%s', async (_, args, exit, problems) => {
    const machine = await settled();
    expect(await ask(machine, ...args)).toEqual({ answer: [], problems, exit });
    expect(machine.state.memory().holds).toEqual([]);
  });
});
