import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, type Day } from '../support/day.ts';
import { ask, homeAfterNight } from '../support/history.ts';
import { blocksOf, pageAt } from '../support/pages.ts';
import { NIGHTLY, settled } from '../support/restarts.ts';
import { seen, upgradeAfterRound, vetoing, waiting } from '../support/upgrades.ts';

/** What `modreg upgrade` prints, or its errors. */
async function answerTo(machine: Day, ...args: readonly string[]): Promise<readonly string[]> {
  const { answer, problems } = await ask(machine, 'upgrade', ...args);
  return problems.length === 0 ? answer : problems;
}

const DELIVERED = ['committed acme_lidar 1.2.3 → 1.2.4', 'delivered acme_lidar 1.2.3 → 1.2.4'];

/** The events since the last call, without their times. */
function events(machine: Day): string[] {
  return machine.story().map((line) => line.slice('01:02:03 '.length));
}

describe('[D76] modreg upgrade', () => {
  it('prints what the page for operators shows', async () => {
    const machine = await settled({ policy: NIGHTLY });
    machine.publish('acme:lidar', '1.2.4');
    const asked = await upgradeAfterRound(machine, 'acme:lidar');
    const requested = await answerTo(machine, 'acme:lidar', '--now', '--reason', 'it burns');
    const sessions = blocksOf(pageAt('docs/operating.md')).map(({ content }) => content);
    expect(sessions).toContain(
      [
        '$ modreg upgrade acme:lidar',
        ...asked.answer,
        "$ modreg upgrade acme:lidar --now --reason 'it burns'",
        ...requested,
        '',
      ].join('\n'),
    );
  });

  it('reads the list at once, and replaces what nothing holds', async () => {
    const machine = await settled({ intervalMs: HOUR });
    await machine.pass(HOUR);
    machine.publish('acme:lidar', '1.2.4');
    const { answer } = await upgradeAfterRound(machine, 'acme_lidar');
    expect(answer).toEqual(['acme:lidar: the agent has the upgrade to 1.2.4 already']);
    expect(events(machine)).toEqual(DELIVERED);
  });

  it('says if nobody polls for the machine', async () => {
    const { home } = await homeAfterNight();
    const { answer } = await ask(home, 'upgrade', 'acme:lidar', '--json');
    expect(JSON.parse(answer.join(''))).toMatchObject({ round: 'nobody_polls', request: null });
  });

  it('offers no --now for what an operator holds', async () => {
    const machine = await waiting({ policy: NIGHTLY });
    await ask(machine, 'hold', 'acme:lidar', '--for', '1h', '--reason', 'fair');
    const { answer } = await upgradeAfterRound(machine, 'acme:lidar', '--json');
    expect(JSON.parse(answer.join(''))).toMatchObject({ decision: 'hold', now: null });
  });

  it('passes a window with --now, once', async () => {
    const machine = await waiting({ policy: NIGHTLY });
    expect(await answerTo(machine, 'acme:lidar', '--now')).toEqual([
      'acme:lidar: upgrade to 1.2.4, within a second',
      '  because  newest patch of 1.2; requested at once by unknown at 2026-11-21T01:04:03Z',
      '  next     2026-11-21T03:00:00Z (in 1 h 55 min): upgrade to 1.2.4 waits, as the maintenance window closes',
    ]);
    await seen(machine);
    expect(events(machine)).toEqual(DELIVERED);
    await machine.deliveries.shift()?.done();
    await machine.pass(10 * MINUTE);
    machine.publish('acme:lidar', '1.2.5');
    await machine.pass(2 * MINUTE);
    expect(machine.begun()).toEqual([
      '01:14:33 held upgrade of acme_lidar: the maintenance window is closed until 2026-11-21T02:00:00Z',
    ]);
  });

  it('is shown by why and status, with who and why', async () => {
    const machine = await waiting({ policy: NIGHTLY });
    await ask(machine, 'upgrade', 'acme:lidar', '--now', '--reason', 'it burns');
    const words = 'requested at once by unknown at 2026-11-21T01:04:03Z: "it burns"';
    const status = await ask(machine, 'status');
    expect(status.answer.at(-1)).toBe(`acme_lidar: 1.2.4 ${words}`);
    const { answer } = await ask(machine, 'status', '--json');
    expect(JSON.parse(answer.join(''))).toMatchObject({
      targets: [
        {
          upgrade_request: {
            requested_at: '2026-11-21T01:04:03Z',
            by: 'unknown',
            reason: 'it burns',
            from: '1.2.3',
            to: '1.2.4',
            despite: [],
          },
        },
      ],
    });
    await seen(machine);
    expect((await ask(machine, 'why', 'acme:lidar')).answer.at(-1)).toBe(
      `2026-11-21T01:04:03Z  decided to upgrade 1.2.3 → 1.2.4: newest patch of 1.2; ${words}; unknown requested 1.2.4 at once`,
    );
    await machine.pass(HOUR);
    const ended = await ask(machine, 'status', '--json');
    expect(ended.answer.join('')).toContain('"upgrade_request":null');
  });

  it('answers programs', async () => {
    const machine = await waiting({ policy: NIGHTLY });
    const { answer } = await ask(machine, 'upgrade', 'acme:lidar', '--now', '--json');
    expect(JSON.parse(answer.join(''))).toEqual({
      schema: 'modreg/upgrade@1',
      name: 'acme_lidar',
      module_id: 'acme:lidar',
      from: '1.2.3',
      to: '1.2.4',
      decision: 'upgrade',
      direction: 'upgrade',
      reason: 'newest patch of 1.2; requested at once by unknown at 2026-11-21T01:04:03Z',
      unreachable: null,
      held_by: [],
      next_change: {
        at: '2026-11-21T03:00:00Z',
        decision: 'hold',
        target: '1.2.4',
        because: 'window-closes',
      },
      now: null,
      request: {
        requested_at: '2026-11-21T01:04:03Z',
        by: 'unknown',
        reason: null,
        from: '1.2.3',
        to: '1.2.4',
        despite: [],
        until: '2026-11-21T02:04:03Z',
      },
      round: null,
      first: null,
    });
  });
});

