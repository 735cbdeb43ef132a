import { expect, it } from 'vitest';
import { alarms } from '../../src/server/catalogue/alarms.ts';
import { virtualClock } from '../../src/testing/index.ts';

it('rings each alarm after its own time, unless it was ended', async () => {
  const clock = virtualClock();
  const { add } = alarms(clock);
  const began = clock.monotonic();
  const rung: (readonly [name: string, ms: number])[] = [];
  const alarm = (name: string, ms: number): (() => void) => {
    const end = add(ms, () => {
      end();
      rung.push([name, clock.monotonic() - began]);
    });
    return end;
  };
  const endFirst = alarm('ended before the others', 1000);
  await clock.pass(100);
  alarm('second', 1000);
  alarm('shorter', 400);
  await clock.pass(100);
  endFirst();
  const endThird = alarm('ended in between', 1000);
  await clock.pass(50);
  alarm('last', 1000);
  await clock.pass(900);
  endThird();
  await clock.pass(10_000);
  alarm('after all have rung', 1000);
  await clock.pass(10_000);
  expect(rung).toEqual([
    ['shorter', 500],
    ['second', 1100],
    ['last', 1250],
    ['after all have rung', 12_150],
  ]);
});

it('rings each alarm once, also if nothing ends it, and those that are added later', async () => {
  const clock = virtualClock();
  const { add } = alarms(clock);
  const began = clock.monotonic();
  const rung: (readonly [name: string, ms: number])[] = [];
  const ring = (name: string) => () => void rung.push([name, clock.monotonic() - began]);
  add(1000, ring('first'));
  const end = add(1000, () => {
    ring('second')();
    add(1000, ring('added by the second'));
  });
  await clock.pass(5000);
  add(1000, ring('after all have rung'));
  end();
  await clock.pass(10_000);
  expect(rung).toEqual([
    ['first', 1000],
    ['second', 1000],
    ['added by the second', 2000],
    ['after all have rung', 6000],
  ]);
});

it('sleeps for none that has ended', async () => {
  const clock = virtualClock();
  let sleeping = 0;
  const { add } = alarms({
    ...clock,
    async sleep(ms, signal) {
      sleeping++;
      await clock.sleep(ms, signal).finally(() => sleeping--);
    },
  });
  const ends = [add(1000, () => undefined), add(1000, () => undefined), add(10, () => undefined)];
  expect(sleeping).toBe(2);
  for (const end of ends) end();
  await clock.pass(0);
  expect(sleeping).toBe(0);
});
