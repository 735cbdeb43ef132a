import { jetstreamManager, type JetStreamManager, type StreamConfig } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { SETTINGS } from '../../../src/cluster/nats/release-stream.ts';
import { printed } from '../../support/command.ts';
import { clusterInTest } from './in-test.ts';
import type { Cluster } from './nodes.ts';

async function managerOf({ servers }: Cluster): Promise<JetStreamManager> {
  const connection = await connect({ servers: servers.split(',') });
  onTestFinished(async () => await connection.close());
  return await jetstreamManager(connection);
}

/** What the command prints, with `LEADER` for whichever node leads. */
async function checked(cluster: Cluster, ...more: readonly string[]): Promise<readonly string[]> {
  const monitors = cluster.nodes.map(({ monitor }) => monitor).join(',');
  const args = ['fleet', 'check', '--nats', cluster.servers, '--monitor', monitors, ...more];
  const { stdout, stderr, exit } = await printed(args);
  expect(stderr).toEqual([]);
  const ports = cluster.nodes.map(({ monitor }) => monitor.replace('http://', ''));
  const masked = stdout.map((line) =>
    ports.reduce(
      (text, port, place) => text.replaceAll(port, `MONITOR-${place + 1}`),
      line.replace(/n\d leads/, 'LEADER leads'),
    ),
  );
  return [...masked, `exit ${exit}`];
}

const NODE = 'nats-server 2.10.27, writes to the disk before each acknowledgement';
const LEADS = 'LEADER leads, the others are current';
const LATER = 'does not exist yet: the first front creates it';

it('finds nothing wrong with three nodes that sync, and their streams', async () => {
  const cluster = await clusterInTest();
  expect(await checked(cluster)).toEqual([
    `ok     n1               ${NODE}`,
    `ok     n2               ${NODE}`,
    `ok     n3               ${NODE}`,
    `ok     cluster          3 nodes, ${LEADS}`,
    `ok     RELEASES         ${LATER}`,
    `ok     REPORTS          ${LATER}`,
    `ok     KV_modreg_lease  ${LATER}`,
    'nothing is wrong',
    'exit 0',
  ]);
});

it('names each node that does not write to the disk before it acknowledges', async () => {
  const cluster = await clusterInTest({ syncInterval: (place) => (place === 1 ? '2m' : 'always') });
  const found = await checked(cluster);
  expect(found.filter((line) => !line.startsWith('ok'))).toEqual([
    'error  n2               writes its files to the disk every 2 min, expected before each acknowledgement',
    '                        fix: set jetstream { sync_interval: always }, and restart it',
    '1 error',
    'exit 1',
  ]);
});

it('names a node that is down, and streams that wait for it', async () => {
  const cluster = await clusterInTest();
  const manager = await managerOf(cluster);
  await manager.streams.add({ ...SETTINGS, num_replicas: 3 });
  const leader = await cluster.leader();
  await cluster.nodes.find((node) => node !== leader)?.kill();
  const down = cluster.nodes.findIndex((node) => !node.process()) + 1;
  const wrong = async (): Promise<readonly string[]> =>
    (await checked(cluster)).filter((line) => !line.startsWith('ok'));
  await expect
    .poll(wrong)
    .toEqual([
      `error  MONITOR-${down}  no answer from its monitoring address: connect ECONNREFUSED MONITOR-${down}`,
      '                        fix: start the node; --monitor names its monitoring address',
      `error  cluster          n${down} is behind or down`,
      `error  RELEASES         n${down} is behind or down`,
      '3 errors',
      'exit 1',
    ]);
});

const WRONG_SETTINGS = [
  [{ num_replicas: 1 }, 'num_replicas is 1, expected 3'],
  [{ storage: 'memory' }, 'storage is memory, expected file'],
  [{ retention: 'interest' }, 'retention is interest, expected limits'],
  [{ max_age: 60_000_000_000_000 }, 'max_age is 60000000000000, expected 0'],
  [{ max_msgs: 7 }, 'max_msgs is 7, expected -1'],
  [{ max_bytes: 7000 }, 'max_bytes is 7000, expected -1'],
  [{ max_msgs_per_subject: 7 }, 'max_msgs_per_subject is 7, expected -1'],
  [{ discard: 'old' }, 'discard is old, expected new'],
  [{ deny_delete: false }, 'deny_delete is false, expected true'],
  [{ deny_purge: false }, 'deny_purge is false, expected true'],
  [{ allow_direct: false }, 'allow_direct is false, expected true'],
  [
    { subjects: ['modreg.fleet'] },
    'subjects is modreg.fleet, expected modreg.fleet,modreg.release.>',
  ],
] as const;

it('names each setting of a stream that could lose releases', async () => {
  const cluster = await clusterInTest();
  const manager = await managerOf(cluster);
  const right = { ...SETTINGS, num_replicas: 3 };
  for (const [{ ...setting }, text] of WRONG_SETTINGS) {
    await manager.streams.add({ ...right, ...(setting as Partial<StreamConfig>) });
    // The replicas of a new stream are behind for a moment.
    const wrong = async (): Promise<readonly string[]> =>
      (await checked(cluster)).filter((line) => !line.startsWith('ok'));
    await expect.poll(wrong).toEqual([`error  RELEASES         ${text}`, '1 error', 'exit 1']);
    await manager.streams.delete('RELEASES');
  }
  await manager.streams.add(right);
  await expect
    .poll(async () => await checked(cluster))
    .toContain(`ok     RELEASES         3 replicas, ${LEADS}`);
});

it('names credentials that the cluster refuses, and says the rest as JSON', async () => {
  const cluster = await clusterInTest({ extra: 'authorization { token: only-fronts-know }' });
  const [json = ''] = await checked(cluster, '--json');
  expect(JSON.parse(json)).toEqual({
    schema: 'modreg/fleet-check@1',
    errors: 1,
    findings: [
      ...['n1', 'n2', 'n3'].map((subject) => ({ subject, severity: 'ok', found: NODE, fix: null })),
      { subject: 'cluster', severity: 'ok', found: `3 nodes, ${LEADS}`, fix: null },
      {
        subject: 'streams',
        severity: 'error',
        found: 'no answer from the cluster: Authorization Violation',
        fix: null,
      },
    ],
  });
});

it('[T243] does not speak with nodes without TLS if an address begins with tls:', async () => {
  const cluster = await clusterInTest();
  const withTls = { ...cluster, servers: cluster.servers.replaceAll('nats:', 'tls:') };
  const found = await checked(withTls);
  expect(found.filter((line) => !line.startsWith('ok'))).toEqual([
    "error  streams  no answer from the cluster: server does not support 'tls'",
    '1 error',
    'exit 1',
  ]);
});
