import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { githubRepository } from '../../mocks/github-registry.ts';
import { served } from '../../mocks/network.ts';
import { fetchArtifact } from '../../src/agent/index.ts';
import { artifactFor } from '../../src/core/releases/release.ts';
import { indexReleases, secret, type Secret } from '../../src/core/index.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

it('resolves from the releases of a repository, and says which are prereleases', async () => {
  const api = await served(
    githubRepository(
      { tag_name: 'v1.3.0', prerelease: true },
      { tag_name: 'v1.2.0', assets: FILES },
    ),
  );
  const address = `github:${api}/api/v3/acme/lidar`;
  const command = ['resolve', 'acme:lidar', 'latest', '--platform', 'linux/arm64', '--explain'];
  const { stdout } = await inProcess([...command, '--registry', address]);
  expect(stdout.split('\n').slice(-3, -1)).toEqual([
    '  1.3.0  no   prerelease; only latest-with-prerelease accepts prereleases',
    '  1.2.0  YES  newest release that may be selected',
  ]);
});

const token = (): Secret => secret('t');

const FILES = [{ name: 'lidar-linux-arm64.tar.gz', digest: `sha256:${'7'.repeat(64)}` }];

it('downloads a file of a private repository by the API, which leads to a signed address', async () => {
  const file = Buffer.from('the file');
  const digest = `sha256:${createHash('sha256').update(file).digest('hex')}`;
  const storage = await served(({ headers }) =>
    headers.has('authorization') ? new Response(null, { status: 400 }) : new Response(file),
  );
  const api: string = await served((request) => {
    if (request.headers.get('authorization') !== 'Bearer t') {
      return Response.json({ message: 'Not Found' }, { status: 404 });
    }
    if (!new URL(request.url).pathname.endsWith('/assets/1')) {
      const url = `${new URL(request.url).origin}/api/v3/repos/acme/lidar/releases/assets/1`;
      const assets = [{ name: 'lidar-linux-arm64.tgz', url, digest, size: file.length }];
      return githubRepository({ tag_name: 'v1.2.0', assets })(request);
    }
    return request.headers.get('accept') === 'application/octet-stream'
      ? new Response(null, { status: 302, headers: { location: `${storage}/signed` } })
      : Response.json({ name: 'lidar-linux-arm64.tgz' });
  });
  const registries = openRegistries({ token });
  const registry = registries.open({ registry: `github:${api}/api/v3/acme/lidar` });
  if (!registry.ok) throw registry.error;
  const { records } = await registry.value.read(moduleId('acme:lidar'));
  const [release] = indexReleases(records).releases();
  const artifact = release && artifactFor(release, 'linux/arm64');
  if (!artifact) throw new Error('expected a file');
  const path = `${temporaryFolder()}/lidar`;
  expect(await fetchArtifact(artifact, path, { token })).toEqual({
    ok: true,
    value: { size: file.length, digest, isVerified: true },
  });
  expect(readFileSync(path)).toEqual(file);
});
