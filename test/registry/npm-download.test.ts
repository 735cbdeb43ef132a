import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { fetchArtifact } from '../../src/agent/index.ts';
import { resolve } from '../../src/core/index.ts';
import { openRegistries } from '../../src/registries/open-registries.ts';
import { moduleListOf } from '../../src/registry/module-list.ts';
import { constraint, moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { integrityOf, npmKey, npmVersion } from '../support/npm-signed.ts';

const KEY = npmKey('one');
const LIDAR = moduleId('acme:lidar');

it('[D200] the file that a machine downloads is the one that was signed', async () => {
  let served = 'signed';
  const server = await plainServer((response, { url }) => {
    if (url?.endsWith('.tgz')) return void response.end(served);
    const signatures = [KEY.sign(`@acme/lidar@1.0.0:${integrityOf('signed')}`)];
    const tarball = `${server.address}/lidar.tgz`;
    const versions = { '1.0.0': npmVersion('signed', signatures, { tarball }) };
    send(response, { name: '@acme/lidar', versions });
  });
  const { registryFor } = openRegistries();
  const npm = registryFor({ registry: `npm:${server.address}`, npmKeys: [KEY.listed] });
  const result = (await npm.readAll([LIDAR])).get(LIDAR);
  if (result?.ok !== true) throw result?.error ?? new Error('no result');
  const list = moduleListOf(result);
  if ('error' in list) throw new Error(list.error.message);
  const chosen = resolve(constraint('1.*'), list.index, { now: 0, trust: list.trust });
  const [artifact] = chosen.kind === 'resolved' ? (chosen.release.artifacts ?? []) : [];
  if (!artifact) throw new Error('expected a file');
  const folder = temporaryFolder();
  const fetched = await fetchArtifact(artifact, `${folder}/one.tgz`);
  expect([
    fetched.ok && fetched.value.isVerified,
    readFileSync(`${folder}/one.tgz`, 'utf8'),
  ]).toEqual([true, 'signed']);
  served = 'forged';
  const forged = await fetchArtifact(artifact, `${folder}/other.tgz`);
  const [found, expected] = ['forged', 'signed'].map((content) =>
    createHash('sha512').update(content).digest('hex'),
  );
  expect(forged.ok ? '' : forged.error.reason).toBe(
    `the file at ${server.address}/lidar.tgz has the sha512 ${found} in two downloads, expected ${expected}`,
  );
});
