import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { served, type Answer } from '../../mocks/network.ts';
import { ociContents, ociRepository, type OciContents } from '../../mocks/oci-registry.ts';
import { answers, HOST } from '../../mocks/scripted-registry.ts';
import { readDeployed } from '../../src/core/index.ts';
import { wantedFor } from '../../src/registry/wanted-release.ts';
import { constraint } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const NAME = 'acme/lidar';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const NOW = Date.parse('2026-11-21T01:02:03Z');
const WANTED = wantedFor(constraint('latest'), {
  eligibility: { now: NOW, platform: 'linux/arm64' },
  deployed: readDeployed(null),
  quarantine: [],
});

const PLAIN = { body: Buffer.from('x') };
const IMAGE = { body: Buffer.from('x'), platform: 'linux/arm64' };

/** A repository with 1.0.0, and with 1.1.0 as it is here. */
function withNewest(newest: typeof PLAIN | readonly (typeof PLAIN)[]): OciContents {
  return ociContents({ '1.0.0': { body: Buffer.from('y') }, '1.1.0': newest });
}

/** The answer to requests for the manifest of 1.1.0. */
function newestIs(answer: () => Response): Answer {
  const repository = ociRepository(NAME, withNewest(PLAIN));
  return async (request) =>
    request.url.endsWith('/manifests/1.1.0') ? answer() : await repository(request);
}

function manifest(body: string, type = MANIFEST): Answer {
  return newestIs(() => new Response(body, { headers: { 'content-type': type } }));
}

/** Without what `isMissing` says of each text that the repository has. */
function without(contents: OciContents, isMissing: (text: string) => boolean): Answer {
  const content = [...contents.content].filter(([, { body }]) => !isMissing(String(body)));
  return ociRepository(NAME, { ...contents, content: new Map(content) });
}

const isConfig = (text: string): boolean => text.startsWith('{"os":');
const isImage = (text: string): boolean => text.includes(MANIFEST) && text.includes('"layers"');

/** Why 1.1.0 cannot be used, with each digest cut short, and the release that is selected. */
async function refusedFor(answer: Answer): Promise<readonly (string | undefined)[]> {
  asked.next(answer);
  const { registry } = remembered(`oci:${HOST}`);
  const { records } = await registry.read(LIDAR, undefined, () => [WANTED]);
  const [newest, other] = Array.from(records).toSorted((a, b) => (a.version < b.version ? 1 : -1));
  return [
    newest?.unreadable?.replace(/sha256:[\da-f]{64}/, 'sha256:…'),
    other?.artifacts?.[0]?.url?.slice(0, 24),
  ];
}

describe('[T500, D141] a release whose manifest cannot be used is refused alone', () => {
  const LAYER = '{"layers":[{"digest":"sha256:7","size":1}]}';
  it.each<readonly [string, string, Answer]>([
    [
      'missing',
      'its manifest is missing (404)',
      newestIs(() => new Response(null, { status: 404 })),
    ],
    [
      'stopped by a rule of the registry',
      'the registry does not send its manifest (412)',
      newestIs(() => new Response(null, { status: 412 })),
    ],
    [
      "Docker's schema 1",
      "its manifest has Docker's schema 1, which does not say what its file is",
      manifest('{}', 'application/vnd.docker.distribution.manifest.v1+prettyjws'),
    ],
    [
      'a layer without a complete digest',
      'its manifest: /layers/0/digest is "sha256:7", expected a complete sha256 or sha512',
      manifest(LAYER),
    ],
    ['no JSON', 'its manifest: it is not JSON at line 1 column 3', manifest('{}}')],
    [
      'a key twice',
      'its manifest: it has the key "a" twice in one object',
      manifest('{"a":1,"a":2}'),
    ],
    ['a list', 'its manifest: found a list, expected an object', manifest('[]')],
    [
      'another document',
      'its manifest: it has neither "manifests" nor "layers"',
      manifest('{}', 'text/plain'),
    ],
    [
      'larger than registries accept',
      'its manifest is too large',
      manifest(`"${'x'.repeat(5 * 1024 * 1024)}"`),
    ],
    [
      'an index without the manifest of a platform',
      'its manifest sha256:… for linux/arm64 is missing (404)',
      without(withNewest([IMAGE]), (text) => isImage(text) && !text.includes('empty')),
    ],
    [
      'an image without its config',
      'its config sha256:… is missing (404)',
      without(withNewest(IMAGE), isConfig),
    ],
  ])('%s', async (_, reason, answer) => {
    expect(await refusedFor(answer)).toEqual([reason, HOST]);
  });
});

it('[T500] resolve --explain says why, and the next release is selected', async () => {
  const address = await served(newestIs(() => new Response(null, { status: 404 })));
  asked.letThrough(address);
  const command = ['resolve', 'acme:lidar', 'latest', '--platform', 'linux/arm64', '--explain'];
  const { stdout } = await inProcess([...command, '--registry', `oci:${address}`]);
  expect(stdout.split('\n').slice(-3, -1)).toEqual([
    '  1.1.0  no   untrusted artifact: its manifest is missing (404)',
    '  1.0.0  YES  newest release that may be selected',
  ]);
});

const tagsOnly: Answer = async (request) =>
  request.url.includes('/manifests/')
    ? new Response(null, { status: 404 })
    : await ociRepository(NAME, withNewest(PLAIN))(request);

