import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/poller/index.ts';
import { moduleId } from '../support/ask.ts';
import { day, HOUR, MINUTE, SECOND, type Day, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
  acknowledgeWithinMs: 20 * MINUTE,
} as const satisfies DayOptions;

/** When the signal of a delivery was aborted, and why. */
function abortOf(machine: Day, { signal }: Delivery): () => string | undefined {
  let aborted: string | undefined;
  signal.addEventListener('abort', () => {
    const { name, message } = signal.reason as Error;
    const at = new Date(machine.clock.now()).toISOString().slice(11, 19);
    aborted = `${at} ${name}: ${message.replace(/[\da-f]{12}-/, '')}`;
  });
  return () => aborted;
}

/** A machine whose consumer has an action since 01:02:33. */
async function working(): Promise<{ machine: Day; delivery: Delivery; iterator: Iterator }> {
  const machine = await day({ ...LIDAR, takesUp: 'later' });
  const iterator = machine.poller.deliveries();
  const next = iterator.next();
  await machine.pass(MINUTE);
  const { value: delivery } = await next;
  if (!delivery) throw new Error('nothing was delivered');
  expect(machine.story()).toHaveLength(2);
  return { machine, delivery, iterator };
}

type Iterator = AsyncGenerator<Delivery, void, undefined>;

