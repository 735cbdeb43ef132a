import { Kvm } from '@nats-io/kv';
import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import type { Front } from './fronts.ts';
import { ask, openSite, type Site } from './site.ts';

async function siteWith(count: number): Promise<Site & { readonly nats: NatsConnection }> {
  const site = await openSite(count);
  onTestFinished(site.close);
  const nats = await connect({
    servers: site.cluster.servers.split(','),
    maxReconnectAttempts: -1,
  });
  onTestFinished(async () => await nats.close());
  return { ...site, nats };
}

/** Publishes a first release of a module; the status of the response. */
async function publish({ token }: Site, front: Front, name: string): Promise<number> {
  const sent = { method: 'POST', token, body: { version: '1.0.0' } };
  return (await ask(front, `/v1/modules/acme/${name}/releases`, sent)).status;
}

async function modulesAt(front: Front): Promise<unknown> {
  return (await ask(front, '/v1/modules')).json['modules'];
}

async function expectModules(fronts: readonly Front[], modules: readonly string[]): Promise<void> {
  for (const front of fronts) {
    await expect.poll(async () => await modulesAt(front)).toEqual(modules);
  }
}

/** How many events the stream has; none while it is lost. */
async function eventsIn({ streams }: JetStreamManager): Promise<number> {
  return (await streams.info('RELEASES').catch(() => undefined))?.state.last_seq ?? 0;
}

/** Publishes a module that only the first front has applied, and deletes the stream. The result is the number of events before. */
async function loseWithLag(site: Site, manager: JetStreamManager): Promise<number> {
  const [first, ...others] = site.fronts as [Front, ...Front[]];
  await expect.poll(async () => await publish(site, first, 'lidar')).toBe(201);
  // The first event, the token of the site and the release; the other fronts have all three once they have one more.
  await expect.poll(async () => await eventsIn(manager)).toBeGreaterThanOrEqual(3);
  expect(await publish(site, first, 'gripper')).toBe(201);
  await expectModules(others, ['acme:gripper', 'acme:lidar']);
  const before = await eventsIn(manager);
  // The next event may be on its way to them before the stream is deleted.
  for (const link of site.links.slice(1)) link.cut();
  expect(await publish(site, first, 'arm')).toBe(201);
  site.links[0]?.hold();
  await manager.streams.delete('RELEASES');
  return before;
}

it('[T183] a front that has nothing to fill in waits for the others, too', async () => {
  const site = await siteWith(3);
  const [, second, third] = site.fronts as [Front, Front, Front];
  const manager = await jetstreamManager(site.nats);
  const before = await loseWithLag(site, manager);
  site.links[1]?.release();
  await expect.poll(async () => await eventsIn(manager)).toBe(before);
  site.links[2]?.release();
  const published = publish(site, third, 'base');
  site.links[0]?.release();
  expect(await published).toBe(201);
  await expectModules(site.fronts, ['acme:arm', 'acme:base', 'acme:gripper', 'acme:lidar']);
  expect((await ask(second, '/healthz')).status).toBe(200);
});

it('[T183] [T230] a front that knows more and returns while others publish stops, and leaves the lists and the lease to them', async () => {
  const site = await siteWith(2);
  const [first, second] = site.fronts as [Front, Front];
  const manager = await jetstreamManager(site.nats);
  await loseWithLag(site, manager);
  site.links[1]?.release();
  await expect.poll(async () => await publish(site, second, 'base')).toBe(201);
  site.links[0]?.release();
  let count = 0;
  // So that the first front hears of new events before it has looked at the stream. Without a pause, they take the processors from it.
  const publishedThenAsked = async (): Promise<number> => {
    await publish(site, second, `cam${count++}`);
    return (await ask(first, '/healthz')).status;
  };
  await expect.poll(publishedThenAsked).toBe(503);
  expect((await ask(first, '/healthz')).json['detail']).toContain('the stream was replaced');
  expect(await modulesAt(first)).toEqual(['acme:arm', 'acme:gripper', 'acme:lidar']);
  const events = await eventsIn(manager);
  expect(await publish(site, first, 'zed')).toBe(503);
  expect(await eventsIn(manager)).toBe(events);
  await second.kill();
  const bucket = await new Kvm(site.nats).open('modreg_lease');
  const holder = async (): Promise<unknown> => {
    const entry = await bucket.get('controller');
    return entry?.operation === 'PUT' ? entry.string() : undefined;
  };
  await expect.poll(holder).toBeUndefined();
});

it('[T183] a front whose history is longer than that of a stream with another one appends none of it', async () => {
  const site = await siteWith(1);
  const [first] = site.fronts as [Front];
  const manager = await jetstreamManager(site.nats);
  for (const name of ['lidar', 'arm', 'cam', 'gripper']) {
    await expect.poll(async () => await publish(site, first, name)).toBe(201);
  }
  await first.kill();
  await manager.streams.delete('RELEASES');
  const other = await site.add();
  await expect.poll(async () => await publish(site, other, 'base')).toBe(201);
  await first.start();
  await expect.poll(async () => (await ask(first, '/healthz')).status).toBe(503);
  expect((await ask(first, '/healthz')).json['detail']).toContain('the stream was replaced');
  await expectModules([other], ['acme:base']);
});

it('[T231] the lease is created again if it was lost with the stream', async () => {
  const { nats } = await siteWith(1);
  const { streams } = await jetstreamManager(nats);
  /** In milliseconds since the epoch; NaN while there is none. */
  const createdAt = async (): Promise<number> =>
    Date.parse((await streams.info('KV_modreg_lease').catch(() => undefined))?.created ?? '');
  await expect.poll(createdAt).toBeGreaterThan(0);
  const before = await createdAt();
  // There is no answer to it if the front creates the bucket again before all nodes have deleted it.
  await streams.delete('KV_modreg_lease').catch(() => undefined);
  await expect.poll(createdAt).toBeGreaterThan(before);
});

it('[T188] an event that cannot be applied is not passed over, and the health of the front says so', async () => {
  const site = await siteWith(1);
  const [front] = site.fronts as [Front];
  await expect.poll(async () => await publish(site, front, 'lidar')).toBe(201);
  const row = ['tokens', 'a', 'b', 'c', 1, null, null, 'a column of a later modreg'];
  const body = JSON.stringify({ schema: 1, kind: 'rows', rows: [row] });
  await jetstream(site.nats).publish('modreg.fleet', body);
  await expect.poll(async () => (await ask(front, '/healthz')).status).toBe(503);
  expect((await ask(front, '/healthz')).json['detail']).toMatch(
    /^event \d+ of the stream \(modreg\.fleet\) cannot be applied: it has rows of another kind; /,
  );
});
