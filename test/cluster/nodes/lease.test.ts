import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { leaseOf } from '../../../src/cluster/nats/lease.ts';
import { systemClock } from '../../../src/registry/clock.ts';
import { clusterInTest } from './in-test.ts';

it('a front that gives up a lease which another one has taken meanwhile leaves it to that one', async () => {
  const { servers } = await clusterInTest();
  const nats = await connect({ servers: servers.split(',') });
  onTestFinished(async () => await nats.close());
  const stalled = Promise.withResolvers<void>();
  let isFit = true;
  // As if its process were stopped after it has taken the lease.
  const clock = { ...systemClock, sleep: async () => await stalled.promise };
  const first = (await leaseOf(nats, { clock, replicas: 3 }))(() => isFit);
  await expect.poll(first.isHeld).toBe(true);
  const second = (await leaseOf(nats, { clock: systemClock, replicas: 3 }))(() => true);
  onTestFinished(second.stop);
  await expect.poll(second.isHeld, { timeout: 20_000 }).toBe(true);
  const bucket = await new Kvm(nats).open('modreg_lease');
  const held = await bucket.get('controller');
  isFit = false;
  stalled.resolve();
  await first.stop();
  const after = await bucket.get('controller');
  expect([after?.operation, after?.string()]).toEqual(['PUT', held?.string()]);
});