describe('[D39] the signal of a delivery', () => {
  it('is aborted at the deadline, and the action is overdue but stays with its consumer', async () => {
    const { machine, delivery, iterator } = await working();
    const aborted = abortOf(machine, delivery);
    const others = [iterator.next(), machine.poller.deliveries().next()];
    await machine.pass(40 * MINUTE);
    expect(aborted()).toBe(
      '01:22:33 TimeoutError: action 1 of acme_lidar was not acknowledged within 20 min',
    );
    await delivery.done();
    expect(machine.story()).toEqual([
      '01:22:33 overdue acme_lidar 1.2.3 → 1.2.4',
      '01:43:03 acknowledged done',
    ]);
    await machine.poller.stop();
    expect(await Promise.all(others)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });

  it.each<[string, (machine: Day, delivery: Delivery) => Promise<void>]>([
    ['an acknowledgement', async (_, delivery) => await delivery.done()],
    ['the poller stops', async ({ poller }) => await poller.stop()],
  ])('is not aborted after %s', async (_, end) => {
    const { machine, delivery } = await working();
    await end(machine, delivery);
    await machine.pass(40 * MINUTE);
    expect(delivery.signal.aborted).toBe(false);
    expect(machine.story().filter((line) => line.includes('overdue'))).toEqual([]);
  });

  it('is not aborted by a wall clock that jumps', async () => {
    const { machine, delivery } = await working();
    machine.clock.set(machine.clock.now() + 72 * HOUR);
    await machine.pass(19 * MINUTE);
    expect(delivery.signal.aborted).toBe(false);
    await machine.pass(MINUTE);
    expect(delivery.signal.aborted).toBe(true);
  });

  it.each<[string, (machine: Day) => Promise<void> | void, string]>([
    [
      'the action is withdrawn',
      ({ registry }) => {
        registry.catalogue.yank(moduleId('acme:lidar'), '1.2.4', 'motor');
      },
      '01:04:33 AbortError: action 1 of acme_lidar was withdrawn',
    ],
    [
      'another consumer gets the action',
      () => undefined,
      '01:03:03 AbortError: action 1 of acme_lidar was delivered to another consumer',
    ],
    [
      'its release is reported as failed',
      async ({ poller }) => await poller.reportFailure(LIDAR_TARGET, FAILURE),
      '01:03:03 AbortError: action 1 of acme_lidar ended, because its release was reported as failed',
    ],
  ])('is aborted after its consumer has ended and %s', async (_, happens, expected) => {
    const { machine, delivery, iterator } = await working();
    const aborted = abortOf(machine, delivery);
    await iterator.return();
    await happens(machine);
    if (expected.includes('withdrawn')) await machine.pass(90 * SECOND);
    const next = machine.poller.deliveries().next();
    await machine.pass(0);
    expect(aborted()).toBe(expected);
    await machine.poller.stop();
    await next;
  });
});

const LIDAR_TARGET = { kind: 'module', name: 'acme_lidar', moduleId: 'acme:lidar' } as never;
const FAILURE = { version: '1.2.4', reason: 'it crashed', running: '1.2.3' };

describe('[D39] extend()', () => {
  it.each<[string, number[], string]>([
    ['moves the deadline', [30 * MINUTE], '01:33:03'],
    ['counts from now', [30 * MINUTE, 40 * MINUTE], '01:53:03'],
    ['does not bring the deadline forward', [SECOND], '01:22:33'],
    ['moves the deadline by a second', [20 * MINUTE - 29 * SECOND, SECOND], '01:22:34'],
  ])('%s', async (_, calls, expected) => {
    const { machine, delivery } = await working();
    const aborted = abortOf(machine, delivery);
    for (const ms of calls) {
      delivery.extend(ms);
      if (ms === 30 * MINUTE) await machine.pass(10 * MINUTE);
    }
    await machine.pass(45 * MINUTE);
    expect(aborted()?.slice(0, 8)).toBe(expected);
  });

  it('has no effect after the deadline: the action is withdrawn once its version is yanked', async () => {
    const { machine, delivery } = await working();
    await machine.pass(25 * MINUTE);
    delivery.extend(HOUR);
    machine.registry.catalogue.yank(moduleId('acme:lidar'), '1.2.4', 'stops the motor');
    await machine.pass(2 * MINUTE);
    expect(machine.story()).toEqual([
      '01:22:33 overdue acme_lidar 1.2.3 → 1.2.4',
      '01:28:33 withdrawn acme_lidar 1.2.3 → 1.2.4',
    ]);
  });

  it.each([SECOND, 24 * HOUR])('accepts %i ms', async (ms) => {
    const { delivery } = await working();
    expect(delivery.extend(ms)).toBeUndefined();
  });

  it.each([
    [999, 'the number 999', RangeError],
    [0, 'the number 0', RangeError],
    [-1, 'the number -1', RangeError],
    [24 * HOUR + 1, 'the number 86400001', RangeError],
    [Number.NaN, 'the number NaN', RangeError],
    ['5000', '"5000"', TypeError],
    [undefined, 'nothing', TypeError],
  ])('refuses %o', async (ms, found, Wrong) => {
    const { delivery } = await working();
    const message = `extend(): found ${found} as ms, expected 1000 to 86400000 milliseconds`;
    expect(() => delivery.extend(ms as number)).toThrow(new Wrong(message));
  });
});

describe('[D39] progress()', () => {
  it('emits an event for each whole percent, until the outcome is reported', async () => {
    const { machine, delivery } = await working();
    for (const fraction of [0, 0.001, 0.5, 0.509, 0.51, 1, 1]) delivery.progress(fraction);
    await delivery.done();
    delivery.progress(0.2);
    expect(machine.story()).toEqual([
      '01:03:03 progress acme_lidar 1.2.3 → 1.2.4: 0',
      '01:03:03 progress acme_lidar 1.2.3 → 1.2.4: 0.5',
      '01:03:03 progress acme_lidar 1.2.3 → 1.2.4: 0.51',
      '01:03:03 progress acme_lidar 1.2.3 → 1.2.4: 1',
      '01:03:03 acknowledged done',
    ]);
  });

  it.each([
    [-0.1, 'the number -0.1', RangeError],
    [1.1, 'the number 1.1', RangeError],
    [Number.NaN, 'the number NaN', RangeError],
    ['0.5', '"0.5"', TypeError],
  ])('refuses %o', async (fraction, found, Wrong) => {
    const { delivery } = await working();
    const message = `progress(): found ${found} as fraction, expected 0 to 1`;
    expect(() => delivery.progress(fraction as number)).toThrow(new Wrong(message));
  });
});

describe('[D39] [D38] after a consumer has ended', () => {
  it.each<[string, (iterator: Iterator, ending: AbortController) => Promise<unknown> | void]>([
    ['by leaving the loop', async (iterator) => await iterator.return()],
    [
      'by throwing in it',
      async (iterator) => await iterator.throw(new Error('no')).catch(() => undefined),
    ],
    ['by its signal, while it works', (_, ending) => ending.abort()],
  ])('%s, another consumer gets the action at once, and one report counts', async (_, end) => {
    const machine = await day({ ...LIDAR, takesUp: 'later' });
    const ending = new AbortController();
    const iterator = machine.poller.deliveries(ending.signal);
    const first = iterator.next();
    await machine.pass(MINUTE);
    const waiting = machine.poller.deliveries().next();
    await machine.pass(MINUTE);
    await end(iterator, ending);
    await machine.pass(0);
    const [{ value: earlier }, { value: later }] = await Promise.all([first, waiting]);
    expect(later).toMatchObject({ action: { id: earlier?.action.id }, times: 2 });
    await earlier?.done();
    await expect(later?.done()).rejects.toThrow(' was already reported as done; ');
    expect(later?.signal.reason).toMatchObject({ name: 'AbortError' });
    expect(machine.story().slice(2)).toEqual([
      '01:04:03 delivered acme_lidar 1.2.3 → 1.2.4 again (2)',
      '01:04:03 acknowledged done',
    ]);
  });

  it('[D38] the same id in a new delivery is a new acknowledgement', async () => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    const [first] = machine.deliveries;
    await first?.failed({ reason: 'no space', running: '1.2.3', blame: 'machine' });
    await machine.pass(MINUTE);
    const second = machine.deliveries[1];
    expect(second?.action.id).toBe(first?.action.id);
    await expect(first?.done()).rejects.toThrow(' was already reported as failed; ');
    await second?.done();
    expect(machine.story().slice(2)).toEqual([
      '01:03:03 acknowledged failed',
      '01:03:48 delivered acme_lidar 1.2.3 → 1.2.4 again (2)',
      '01:04:03 acknowledged done',
    ]);
  });
});

it('[D39] [T61] an overdue action whose version can no longer be selected is withdrawn', async () => {
  const machine = await day(LIDAR);
  await machine.pass(MINUTE);
  machine.registry.catalogue.yank(moduleId('acme:lidar'), '1.2.4', 'stops the motor');
  await machine.pass(25 * MINUTE);
  expect(machine.story().slice(2)).toEqual([
    '01:22:33 overdue acme_lidar 1.2.3 → 1.2.4',
    '01:22:33 withdrawn acme_lidar 1.2.3 → 1.2.4',
  ]);
});