describe('[D159] where no manifest that was read can be used', () => {
  const NONE = [
    'warning[UNTRUSTED_ARTIFACT]: no manifest of acme:lidar that was read can be used: a machine installs none of these releases',
    '  because 1.0.0: its manifest is missing (404)',
    '  1.1.0: its manifest is missing (404)',
    '',
  ];
  it.each<readonly [string, readonly string[], string]>([
    ['a branch', ['resolve', 'acme:lidar', '1.*'], '1.1.0\n'],
    ['a pin', ['resolve', 'acme:lidar', '1.0.0'], '1.0.0\n'],
  ])('resolve answers by the tags: %s', async (_, command, answer) => {
    const address = await served(tagsOnly);
    asked.letThrough(address);
    const { stdout, stderr, exit } = await inProcess([...command, '--registry', `oci:${address}`]);
    const [warning] = NONE;
    expect([stdout, stderr.split('\n')[0], exit]).toEqual([answer, warning, 0]);
  });

  it('compare does, and says what is wrong', async () => {
    const address = await served(tagsOnly);
    asked.letThrough(address);
    const command = ['compare', 'acme:lidar', '--registry', `oci:${address}`];
    const { stdout, stderr, exit } = await inProcess(command);
    expect([/latest +1\.1\.0/.test(stdout), stderr.split('\n'), exit]).toEqual([true, NONE, 0]);
  });

  it('a machine is given none of them', async () => {
    const address = await served(tagsOnly);
    asked.letThrough(address);
    const folder = temporaryFolder();
    const entry = { type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*' };
    writeFileSync(`${folder}/machine.json`, JSON.stringify({ modules: [entry] }));
    writeFileSync(`${folder}/deployed.json`, '{"lidar":null}');
    const files = [`${folder}/machine.json`, '--deployed', `${folder}/deployed.json`];
    const command = ['plan', ...files, '--registry', `oci:${address}`, '--json'];
    const { stdout } = await inProcess(command);
    expect(JSON.parse(stdout).modules).toMatchObject([
      {
        target: null,
        decision: 'stuck',
        reason: 'no release may be selected: 2 with an untrusted file',
      },
    ]);
  });
});

it('[T500] what could not be used is read again, and selected once it is mended', async () => {
  let isMissing = true;
  asked.next(
    newestIs(() =>
      isMissing
        ? new Response(null, { status: 404 })
        : new Response(JSON.stringify({ layers: [{ digest: `sha256:${'7'.repeat(64)}` }] }), {
            headers: { 'content-type': MANIFEST },
          }),
    ),
  );
  const { registry } = remembered(`oci:${HOST}`);
  const newest = async (): Promise<unknown> => {
    const { records } = await registry.read(LIDAR, undefined, () => [WANTED]);
    return Array.from(records).find(({ version }) => version === '1.1.0')?.unreadable;
  };
  expect(await newest()).toBe('its manifest is missing (404)');
  isMissing = false;
  expect(await newest()).toBeUndefined();
});

it('[T500, T520] no number of such releases hides the next one, and three of them are read again each time', async () => {
  const tags = Array.from({ length: 45 }, (_, minor) => `1.${minor}.0`);
  const contents = ociContents(Object.fromEntries(tags.map((tag) => [tag, PLAIN])));
  const repository = ociRepository(NAME, contents);
  asked.next(async (request) =>
    /manifests\/1\.[1-9]\d*\.0$/.test(request.url)
      ? new Response(null, { status: 404 })
      : await repository(request),
  );
  const { registry } = remembered(`oci:${HOST}`);
  const read = async (): Promise<readonly number[]> => {
    asked.requests.length = 0;
    await registry.read(LIDAR, undefined, () => [WANTED]);
    const count = (path: string): number =>
      asked.requests.filter((line) => line.includes(path)).length;
    return [count('/manifests/'), count('/tags/list')];
  };
  // 44 that are missing, and the one that is not. The tags are asked for once (T520).
  expect(await read()).toEqual([44 + 1 + 6, 1]);
  expect(await read()).toEqual([3, 1]);
});

it.each([
  [
    'a sign-in page',
    'got text/html',
    () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
  ],
  ['no type', 'got no content-type', () => new Response(Buffer.from('{}'))],
])('[T23] %s in place of a manifest says nothing of a release', async (_, found, answer) => {
  asked.next(newestIs(answer));
  const { registry, saved } = remembered(`oci:${HOST}`);
  expect(await outcomeOf(registry.read(LIDAR, undefined, () => [WANTED]))).toBe(
    `not-a-registry: the registry oci:${HOST} does not respond like a registry: ${found}`,
  );
  expect(saved()).toBe('[]');
});

it('[T406] a registry that names another digest than that of its manifest is refused', async () => {
  const other = `sha256:${'7'.repeat(64)}`;
  const body = '{"layers":[]}';
  const headers = { 'content-type': MANIFEST, 'docker-content-digest': other };
  asked.next(newestIs(() => new Response(body, { headers })));
  const { registry } = remembered(`oci:${HOST}`);
  expect(await outcomeOf(registry.read(LIDAR, undefined, () => [WANTED]))).toBe(
    `not-a-registry: the registry oci:${HOST} does not respond like a registry: ${other} has the sha256 ${createHash('sha256').update(body).digest('hex')}`,
  );
});
