import { expect, it, onTestFinished } from 'vitest';
import { Catalogue, readRelease, serveRegistry } from '../../../src/server/index.ts';
import { moduleId } from '../../support/ask.ts';
import { printed } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { machineReport, reportedState } from '../../support/machine-report.ts';
import { published } from '../../support/published.ts';
import { tokenFor } from '../../support/token.ts';
import { clusterInTest, frontInTest } from './in-test.ts';
import type { Front } from './fronts.ts';
import { ask, openSite } from './site.ts';

const RELEASES = 800;
const ROLLOUT = 'modules/acme/camera/releases/2.0.0/rollout';
const PATHS = [
  'modules',
  'modules/acme/lidar',
  'modules/acme/camera',
  'modules/acme/large',
  'changes?after=3',
  ROLLOUT,
];

interface Single {
  readonly path: string;
  readonly token: string;
  /** What its server answers at each of PATHS. */
  readonly answers: readonly string[];
}

async function answersOf(address: string, token: string): Promise<string[]> {
  const authorization = `Bearer ${token}`;
  return await Promise.all(
    PATHS.map(async (path) => {
      const response = await fetch(`${address}/v1/${path}`, { headers: { authorization } });
      const etag = response.headers.get('etag');
      return `${response.status} ${etag} ${await response.text()}`;
    }),
  );
}

/** A single server with releases, a yank, a halted rollout, and a module that needs several events. */
async function singleServer(): Promise<Single> {
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  const token = tokenFor(catalogue, ['publish', 'yank', 'rollout', 'fleet:read'], 'operator');
  published({ catalogue }, 'acme:lidar', '1.2.8', '1.2.9');
  catalogue.yank(moduleId('acme:lidar'), '1.2.8', 'loses points in rain');
  published({ catalogue }, 'acme:camera', '1.0.0');
  const staged = readRelease({ version: '2.0.0', rollout: { soak_ms: 3_600_000 } });
  if (staged.ok) catalogue.publish(moduleId('acme:camera'), staged.value, Date.now());
  for (let patch = 0; patch < RELEASES; patch++) {
    const release = readRelease({ version: `1.0.${patch}`, deprecated: 'x'.repeat(900) });
    if (release.ok) catalogue.publish(moduleId('acme:large'), release.value, Date.now());
  }
  const running = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 });
  const { sequence: after } = (await ask(running, `/v1/${ROLLOUT}`, { token })).json;
  const body = { event: 'halt', after, reason: 'too loud' };
  await ask(running, `/v1/${ROLLOUT}`, { method: 'POST', token, body });
  const answers = await answersOf(running.address, token);
  await running.close();
  catalogue.close();
  return { path, token, answers };
}

it('moves a catalogue with its history, generations, sequence numbers, rollouts and tokens', async () => {
  const [cluster, single] = await Promise.all([clusterInTest(), singleServer()]);
  const args = ['fleet', 'import', '--db', single.path, '--nats', cluster.servers];
  const first = await printed(args);
  expect(first.stderr).toEqual([
    'next: move the folder of uploaded files to where all fronts share it, and start them with new files',
  ]);
  expect(first.exit).toBe(0);
  const [line = ''] = first.stdout;
  expect(line).toMatch(/^imported 3 modules, 804 releases, 1 rollout, 1 token in \d events$/);

  // An import that was interrupted is run again.
  expect((await printed(args)).stdout).toEqual([line]);

  const fronts = [await frontInTest(cluster), await frontInTest(cluster)];
  for (const { address } of fronts) {
    await expect.poll(async () => await answersOf(address, single.token)).toEqual(single.answers);
  }
});

