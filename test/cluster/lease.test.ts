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