describe('[D76, D77] modreg upgrade --now --despite', () => {
  const VETO = 'acme_lidar must not be stopped now: person in cell; nothing was changed';

  it('is refused with a veto that it does not name, and says what to type', async () => {
    const machine = await waiting(vetoing({ said: 'person in cell' }));
    expect(await ask(machine, 'upgrade', 'acme:lidar', '--now')).toEqual({
      answer: [],
      problems: [VETO],
      exit: 1,
    });
    await seen(machine);
    expect(events(machine)).toEqual([]);
  });

  it('[D470] is said once by status, in the row, while another veto holds it', async () => {
    const veto = { said: 'person in cell' };
    const machine = await waiting(vetoing(veto));
    await ask(machine, 'upgrade', 'acme:lidar', '--now', '--despite', 'person in cell');
    veto.said = 'docking';
    await seen(machine);
    const { answer } = await ask(machine, 'status');
    expect(answer.filter((line) => line.includes('requested at once'))).toEqual([
      expect.stringContaining(
        ' must not be stopped now: docking; requested at once by unknown at ',
      ) as string,
    ]);
  });

  it('passes one that it names', async () => {
    const machine = await waiting(vetoing({ said: 'person in cell' }));
    const despite = ['--despite', 'person in cell'];
    expect(await answerTo(machine, 'acme:lidar', '--now', ...despite)).toEqual([
      'acme:lidar: upgrade to 1.2.4, within a second',
      '  because  newest patch of 1.2; requested at once by unknown at 2026-11-21T01:04:03Z, despite "person in cell"',
      '  next     2026-11-21T02:04:03Z (in 1 h): upgrade to 1.2.4 waits, as the request of an operator ends',
    ]);
    await seen(machine);
    expect(events(machine)).toEqual(DELIVERED);
  });

  it('names one without a reason by its module', async () => {
    const machine = await waiting(vetoing({ said: undefined }));
    expect(await answerTo(machine, 'acme:lidar', '--now')).toEqual([
      'acme_lidar must not be stopped now; nothing was changed',
    ]);
    await answerTo(machine, 'acme:lidar', '--now', '--despite', 'acme_lidar');
    await seen(machine);
    expect(events(machine)).toEqual(DELIVERED);
  });

  it('says how to go on without --now', async () => {
    const machine = await waiting(vetoing({ said: "it's docking" }));
    const { answer } = await upgradeAfterRound(machine, 'acme:lidar', '--json');
    expect(JSON.parse(answer.join(''))).toMatchObject({
      decision: 'hold',
      held_by: [
        {
          reason: 'veto',
          until: null,
          by: 'acme_lidar',
          because: "it's docking",
          overridable: false,
        },
      ],
      now: String.raw`modreg upgrade acme_lidar --now --despite 'it'\''s docking'`,
      round: 'made',
    });
  });
});

