import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { indexReleases, resolve } from '../../src/core/index.ts';
import { chosen, constraint, moduleId } from '../support/ask.ts';
import { runModreg } from '../support/modreg.ts';
import { needs } from '../support/prerequisite.ts';
import { outcomeOf, remembered } from './support/remembered.ts';

/** The address of Debian's docker-registry; undefined if none is running. */
const ADDRESS = process.env['MODREG_DOCKER_REGISTRY'];

const ID = moduleId(`test-${process.pid}:lidar`);
const NAME = ID.replace(':', '/');
const TAGS = ['1.2.3', '1.2.9', '1.3.0-rc.1', '1.2.9_build.7', 'latest'];

async function put(url: URL | string, body: string, type: string): Promise<void> {
  const response = await fetch(url, { method: 'PUT', body, headers: { 'content-type': type } });
  if (!response.ok) throw new Error(`PUT ${String(url)}: ${response.status}`);
}

/** Pushes an image without layers under each of the tags. */
async function push(address: string): Promise<void> {
  const config = '{}';
  const digest = `sha256:${createHash('sha256').update(config).digest('hex')}`;
  const upload = await fetch(`${address}/v2/${NAME}/blobs/uploads/`, { method: 'POST' });
  const url = new URL(upload.headers.get('location') ?? '', address);
  url.searchParams.set('digest', digest);
  await put(url, config, 'application/octet-stream');
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest, size: config.length },
    layers: [],
  };
  for (const tag of TAGS) {
    const manifestUrl = `${address}/v2/${NAME}/manifests/${tag}`;
    await put(manifestUrl, JSON.stringify(manifest), manifest.mediaType);
  }
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

  it('works with the command line', async () => {
    const args = ['resolve', ID, '1.2.*', '--registry', `oci:${ADDRESS}`, '--json'];
    const { stdout, exit } = await runModreg(args);
    expect([JSON.parse(stdout), exit]).toMatchObject([{ version: '1.2.9+build.7' }, 0]);
  });
});
