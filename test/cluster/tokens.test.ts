import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tokenFor } from '../support/token.ts';
import { startFront, type Front } from './fronts.ts';
import { startCluster, type Cluster } from './nodes.ts';

async function clusterWith(): Promise<Cluster> {
  const cluster = await startCluster();
  onTestFinished(cluster.close);
  return cluster;
}

async function frontOf({ servers }: Cluster): Promise<Front> {
  const front = await startFront(`${temporaryFolder()}/front.db`, servers, { args: ['--create'] });
  onTestFinished(front.kill);
  return front;
}

/** Creates a token in the file of a front with the command line, and returns its text. */
async function createdOn({ db }: Front, name: string): Promise<string> {
  const args = ['registry', 'token', 'create', '--db', db, '--name', name, '--scope', 'publish'];
  const { stdout } = await printed(args);
  return stdout.join('');
}

async function revokedOn({ db }: Front, name: string): Promise<void> {
  expect((await printed(['registry', 'token', 'revoke', name, '--db', db])).exit).toBe(0);
}

/** What each front answers to the token: 422 if it knows it, since there is no release in the request. */
async function statusesOf(fronts: readonly Front[], token: string): Promise<number[]> {
  return await Promise.all(
    fronts.map(async ({ address }) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: '{}' };
      const response = await fetch(`${address}/v1/modules/acme/lidar/releases`, sent);
      await response.body?.cancel();
      return response.status;
    }),
  );
}

const KNOWN = 422;
const UNKNOWN = 401;

it('[T219] a token that is created or revoked on a front is so on all, also on one that starts later', async () => {
  const cluster = await clusterWith();
  const fronts = [await frontOf(cluster), await frontOf(cluster)];
  const [first, second] = fronts as [Front, Front];
  const [one, other] = [await createdOn(first, 'ci'), await createdOn(second, 'robots')];
  for (const token of [one, other]) {
    await expect.poll(async () => await statusesOf(fronts, token)).toEqual([KNOWN, KNOWN]);
  }
  await revokedOn(second, 'ci');
  await expect.poll(async () => await statusesOf(fronts, one)).toEqual([UNKNOWN, UNKNOWN]);
  const later = await frontOf(cluster);
  await expect.poll(async () => await statusesOf([later], other)).toEqual([KNOWN]);
  expect(await statusesOf([later], one)).toEqual([UNKNOWN]);
});

it('[T219] tokens of one name that two fronts create without nodes are both valid on both', async () => {
  const cluster = await clusterWith();
  const fronts = [await frontOf(cluster), await frontOf(cluster)];
  const [first, second] = fronts as [Front, Front];
  for (const node of cluster.nodes) await node.kill();
  const [one, other] = [await createdOn(first, 'ci'), await createdOn(second, 'ci')];
  expect(await statusesOf(fronts, one)).toEqual([KNOWN, UNKNOWN]);
  for (const node of cluster.nodes) node.start();
  await cluster.ready();
  for (const token of [one, other]) {
    await expect.poll(async () => await statusesOf(fronts, token)).toEqual([KNOWN, KNOWN]);
  }
});

it('[T183] [T219] a token that is created while the stream is lost does not take the number of another event', async () => {
  const cluster = await clusterWith();
  const fronts = [await frontOf(cluster), await frontOf(cluster)];
  const [first] = fronts as [Front, Front];
  const tokens = [await createdOn(first, 'ci')];
  for (const version of ['1.0.0', '1.0.1', '1.0.2']) {
    await expect.poll(async () => await published(first, tokens[0] ?? '', version)).toBe(201);
  }
  // A front that lags while the stream is lost is a second fault, after which one of them stops.
  for (const front of fronts) {
    await expect.poll(async () => await versionsAt(front)).toEqual(['1.0.0', '1.0.1', '1.0.2']);
  }
  const nats = await connect({ servers: cluster.servers.split(',') });
  onTestFinished(async () => await nats.close());
  const manager = await jetstreamManager(nats);
  const { config } = await manager.streams.info('RELEASES');
  await manager.streams.delete('RELEASES');
  await manager.streams.add(config);
  for (const { db } of fronts) {
    const catalogue = new Catalogue(db);
    tokens.push(tokenFor(catalogue, ['publish'], `while-lost-${tokens.length}`));
    catalogue.close();
  }
  fronts.push(await frontOf(cluster));
  for (const token of tokens) {
    await expect.poll(async () => await statusesOf(fronts, token)).toEqual(fronts.map(() => KNOWN));
  }
  for (const front of fronts) {
    expect(await versionsAt(front)).toEqual(['1.0.0', '1.0.1', '1.0.2']);
  }
});

async function published({ address }: Front, token: string, version: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify({ version }) };
  const response = await fetch(`${address}/v1/modules/acme/lidar/releases`, sent);
  await response.body?.cancel();
  return response.status;
}

async function versionsAt({ address }: Front): Promise<string[]> {
  const list = await fetch(`${address}/v1/modules/acme/lidar`);
  const { releases = [] } = (await list.json()) as { releases?: readonly { version: string }[] };
  return releases.map(({ version }) => version);
}