describe('[D76] a replacement that cannot be requested at once changes nothing', () => {
  it.each<[string, readonly string[], number, string, ((machine: Day) => unknown)?]>([
    [
      'of a module that the config lacks',
      ['acme:arm', '--now'],
      1,
      '"acme:arm" names no module or subsystem that this machine decides on',
    ],
    [
      'of a module that an operator holds',
      ['acme:lidar', '--now'],
      1,
      'acme:lidar is not upgraded: held by unknown until 2026-11-21T02:04:03Z (in 1 h): "fair"; nothing was changed',
      (machine) => ask(machine, 'hold', 'acme:lidar', '--for', '1h', '--reason', 'fair'),
    ],
    [
      'of a machine that an operator holds',
      ['acme:lidar', '--now'],
      1,
      'acme:lidar is not upgraded: the machine is held by unknown until 2026-11-21T02:04:03Z (in 1 h): "fair"; nothing was changed',
      (machine) => ask(machine, 'hold', '--for', '1h', '--reason', 'fair'),
    ],
    [
      'over a veto that is none',
      ['acme:lidar', '--now', '--despite', 'person in cell'],
      2,
      '"person in cell" is no veto: no module that would stop was found to forbid it; nothing was changed',
    ],
    [
      'over a veto, but not now',
      ['acme:lidar', '--despite', 'person in cell'],
      2,
      '--despite is for --now, and --now is missing; nothing was changed',
    ],
    [
      'for a reason, but not now',
      ['acme:lidar', '--reason', 'it burns'],
      2,
      '--reason is for --now, and --now is missing; nothing was changed',
    ],
    [
      'with an empty reason',
      ['acme:lidar', '--now', '--reason', ' '],
      2,
      'the reason is empty, expected text; nothing was changed',
    ],
    [
      'with a long reason',
      ['acme:lidar', '--now', '--reason', 'x'.repeat(501)],
      2,
      'the reason has 501 characters, expected at most 500; nothing was changed',
    ],
    [
      'with a long veto',
      ['acme:lidar', '--now', '--despite', 'x'.repeat(1101)],
      2,
      'the veto has 1101 characters, expected at most 1100; nothing was changed',
    ],
    [
      'with control characters',
      ['acme:lidar', '--now', '--despite', 'a\u001b[2J'],
      2,
      'the veto is "a\\u{1b}[2J", expected text without control characters; nothing was changed',
    ],
    [
      'with nothing to upgrade',
      ['acme:lidar', '--now'],
      1,
      'acme:lidar has nothing to upgrade: stays at 1.2.3: 1.2.4 is yanked: burns; nothing was changed',
      async (machine) => {
        machine.registry.yank('acme:lidar', '1.2.4', 'burns');
        await machine.pass(2 * MINUTE);
      },
    ],
  ])('%s', async (_, ...[args, exit, problem, prepare]) => {
    const machine = await waiting({ policy: NIGHTLY });
    await prepare?.(machine);
    expect(await ask(machine, 'upgrade', ...args)).toEqual({
      answer: [],
      problems: [problem],
      exit,
    });
    const { upgradeRequests, roundRequests } = machine.state.memory();
    expect([upgradeRequests, roundRequests]).toEqual([[], []]);
  });
});
