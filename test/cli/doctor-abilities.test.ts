import { expect, it } from 'vitest';
import { githubRepository } from '../../mocks/github-registry.ts';
import { ociContents, ociRepository } from '../../mocks/oci-registry.ts';
import { served, type Answer } from '../../mocks/network.ts';
import { npmRegistry } from '../../mocks/npm-registry.ts';
import { temporaryFolder } from '../support/folder.ts';
import { examined } from './support/examined.ts';
import { site } from './support/patient.ts';

/** What the doctor says about a registry that a person names on a machine with acme:lidar. */
async function said(address: string): Promise<string[]> {
  const folder = site('https://unused.example');
  const args = [`${folder}/machine.json`, '--registry', address];
  return (await examined(folder, args, { only: 'registry' })).slice(0, -1).map(String);
}

it.each<[string, string, Answer, readonly string[]]>([
  [
    'of npm',
    'npm:',
    npmRegistry({
      name: '@acme/lidar',
      versions: {
        '1.0.0': {},
        '1.1.0': { dist: { tarball: 'https://h/l', shasum: 'ab'.repeat(20) } },
      },
      time: { '1.1.0': '2026-07-01T00:00:00Z' },
    }),
    [
      'ok       registry   npm:http://127.0.0.1:PORT answers in SOME ms; 1 list wanted',
      'info     registry   npm:http://127.0.0.1:PORT is an npm registry: lists, ages up to 64 MiB, digests, files; no publishing by modreg, and no wake-up; takes a token, or a user and a password (none is known for it)',
      'info     registry   acme:lidar: 2 releases; 1 without a publish time, 1 without a file with an address, 2 without a sha256 or sha512',
    ],
  ],
  [
    'of npm that is named as one of modreg',
    '',
    ({ url }) => {
      const isPing = new URL(url).pathname === '/-/ping';
      return isPing ? Response.json({}) : Response.json({ error: 'Not found' }, { status: 404 });
    },
    [
      'ok       registry   http://127.0.0.1:PORT answers in SOME ms; 1 list wanted',
      'warning  registry   http://127.0.0.1:PORT responds as an npm registry does',
      '                    fix: write npm:http://127.0.0.1:PORT',
      'info     registry   npm:http://127.0.0.1:PORT is an npm registry: lists, ages up to 64 MiB, digests, files; no publishing by modreg, and no wake-up; takes a token, or a user and a password',
    ],
  ],
  [
    'of containers that is named as one of modreg',
    '',
    () => {
      const headers = { 'docker-distribution-api-version': 'registry/2.0' };
      return Response.json({ errors: [] }, { status: 404, headers });
    },
    [
      'ok       registry   http://127.0.0.1:PORT answers in SOME ms; 1 list wanted',
      'warning  registry   http://127.0.0.1:PORT responds as an OCI registry does',
      '                    fix: write oci:http://127.0.0.1:PORT',
      'info     registry   oci:http://127.0.0.1:PORT is an OCI registry: lists, ages if annotated, digests, files of one layer; no publishing by modreg, and no wake-up; takes a token, or a user and a password',
    ],
  ],
])('a registry %s', async (_what, kind, answer, lines) => {
  expect(await said(`${kind}${await served(answer)}`)).toEqual(lines);
});

it('a repository on GitHub', async () => {
  const digest = `sha256:${'1'.repeat(64)}`;
  const assets = [{ name: 'lidar.tgz', browser_download_url: 'https://h/l', digest }];
  const api = await served(githubRepository({ tag_name: 'v1.0.0', assets }));
  const from = 'github:http://127.0.0.1:PORT/repos/acme/lidar';
  expect(await said(`github:${api}/acme/lidar`)).toEqual([
    `ok       registry   ${from} answers in SOME ms; 1 list wanted`,
    `info     registry   ${from} is a repository on GitHub: lists, ages, digests since June 2025, files; no publishing by modreg, and no wake-up; takes a token (none is known for it)`,
    'info     registry   acme:lidar: 1 release; each has a publish time, a file and a digest',
  ]);
});

it('a registry of containers, whose manifests it does not read', async () => {
  const releases = ociContents({ '1.0.0': { body: Buffer.from('x') }, '1.1.0': 2 });
  const address = await served(ociRepository('acme/lidar', releases));
  expect((await said(`oci:${address}`)).at(-1)).toBe(
    'info     registry   acme:lidar: 2 releases; 2 whose manifests were not read',
  );
});

it('a folder', async () => {
  const lists = temporaryFolder({ 'acme/lidar.json': '{"releases":[{"version":"1.0.0"}]}' });
  const lines = await said(lists);
  expect(lines.map((line) => line.replaceAll(lists, 'LISTS'))).toEqual([
    'ok       registry   LISTS can be read; 1 list wanted',
    'info     registry   LISTS is a folder: lists, and the ages, digests and addresses of files that they have; no publishing, and no wake-up',
    'info     registry   acme:lidar: 1 release; 1 without a publish time, 1 without a file with an address, 1 without a sha256 or sha512',
  ]);
});
