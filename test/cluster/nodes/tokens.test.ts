import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { Catalogue } from '../../../src/server/index.ts';
import { printed } from '../../support/command.ts';
import { tokenFor } from '../../support/token.ts';
import type { Front } from './fronts.ts';
import { clusterInTest, frontInTest } from './in-test.ts';
import type { Cluster } from './nodes.ts';
import { ask, openSite } from './site.ts';

const LIST = '/v1/modules/acme/lidar';
const RELEASES = `${LIST}/releases`;

/** Creates a token in the file of a front with the command line, and returns its text. */
async function createdOn({ db }: Front, name: string): Promise<string> {
  const args = ['registry', 'token', 'create', '--db', db, '--name', name, '--scope', 'publish'];
  const { stdout } = await printed(args);
  return stdout.join('');
}

/** The same at once. */
function createdNow({ db }: Front, name: string): string {
  const catalogue = new Catalogue(db);
  const token = tokenFor(catalogue, ['publish'], name);
  catalogue.close();
  return token;
}

async function revokedOn({ db }: Front, name: string): Promise<void> {
  expect((await printed(['registry', 'token', 'revoke', name, '--db', db])).exit).toBe(0);
}

/** What each front answers to the token: 422 if it knows it, since there is no release in the request. */
async function statusesOf(fronts: readonly Front[], token: string): Promise<number[]> {
  const sent = { method: 'POST', token, body: {} };
  return await Promise.all(fronts.map(async (front) => (await ask(front, RELEASES, sent)).status));
}

async function publishOn(front: Front, token: string, version: string): Promise<void> {
  const sent = { method: 'POST', token, body: { version } };
  await expect.poll(async () => (await ask(front, RELEASES, sent)).status).toBe(201);
}

async function versionsAt(front: Front): Promise<unknown[]> {
  const { releases = [] } = (await ask(front, LIST)).json;
  return (releases as readonly { version: string }[]).map(({ version }) => version);
}

/**
 * Deletes the stream, and creates it again without events, as if all nodes had lost it. The result tells how many events have been
 * filled in since.
 */
async function loseStream({ servers }: Cluster): Promise<() => Promise<number>> {
  const nats = await connect({ servers: servers.split(',') });
  onTestFinished(async () => await nats.close());
  const manager = await jetstreamManager(nats);
  const { config } = await manager.streams.info('RELEASES');
  await manager.streams.delete('RELEASES');
  await manager.streams.add(config);
  return async () => (await manager.streams.info('RELEASES')).state.last_seq;
}

const KNOWN = 422;
const UNKNOWN = 401;

it('[T219] a token that is created or revoked on a front is so on all, also on one that starts later', async () => {
  const cluster = await clusterInTest();
  const fronts = [await frontInTest(cluster), await frontInTest(cluster)];
  const [first, second] = fronts as [Front, Front];
  const [one, other] = [await createdOn(first, 'ci'), await createdOn(second, 'robots')];
  for (const token of [one, other]) {
    await expect.poll(async () => await statusesOf(fronts, token)).toEqual([KNOWN, KNOWN]);
  }
  await revokedOn(second, 'ci');
  await expect.poll(async () => await statusesOf(fronts, one)).toEqual([UNKNOWN, UNKNOWN]);
  const later = await frontInTest(cluster);
  await expect.poll(async () => await statusesOf([later], other)).toEqual([KNOWN]);
  expect(await statusesOf([later], one)).toEqual([UNKNOWN]);
});

it('[T219] tokens of one name that two fronts create without nodes are both valid on both', async () => {
  const cluster = await clusterInTest();
  const fronts = [await frontInTest(cluster), await frontInTest(cluster)];
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
  const cluster = await clusterInTest();
  const fronts = [await frontInTest(cluster), await frontInTest(cluster)];
  const [first] = fronts as [Front, Front];
  const tokens = [await createdOn(first, 'ci')];
  for (const version of ['1.0.0', '1.0.1', '1.0.2']) {
    await publishOn(first, tokens[0] ?? '', version);
  }
  await loseStream(cluster);
  for (const front of fronts) tokens.push(createdNow(front, `while-lost-${tokens.length}`));
  fronts.push(await frontInTest(cluster));
  for (const token of tokens) {
    await expect.poll(async () => await statusesOf(fronts, token)).toEqual(fronts.map(() => KNOWN));
  }
  for (const front of fronts) {
    expect(await versionsAt(front)).toEqual(['1.0.0', '1.0.1', '1.0.2']);
  }
});

it('[T183] [T219] nor does a token or a release on a front that lags: both wait for what others fill in', async () => {
  const site = await openSite(2);
  onTestFinished(site.close);
  const [first, second] = site.fronts as [Front, Front];
  await publishOn(first, site.token, '1.0.0');
  await expect.poll(async () => await versionsAt(second)).toEqual(['1.0.0']);
  site.links[1]?.hold();
  await publishOn(first, site.token, '1.0.1');
  const token = createdNow(second, 'robots');
  await first.kill();
  const filled = await loseStream(site.cluster);
  site.links[1]?.release();
  await expect.poll(filled).toBeGreaterThan(0);
  const sent = { method: 'POST', token: site.token, body: { version: '2.0.0' } };
  const published = ask(second, '/v1/modules/acme/arm/releases', sent);
  await first.start();
  expect((await published).status).toBe(201);
  await expect.poll(async () => await statusesOf(site.fronts, token)).toEqual([KNOWN, KNOWN]);
  for (const front of site.fronts) expect(await versionsAt(front)).toEqual(['1.0.0', '1.0.1']);
});
