import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fetchArtifact } from '../../src/agent/index.ts';
import { indexReleases, resolve } from '../../src/core/index.ts';
import { artifactFor } from '../../src/core/releases/release.ts';
import { chosen, constraint, moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runModreg } from '../support/modreg.ts';
import { needs } from '../support/prerequisite.ts';
import { CONFIG, digestOf, MANIFEST, pushBlob, pushManifest } from './support/docker-push.ts';
import { outcomeOf, remembered } from './support/remembered.ts';

/** The address of Debian's docker-registry; undefined if none is running. */
const ADDRESS = process.env['MODREG_DOCKER_REGISTRY'];

const ID = moduleId(`test-${process.pid}:lidar`);
const NAME = ID.replace(':', '/');
const TAGS = ['1.2.3', '1.2.9', '1.3.0-rc.1', '1.2.9_build.7', 'latest'];

const FILED = moduleId(`test-${process.pid}:filed`);
const FILE = 'a program';

/** Pushes an image without layers under each of the tags, and an index of images with one layer. */
async function push(address: string): Promise<void> {
  const tagged = { repository: `${address}/v2/${NAME}` };
  const image = {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: CONFIG, ...(await pushBlob(tagged, '{}')) },
    layers: [],
  };
  for (const tag of TAGS) await pushManifest(tagged, tag, { body: JSON.stringify(image) });
  const filed = { repository: `${address}/v2/${FILED.replace(':', '/')}` };
  const layer = { mediaType: 'application/octet-stream', ...(await pushBlob(filed, FILE)) };
  const annotations = { 'org.opencontainers.image.created': '2026-11-01T00:00:00Z' };
  const own = { mediaType: CONFIG, ...(await pushBlob(filed, '{}')) };
  const body = JSON.stringify({ ...image, config: own, layers: [layer], annotations });
  await pushManifest(filed, digestOf(body), { body });
  const manifest = { mediaType: MANIFEST, digest: digestOf(body), size: body.length };
  const type = 'application/vnd.oci.image.index.v1+json';
  const manifests = [{ ...manifest, platform: { os: 'linux', architecture: 'arm64' } }];
  const index = { schemaVersion: 2, mediaType: type, manifests };
  await pushManifest(filed, 'v1.0.0', { body: JSON.stringify(index), type });
}

describe("Debian's docker-registry", () => {
  beforeAll(async () => {
    if (ADDRESS !== undefined) await push(ADDRESS);
  });
  beforeEach((context) => {
    needs(context, ADDRESS !== undefined, 'MODREG_DOCKER_REGISTRY names no registry');
  });

  it('serves its tags as a release list', async () => {
    const { registry } = remembered(`oci:${ADDRESS}`);
    const { records } = await registry.read(ID);
    expect(Array.from(records, ({ version }) => version).toSorted()).toEqual(
      ['1.2.3', '1.2.9', '1.2.9+build.7', '1.3.0-rc.1', 'latest'].toSorted(),
    );
    const selected = (text: string): string | undefined =>
      chosen(resolve(constraint(text), indexReleases(records)));
    expect(['1.2.*', '1.2.9', 'latest-with-prerelease'].map(selected)).toEqual([
      '1.2.9+build.7',
      '1.2.9',
      '1.3.0-rc.1',
    ]);
  });

  it('reports an unknown module', async () => {
    const { registry } = remembered(`oci:${ADDRESS}`);
    expect(await outcomeOf(registry.read(moduleId('acme:nowhere')))).toBe(
      `unknown-module: the registry oci:${ADDRESS} has no module acme:nowhere (acme/nowhere)`,
    );
  });

  it('has files that the agent downloads by their digests', async () => {
    const { registry } = remembered(`oci:${ADDRESS}`);
    const eligibility = { now: Date.now(), platform: 'linux/arm64' } as const;
    const { records } = await registry.read(FILED, undefined, () => [
      { constraint: constraint('latest'), eligibility },
    ]);
    const [release] = indexReleases(records).releases();
    const artifact = release && artifactFor(release, 'linux/arm64');
    if (!artifact) throw new Error('expected a file');
    const path = `${temporaryFolder()}/lidar`;
    const digest = digestOf(FILE);
    expect([release.publishedAt, await fetchArtifact(artifact, path)]).toEqual([
      Date.parse('2026-11-01T00:00:00Z'),
      { ok: true, value: { size: FILE.length, digest, isVerified: true } },
    ]);
    expect(readFileSync(path, 'utf8')).toBe(FILE);
  });

  it('works with the command line', async () => {
    const args = ['resolve', ID, '1.2.*', '--registry', `oci:${ADDRESS}`, '--json'];
    const { stdout, exit } = await runModreg(args);
    expect([JSON.parse(stdout), exit]).toMatchObject([{ version: '1.2.9+build.7' }, 0]);
  });
});
