import { describe, expect, it } from 'vitest';
import { moduleId } from '../support/ask.ts';
import { day, MINUTE, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
} as const satisfies DayOptions;

/** Each hour. A day begins at 01:02:03. */
const FOR_TEN_MINUTES = {
  maintenance: [{ start: '0 * * * *', duration: '10m', time_zone: 'UTC' }],
};

describe('[T51] before a delivery', () => {
  it('the window is checked again, and the newest release is delivered when it opens', async () => {
    const machine = await day({ ...LIDAR, policy: FOR_TEN_MINUTES, takesUp: 'later' });
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual(['01:02:33 committed acme_lidar 1.2.3 → 1.2.4']);
    await machine.pass(20 * MINUTE);
    const next = machine.poller.deliveries().next();
    machine.publish('acme:lidar', '1.2.5');
    await machine.pass(30 * MINUTE);
    expect(machine.story()).toEqual(['01:10:00 superseded acme_lidar 1.2.3 → 1.2.4']);
    await machine.pass(10 * MINUTE);
    expect((await next).value).toMatchObject({ action: { to: '1.2.5' }, times: 1 });
    expect(machine.story()).toEqual([
      '02:00:00 committed acme_lidar 1.2.3 → 1.2.5',
      '02:00:00 delivered acme_lidar 1.2.3 → 1.2.5',
    ]);
  });

  it('a window that closes in that second prevents it', async () => {
    const machine = await day({ ...LIDAR, policy: FOR_TEN_MINUTES, takesUp: 'later' });
    await machine.pass(MINUTE);
    // The clock jumps without waking anything.
    machine.clock.set(Date.parse('2026-11-21T01:10:00Z'));
    const next = machine.poller.deliveries().next();
    await machine.pass(0);
    machine.clock.set(Date.parse('2026-11-21T01:09:59Z'));
    expect(machine.story()).toEqual(['01:02:33 committed acme_lidar 1.2.3 → 1.2.4']);
    const other = machine.poller.deliveries().next();
    await machine.pass(0);
    expect(machine.story()).toEqual(['01:09:59 delivered acme_lidar 1.2.3 → 1.2.4']);
    expect((await other).value).toMatchObject({ times: 1 });
    void next;
  });

  it('a server that is processing its config prevents it until that is done', async () => {
    let isServerBusy = false;
    const isBusy = (): boolean => isServerBusy;
    const machine = await day({ ...LIDAR, takesUp: 'later', isServerBusy: isBusy });
    await machine.pass(MINUTE);
    isServerBusy = true;
    const next = machine.poller.deliveries().next();
    await machine.pass(5 * MINUTE);
    isServerBusy = false;
    await machine.pass(MINUTE);
    expect((await next).value).toMatchObject({ action: { to: '1.2.4' } });
    expect(machine.story()).toEqual([
      '01:02:33 committed acme_lidar 1.2.3 → 1.2.4',
      '01:03:33 superseded acme_lidar 1.2.3 → 1.2.4',
      '01:08:33 committed acme_lidar 1.2.3 → 1.2.4',
      '01:08:33 delivered acme_lidar 1.2.3 → 1.2.4',
    ]);
  });
});

describe('the callback that allows maintenance (D29)', () => {
  it.each<[string, () => unknown, string, string[]?]>([
    ['returns false', () => false, 'maintenance is not allowed now'],
    [
      'returns undefined',
      () => undefined,
      'the agent gave no answer when asked whether maintenance is allowed',
    ],
    [
      'returns something else',
      () => 'yes',
      'the agent answered neither true nor false when asked whether maintenance is allowed',
    ],
    [
      'throws',
      () => {
        throw new Error('no connection');
      },
      'the agent could not be asked whether maintenance is allowed',
      [
        '01:02:33 callback error: Error: no connection',
        '01:03:33 callback error: Error: no connection',
      ],
    ],
    [
      'never answers',
      async () => await new Promise(() => undefined),
      'the agent took too long to answer whether maintenance is allowed',
    ],
  ])('holds the upgrade if it %s', async (_, isMaintenanceAllowed, reason, story = []) => {
    const machine = await day({ ...LIDAR, isMaintenanceAllowed });
    await machine.pass(2 * MINUTE);
    expect(machine.story()).toEqual(story);
    expect(machine.state.decisions()[0]).toMatchObject({ decision: 'hold', reason });
  });

  it('is called when an upgrade is due, and again before its delivery', async () => {
    const answers = [true, false, true, true];
    const asked: string[] = [];
    const machine = await day({
      ...LIDAR,
      isMaintenanceAllowed: async () => {
        asked.push(new Date(machine.clock.now()).toISOString().slice(11, 19));
        return await Promise.resolve(answers.shift());
      },
    });
    await machine.pass(3 * MINUTE);
    expect(machine.deliveries).toHaveLength(1);
    await machine.deliveries[0]?.done();
    await machine.pass(5 * MINUTE);
    expect(asked).toEqual(['01:02:33', '01:02:33', '01:03:33', '01:03:33']);
  });
});

describe('[T55] after a restart', () => {
  it('an undelivered action is delivered with the same id', async () => {
    const machine = await day({ ...LIDAR, takesUp: 'later' });
    await machine.pass(MINUTE);
    const [before] = machine.state.memory().open;
    await machine.restart();
    const next = machine.poller.deliveries().next();
    await machine.pass(MINUTE);
    expect((await next).value).toMatchObject({ action: { id: before?.action.id }, times: 1 });
  });

  it('an undelivered action is replaced by a newer one with another id', async () => {
    const machine = await day({ ...LIDAR, takesUp: 'later' });
    await machine.pass(MINUTE);
    const [before] = machine.state.memory().open;
    machine.publish('acme:lidar', '1.2.5');
    await machine.restart();
    const next = machine.poller.deliveries().next();
    await machine.pass(MINUTE);
    expect((await next).value).toMatchObject({ action: { to: '1.2.5' }, times: 1 });
    expect(machine.state.memory().open[0]?.action.id).not.toBe(before?.action.id);
  });

  it('a delivered action is delivered again at once, despite a newer release and the cooldown', async () => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    machine.publish('acme:lidar', '1.2.5');
    machine.story();
    await machine.restart();
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual(['01:03:33 delivered acme_lidar 1.2.3 → 1.2.4 again (2)']);
    const [first, second] = machine.deliveries;
    expect(second?.action.id).toBe(first?.action.id);
    await second?.done();
    await machine.pass(10 * MINUTE);
    // Five minutes after it was delivered again.
    expect(machine.story()).toEqual([
      '01:04:03 acknowledged done',
      '01:08:33 committed acme_lidar 1.2.4 → 1.2.5',
      '01:08:33 delivered acme_lidar 1.2.4 → 1.2.5',
    ]);
  });

  it('a delivered action whose release was yanked is withdrawn', async () => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    machine.registry.catalogue.yank(moduleId('acme:lidar'), '1.2.4', 'stops the motor');
    machine.story();
    await machine.restart();
    await machine.pass(MINUTE);
    expect(machine.story()).toEqual(['01:03:33 withdrawn acme_lidar 1.2.3 → 1.2.4']);
  });

  it('a delivered action waits for the window', async () => {
    const machine = await day({ ...LIDAR, policy: FOR_TEN_MINUTES });
    await machine.pass(20 * MINUTE);
    machine.story();
    await machine.restart();
    await machine.pass(30 * MINUTE);
    expect(machine.story()).toEqual([]);
    await machine.pass(10 * MINUTE);
    expect(machine.story()).toEqual(['02:00:00 delivered acme_lidar 1.2.3 → 1.2.4 again (2)']);
  });
});
