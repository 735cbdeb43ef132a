import { expect, it } from 'vitest';
import { Catalogue, readRelease, serveRegistry } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { published } from '../support/published.ts';
import { tokenFor } from '../support/token.ts';
import { clusterInTest, frontInTest } from './in-test.ts';

const RELEASES = 800;
const PATHS = [
  'modules',
  'modules/acme/lidar',
  'modules/acme/camera',
  'modules/acme/large',
  'changes?after=3',
  'modules/acme/camera/releases/2.0.0/rollout',
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

/** A single server with releases, a yank, a rollout, and a module that needs several events. */
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
    'next: start the fronts with new files, and copy the folder of uploaded files to where they find it',
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

it('refuses a cluster that has events, and a file of a front', async () => {
  const [cluster, single] = await Promise.all([clusterInTest(), singleServer()]);
  const front = await frontInTest(cluster);
  const importing = async (db: string): Promise<unknown> =>
    await printed(['fleet', 'import', '--db', db, '--nats', cluster.servers]);
  expect(await importing(single.path)).toEqual({
    stdout: [],
    stderr: [
      'error[USAGE]: the cluster has 1 event of its own: only an empty one takes a catalogue',
      'hint: if no front has changes that are needed: stop the fronts, nats stream rm RELEASES, and import again',
    ],
    exit: 2,
  });
  expect(await importing(front.db)).toEqual({
    stdout: [],
    stderr: [`error[USAGE]: "${front.db}" belongs to a front of a cluster, and is there already`],
    exit: 2,
  });
});