it('[T240] halts a rollout that was running: the first machine that reports to the cluster does not raise its share', async () => {
  const cluster = await clusterInTest();
  const db = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(db, { mode: 'create' });
  const token = tokenFor(catalogue, ['rollout', 'fleet:read'], 'operator');
  const machine = tokenFor(catalogue, ['machine:rover-1'], 'rover-1');
  published({ catalogue }, 'acme:camera', '1.0.0');
  const staged = readRelease({ version: '2.0.0', rollout: { soak_ms: 0 } });
  if (staged.ok) catalogue.publish(moduleId('acme:camera'), staged.value, Date.now());
  const failures = { failed: 2, silent: 0 };
  for (const event of [
    { kind: 'halted', because: 'too loud', failures },
    { kind: 'resumed', acknowledged: failures },
  ] as const) {
    const found = catalogue.rollouts.of(moduleId('acme:camera'), '2.0.0');
    const after = (found.ok && found.value?.rollout.sequence) || 0;
    const written = { ...event, after, at: Date.now() };
    const named = { moduleId: moduleId('acme:camera'), version: '2.0.0', soakMs: undefined };
    expect(catalogue.apply({ kind: 'rollout', ...named, event: written }).ok).toBe(true);
  }
  catalogue.close();

  const args = ['fleet', 'import', '--db', db, '--nats', cluster.servers];
  const outcome = {
    stdout: ['imported 1 module, 2 releases, 1 rollout (1 halted), 2 tokens in 3 events'],
    stderr: [
      'note: rollouts that were running are halted in the cluster: modreg rollout resume goes on with them, once its machines have reported there, within a day',
      'next: move the folder of uploaded files to where all fronts share it, and start them with new files',
    ],
    exit: 0,
  };
  expect(await printed(args)).toEqual(outcome);
  // Run again, it finds what it appended, although the time is another.
  expect(await printed(args)).toEqual(outcome);

  const front = await frontInTest(cluster);
  const rollout = async (): Promise<unknown> =>
    (await ask(front, `/v1/${ROLLOUT}`, { token })).json;
  const halted = {
    status: 'halted',
    share: 0.001,
    because:
      'imported into a cluster: resume it once its machines have reported there, within a day',
  };
  await expect.poll(rollout).toMatchObject(halted);
  const body = machineReport([], {
    state: reportedState(1, { module_id: 'acme:camera', deployed: '1.0.0' }),
  });
  const sent = { method: 'POST', token: machine, body };
  expect((await ask(front, '/v1/machines/rover-1/reports', sent)).status).toBe(200);
  await expect.poll(rollout).toMatchObject({ ...halted, machines: { waiting: 0 } });
  const single = new Catalogue(db, { mode: 'read' });
  onTestFinished(() => single.close());
  expect(single.rollouts.all().rollouts).toMatchObject([{ rollout: { status: 'running' } }]);

  // The fronts do not know the two failures that were acknowledged on the single server.
  const { sequence: after } = (await ask(front, `/v1/${ROLLOUT}`, { token })).json;
  const resume = { event: 'resume', after, acknowledged: { failed: 0, silent: 0 } };
  const resumed = await ask(front, `/v1/${ROLLOUT}`, { method: 'POST', token, body: resume });
  expect([resumed.status, resumed.json['status']]).toEqual([200, 'running']);
});

it('refuses a cluster that has events, and a file of a front', async () => {
  const [cluster, single] = await Promise.all([clusterInTest(), singleServer()]);
  const front = await frontInTest(cluster);
  const importing = async (db: string): Promise<unknown> =>
    await printed(['fleet', 'import', '--db', db, '--nats', cluster.servers]);
  expect(await importing(single.path)).toEqual({
    stdout: [],
    stderr: [
      'error[USAGE]: the cluster has 1 event of its own: only an empty one takes a catalogue',
      'hint: if no front has changes that are needed: stop the fronts, and import again with --replace, which removes them',
    ],
    exit: 2,
  });
  // It may not have applied the event yet.
  await expect
    .poll(async () => await importing(front.db))
    .toEqual({
      stdout: [],
      stderr: [
        `error[USAGE]: "${front.db}" belongs to a front of a cluster, and is there already`,
        'hint: to begin a new cluster with it: modreg registry backup, modreg registry restore, and import the restored file',
      ],
      exit: 2,
    });
});

async function list(front: Front): Promise<Readonly<Record<string, unknown>>> {
  return (await ask(front, '/v1/modules/acme/lidar')).json;
}

it('[T241] a backup of a front is restored as docs/fleet-cluster.md says: no list gets a lower generation', async () => {
  const site = await openSite(2);
  onTestFinished(site.close);
  const { cluster, fronts, token, folder } = site;
  const [first] = fronts as [Front];
  const publish = async (front: Front, version: string): Promise<number> =>
    (
      await ask(front, '/v1/modules/acme/lidar/releases', {
        method: 'POST',
        token,
        body: { version },
      })
    ).status;
  expect(await publish(first, '1.0.0')).toBe(201);
  const backup = `${folder}/backup`;
  expect((await printed(['registry', 'backup', backup, '--db', first.db])).exit).toBe(0);
  expect(await publish(first, '1.1.0')).toBe(201);
  const before = await list(first);
  const { history } = (await ask(first, '/v1/changes?after=0')).json;

  await Promise.all(fronts.map(async (front) => await front.kill()));
  const restored = ['registry', 'restore', backup, '--db', first.db, '--replace'];
  expect((await printed(restored)).stdout.at(-1)).toBe(
    'lost: acme:lidar 1.1.0; machines that run it keep it',
  );
  const args = ['fleet', 'import', '--db', first.db, '--nats', cluster.servers, '--replace'];
  expect((await printed(args)).stdout).toEqual([
    'imported 1 module, 1 release, 0 rollouts, 1 token in 2 events',
  ]);

  const front = await frontInTest(cluster);
  await expect.poll(async () => await list(front)).toMatchObject({ generation: 1001, count: 1 });
  expect(Number(before['generation'])).toBeLessThan(1001);
  expect((await ask(front, '/v1/changes?after=0')).json['history']).not.toBe(history);
  expect(await publish(front, '1.1.0')).toBe(201);
  expect(await list(front)).toMatchObject({ generation: 1002 });
});
