import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, type Day } from '../support/day.ts';
import { moduleNamed } from '../support/claimed.ts';
import { ask, notesTo } from '../support/history.ts';
import { afterwards, answerTo, NIGHTLY, settled } from '../support/restarts.ts';

describe('[D41] modreg restart --cancel', () => {
  it('withdraws the request', async () => {
    const machine = await settled({ policy: NIGHTLY });
    await ask(machine, 'restart', 'acme:lidar');
    expect(await answerTo(machine, 'acme:lidar', '--cancel')).toEqual([
      'acme:lidar is not restarted: the request is withdrawn',
    ]);
    expect(await afterwards(machine)).toEqual([]);
    expect(await ask(machine, 'restart', 'acme:lidar', '--cancel')).toEqual({
      answer: [],
      problems: ['no restart of acme:lidar is requested'],
      exit: 1,
    });
  });

  it('as data with --json', async () => {
    const machine = await settled({ policy: NIGHTLY });
    await ask(machine, 'restart', 'acme:lidar');
    const { answer } = await ask(machine, 'restart', 'acme:lidar', '--cancel', '--json');
    expect(answer).toEqual([
      '{"schema":"modreg/restart-cancel@1","name":"acme_lidar","module_id":"acme:lidar"}',
    ]);
  });

  it('leaves a restart that the agent has', async () => {
    const machine = await settled();
    await ask(machine, 'restart', 'acme:lidar');
    await machine.pass(MINUTE);
    expect(await ask(machine, 'restart', 'acme:lidar', '--cancel')).toEqual({
      answer: [],
      problems: [
        'the agent has the restart of acme:lidar already, so it is finished; nothing was changed',
      ],
      exit: 2,
    });
    expect(await answerTo(machine, 'acme:lidar')).toEqual([
      'acme:lidar restarts 1.2.3: the agent has that restart already',
    ]);
  });

  it('is named by a restart, unless the agent has that one', async () => {
    const machine = await settled({ policy: NIGHTLY });
    expect(await notesTo(machine, 'restart', 'acme:lidar')).toEqual([
      'note: modreg restart acme_lidar --cancel withdraws this',
    ]);
    await ask(machine, 'restart', 'acme:lidar', '--now');
    machine.poller.look();
    await machine.pass(MINUTE);
    expect(await answerTo(machine, 'acme:lidar', '--now')).toEqual([
      'acme:lidar restarts 1.2.3: the agent has that restart already',
    ]);
    expect(await notesTo(machine, 'restart', 'acme:lidar', '--now')).toEqual([]);
  });

  it('finds no request after the restart failed', async () => {
    const machine = await settled();
    await ask(machine, 'restart', 'acme:lidar');
    await machine.pass(MINUTE);
    const failure = { reason: 'it hangs', blame: 'release', running: '1.2.3' } as const;
    await machine.deliveries.shift()?.failed(failure);
    expect(await ask(machine, 'restart', 'acme:lidar', '--cancel')).toEqual({
      answer: [],
      problems: ['no restart of acme:lidar is requested'],
      exit: 1,
    });
  });
});

const STAYS: readonly string[] = [
  'acme:lidar restarts 1.2.3 within a second: the immediate restart requested before stays',
  '  because  an operator requested an immediate restart at 2026-11-21T01:03:03Z',
  '  then     up to date: already the newest patch of 1.2',
];

describe('[D376] modreg restart after modreg restart --now', () => {
  it('leaves the immediate restart, with its time', async () => {
    const machine = await settled({ policy: NIGHTLY });
    await ask(machine, 'restart', 'acme:lidar', '--now');
    expect(await answerTo(machine, 'acme:lidar')).toEqual(STAYS);
    expect(await afterwards(machine)).toEqual([
      '01:03:03 committed restart acme_lidar 1.2.3 → 1.2.3',
      '01:03:03 delivered restart acme_lidar 1.2.3 → 1.2.3',
      '01:03:04 acknowledged done',
    ]);
  });

  it('says so while an operator holds it, as data, and is withdrawn', async () => {
    const machine = await settled({ policy: NIGHTLY });
    await ask(machine, 'hold', '--for', '1h', '--reason', 'demo');
    await ask(machine, 'restart', 'acme:lidar', '--now');
    await machine.pass(MINUTE);
    const [first] = await answerTo(machine, 'acme:lidar');
    expect(first).toBe(
      'acme:lidar restarts 1.2.3 once nothing holds it: the immediate restart requested before stays',
    );
    const { answer } = await ask(machine, 'restart', 'acme:lidar', '--json');
    expect(JSON.parse(answer[0] ?? '')).toMatchObject({
      requested_at: '2026-11-21T01:03:03Z',
      immediate: true,
      decision: 'hold',
    });
    expect(await answerTo(machine, 'acme:lidar', '--cancel')).toEqual([
      'acme:lidar is not restarted: the request is withdrawn',
    ]);
  });

  it('waits for the window if the immediate one was withdrawn or has failed', async () => {
    const waits = 'acme:lidar restarts 1.2.3 once nothing holds it';
    const machine = await settled({ policy: NIGHTLY });
    await ask(machine, 'restart', 'acme:lidar', '--now');
    await ask(machine, 'restart', 'acme:lidar', '--cancel');
    expect((await answerTo(machine, 'acme:lidar'))[0]).toBe(waits);
    await ask(machine, 'restart', 'acme:lidar', '--now');
    await machine.pass(MINUTE);
    const failure = { reason: 'it hangs', blame: 'release', running: '1.2.3' } as const;
    await machine.deliveries.shift()?.failed(failure);
    expect((await answerTo(machine, 'acme:lidar'))[0]).toBe(waits);
  });
});

