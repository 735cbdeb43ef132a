import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { leaseIn } from '../../src/cluster/nats/lease.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

it('a lease counts from its request, however late the answer is', async () => {
  const clock = virtualClock();
  const { promise, resolve } = Promise.withResolvers<number>();
  const bucket = {
    create: async () => await promise,
    update: async () => await new Promise<number>(() => undefined),
    delete: async () => await Promise.resolve(),
  };
  const open = async (): Promise<typeof bucket> => await Promise.resolve(bucket);
  const lease = leaseIn({ open, isTaken: () => false }, () => true, clock);
  const held: boolean[] = [];
  await clock.pass(3000);
  held.push(lease.isHeld());
  resolve(1);
  await setImmediate();
  held.push(lease.isHeld());
  await clock.pass(1999);
  held.push(lease.isHeld());
  await clock.pass(1);
  held.push(lease.isHeld());
  expect(held).toEqual([false, true, true, false]);
});

it('a front that gives up its lease leaves one that another front has taken meanwhile', async () => {
  const clock = virtualClock();
  // What the bucket has: the number of its newest value.
  let newest: number | undefined;
  let isFit = true;
  const change = async (previous: number | undefined): Promise<number> => {
    if (newest !== previous) throw new Error('another front was faster');
    newest = (newest ?? 0) + 1;
    return await Promise.resolve(newest);
  };
  const bucket = {
    create: async () => await change(undefined),
    update: async (_key: string, _value: unknown, revision: number) => await change(revision),
    async delete(_key: string, { previousSeq = newest }: { previousSeq?: number } = {}) {
      await change(previousSeq);
      newest = undefined;
    },
  };
  const open = async (): Promise<typeof bucket> => await Promise.resolve(bucket);
  const lease = leaseIn({ open, isTaken: () => true }, () => isFit, clock);
  await clock.pass(0);
  expect([lease.isHeld(), newest]).toEqual([true, 1]);
  newest = 7;
  isFit = false;
  await clock.pass(1500);
  expect([lease.isHeld(), newest]).toEqual([false, 7]);
  const stopped = lease.stop();
  await clock.pass(1500);
  await stopped;
});
