import { jetstreamManager, jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { clusterInTest } from './in-test.ts';

it('keeps what it acknowledged when the leader is killed, and then all nodes', async () => {
  const cluster = await clusterInTest();
  const nats = await connect({ servers: cluster.servers.split(','), maxReconnectAttempts: -1 });
  onTestFinished(() => nats.close());
  const manager = await jetstreamManager(nats);
  await manager.streams.add({ name: 'KEPT', subjects: ['kept'], num_replicas: 3 });
  await jetstream(nats).publish('kept', 'first');

  const leader = await cluster.leader();
  await leader.kill();
  await cluster.ready();
  leader.start();
  await cluster.ready();
  for (const node of cluster.nodes) await node.kill();
  for (const node of cluster.nodes) node.start();
  await cluster.ready();

  const read = async (): Promise<string | undefined> =>
    (await manager.streams.getMessage('KEPT', { seq: 1 }))?.string();
  await expect.poll(async () => await read().catch(() => undefined)).toBe('first');
});