/** A machine whose requested restart has failed. */
async function failed(): Promise<Day> {
  const machine = await settled();
  await ask(machine, 'restart', 'acme:lidar', '--now');
  await machine.pass(MINUTE);
  const failure = { reason: 'it hangs', blame: 'release', running: '1.2.3' } as const;
  await machine.deliveries.shift()?.failed(failure);
  return machine;
}

/** Whether `status` has that failure. */
async function isSaid(machine: Day): Promise<boolean> {
  return (await ask(machine, 'status')).answer.join('\n').includes('which failed: it hangs');
}

describe('[D41, D470] a requested restart is shown by', () => {
  it('status: while it is held, while the agent has it, and after it failed', async () => {
    const machine = await settled({ policy: NIGHTLY });
    await ask(machine, 'restart', 'acme:lidar');
    const statusLine = async (): Promise<string | undefined> =>
      (await ask(machine, 'status')).answer.at(-1);
    expect(await statusLine()).toBe(
      'acme_lidar: an operator requested a restart at 2026-11-21T01:03:03Z',
    );
    await machine.pass(MINUTE);
    // [D470] Its row says it then.
    expect((await ask(machine, 'status')).answer.slice(-3)).toEqual([
      expect.stringContaining(
        '; an operator requested a restart at 2026-11-21T01:03:03Z',
      ) as string,
      '',
      'Restart now: modreg restart acme:lidar --now',
    ]);
    expect((await ask(machine, 'status')).answer.join('\n')).toContain(
      'waiting    the maintenance window is closed until 2026-11-21T02:00:00Z (in 55 min 57 s); an operator requested a restart at 2026-11-21T01:03:03Z',
    );
    await machine.pass(HOUR);
    const id = machine.deliveries[0]?.action.id;
    expect(await statusLine()).toBe(
      `acme_lidar restart of 1.2.3: begun once, not done yet (${id})`,
    );
    await machine.deliveries
      .shift()
      ?.failed({ reason: 'it hangs', blame: 'release', running: '1.2.3' });
    expect(await statusLine()).toBe(
      'acme_lidar: an operator requested a restart at 2026-11-21T01:03:03Z, which failed: it hangs',
    );
    const { answer } = await ask(machine, 'status', '--json');
    expect(JSON.parse(answer[0] ?? '')).toMatchObject({
      targets: [
        {
          restart_request: {
            requested_at: '2026-11-21T01:03:03Z',
            immediate: false,
            failure: 'it hangs',
          },
        },
      ],
    });
  });

  it('[D485] status no longer, once the module works or another version is deployed', async () => {
    const target = moduleNamed('acme_lidar', 'acme:lidar');
    const [one, other] = [await failed(), await failed()];
    expect([await isSaid(one), await isSaid(other)]).toEqual([true, true]);
    await one.poller.reportWorking(target, { version: '1.2.3', isProven: false });
    other.state.report(target, '1.2.4', 1);
    expect([await isSaid(one), await isSaid(other)]).toEqual([false, false]);
  });

  it('[D485] status no longer, once the version failed as well and another one runs', async () => {
    const target = moduleNamed('acme_lidar', 'acme:lidar');
    const machine = await failed();
    const why = { reason: 'it ended', running: '1.2.2' } as const;
    await machine.poller.reportFailure(target, { version: '1.2.3', ...why });
    expect(await isSaid(machine)).toBe(false);
  });

  it('why, with its causes', async () => {
    const machine = await settled({ policy: NIGHTLY });
    await ask(machine, 'restart', 'acme:lidar');
    await machine.pass(HOUR);
    await machine.deliveries.shift()?.done();
    await machine.pass(MINUTE);
    const { answer } = await ask(machine, 'why', 'acme:lidar');
    expect(answer.slice(1)).toEqual([
      '2026-11-21T01:03:33Z  held the restart of 1.2.3: the maintenance window is closed until 2026-11-21T02:00:00Z; an operator requested a restart at 2026-11-21T01:03:03Z; an operator requested a restart',
      '2026-11-21T02:00:00Z  decided to restart 1.2.3: an operator requested a restart at 2026-11-21T01:03:03Z; the maintenance window opened',
      '2026-11-21T02:03:03Z  stayed at 1.2.3: already the newest patch of 1.2; the request of a restart ended',
    ]);
  });
});
