import { jetstream } from '@nats-io/jetstream';
import { connect, headers } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { printed } from '../../support/command.ts';
import { startFront, type Front } from './fronts.ts';
import { ask, openSite, type Site } from './site.ts';

const LIDAR = 'modreg.release.acme.lidar';
const LATER = '{"schema":4,"kind":"yank-all"}';
const WAY_OUT =
  'upgrade modreg on all fronts, and start them again; docs/fleet-cluster.md says what to do if the newest modreg cannot read it either';

async function publish(
  { token }: Site,
  front: Front,
  name: string,
  version: string,
): Promise<number> {
  const sent = { method: 'POST', token, body: { version } };
  return (await ask(front, `/v1/modules/acme/${name}/releases`, sent)).status;
}

/** What another modreg appends to the stream. */
async function append({ cluster }: Site, body: string): Promise<void> {
  const nats = await connect({ servers: cluster.servers.split(',') });
  onTestFinished(async () => await nats.close());
  const id = headers();
  id.set('modreg-id', 'of-another');
  await jetstream(nats).publish(LIDAR, body, { headers: id });
}

async function siteWith(count: number): Promise<Site> {
  const site = await openSite(count);
  onTestFinished(site.close);
  const [front] = site.fronts as [Front];
  for (const name of ['lidar', 'camera']) {
    await expect.poll(async () => await publish(site, front, name, '1.0.0')).toBe(201);
  }
  for (const each of site.fronts) {
    await expect.poll(async () => (await ask(each, '/v1/modules/acme/camera')).status).toBe(200);
  }
  return site;
}

/** The statuses of the lists of lidar and camera, of health, and of a publication. */
async function statuses(site: Site, front: Front): Promise<unknown> {
  const paths = ['/v1/modules/acme/lidar', '/v1/modules/acme/camera', '/healthz'];
  const found = paths.map(async (path) => (await ask(front, path)).status);
  return [...(await Promise.all(found)), await publish(site, front, 'camera', '1.1.0')];
}

it('[T259] [T260] an unreadable event stops changes and the list it concerns, also after a restart; the documented procedure leads out', async () => {
  const site = await siteWith(2);
  const { cluster, fronts, folder } = site;
  await append(site, LATER);
  for (const front of fronts) {
    // A front that does not know the event yet would append a change behind it.
    await expect.poll(async () => (await ask(front, '/healthz')).status).toBe(503);
    expect(await statuses(site, front)).toEqual([503, 200, 503, 503]);
  }
  const [first] = fronts as [Front];
  const { detail } = (await ask(first, '/v1/modules/acme/lidar')).json;
  expect(detail).toMatch(
    /^event \d+ of the stream \(modreg\.release\.acme\.lidar\) cannot be applied: it has schema 4, and this modreg understands 3; no change is taken/,
  );
  expect(first.log()).toContain(String(detail));
  await first.kill();
  await first.start();
  await expect.poll(async () => (await ask(first, '/healthz')).status).toBe(503);
  expect(await statuses(site, first)).toEqual([503, 200, 503, 503]);

  const monitors = cluster.nodes.map(({ monitor }) => monitor).join(',');
  const check = ['fleet', 'check', '--nats', cluster.servers, '--monitor', monitors];
  const checked = await printed(check);
  expect(checked.exit).toBe(1);
  expect(checked.stdout.slice(-5, -1)).toContainEqual(
    expect.stringMatching(
      /^error {2}RELEASES {9}event \d+ of the stream \(modreg\.release\.acme\.lidar\) cannot be read: it has schema 4, and this modreg understands 3$/,
    ),
  );
  expect(checked.stdout).toContain(`${' '.repeat(24)}fix: ${WAY_OUT}`);

  await Promise.all(fronts.map(async (front) => await front.kill()));
  const backup = `${folder}/backup`;
  const db = `${folder}/restored.db`;
  for (const args of [
    ['registry', 'backup', backup, '--db', first.db],
    ['registry', 'restore', backup, '--db', db],
  ]) {
    expect(await printed(args)).toMatchObject({ exit: 0 });
  }
  const args = ['fleet', 'import', '--db', db, '--nats', cluster.servers];
  expect((await printed(args)).exit).toBe(2);
  const imported = await printed([...args, '--replace']);
  expect(imported.stdout).toEqual([
    'imported 2 modules, 2 releases, 0 rollouts, 1 token in 2 events',
  ]);
  const next = await startFront(`${folder}/next.db`, cluster.servers, { args: ['--create'] });
  onTestFinished(next.kill);
  await expect.poll(async () => (await ask(next, '/healthz')).status).toBe(200);
  await expect
    .poll(async () => (await ask(next, '/v1/modules/acme/lidar')).json)
    .toMatchObject({ count: 1, generation: 1001 });
  // What the stream had after the event is published again.
  expect(await publish(site, next, 'lidar', '1.1.0')).toBe(201);
  // Replicas of new streams are behind for a moment.
  await expect
    .poll(async () => (await printed(check)).stdout.filter((line) => !line.startsWith('ok')))
    .toEqual(['nothing is wrong']);
});

it('[T258] a front goes on behind a publication at a time that an earlier modreg accepted', async () => {
  const site = await siteWith(1);
  const [front] = site.fronts as [Front];
  const release = { version: '1.1.0', published_at: '+010000-01-01T23:58:59Z' };
  await append(
    site,
    JSON.stringify({ schema: 1, kind: 'publish', moduleId: 'acme:lidar', release, now: 0 }),
  );
  await expect.poll(async () => await publish(site, front, 'lidar', '1.2.0')).toBe(201);
  const { json } = await ask(front, '/v1/modules/acme/lidar');
  const time = '9999-12-31T23:59:59.999Z';
  expect(json['releases']).toMatchObject([{}, { version: '1.1.0', published_at: time }, {}]);
  expect(front.log()).toContain(`its publish time became ${time}`);
});
