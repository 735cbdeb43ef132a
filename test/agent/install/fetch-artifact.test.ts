import { createHash } from 'node:crypto';
import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fetchArtifact, type FetchOptions } from '../../../src/agent/index.ts';
import { secret, type Artifact } from '../../../src/core/index.ts';
import { FILE, HEX, other, outcomeOf, PAGE, played, PORTAL } from '../support/downloading.ts';
import { syncFolder } from '../../../src/files/sync.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { lostWithPower } from '../../support/on-disk.ts';
import { artifactOf, fileServer, whole, type FileAnswer } from '../../../mocks/file-server.ts';

const WRONG = createHash('sha256').update(other(0)).digest('hex');

function noFetch(): never {
  return expect.unreachable();
}

it('[A1] downloads a file that only its owner can read, and says what it is', async () => {
  const server = await fileServer(FILE);
  const path = `${temporaryFolder()}/lidar`;
  const seen: [number, number | undefined][] = [];
  const onProgress = (...at: [number, number | undefined]): void => void seen.push(at);
  const { digest } = server.artifact;
  expect(await fetchArtifact(server.artifact, path, { onProgress })).toEqual({
    ok: true,
    value: { size: FILE.length, digest, isVerified: true },
  });
  expect(readFileSync(path)).toEqual(FILE);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(seen.at(-1)).toEqual([FILE.length, FILE.length]);
  // It is there, so that nothing is requested again.
  expect((await fetchArtifact(server.artifact, path)).ok).toBe(true);
  expect(server.requests).toEqual(['/lidar.tgz']);
});

it('[A1] a file that has its name has all of its content after a loss of power', async () => {
  const { artifact } = await fileServer(FILE);
  const folder = temporaryFolder();
  const lost = await lostWithPower(folder, async () => {
    await fetchArtifact(artifact, `${folder}/lidar`);
    syncFolder(folder);
  });
  expect([lost, readFileSync(`${folder}/lidar`)]).toEqual([[], FILE]);
});

it.each([
  ['sha256', 64],
  ['sha512', 128],
])('[A1] compares with %s, in capitals as well', async (algorithm, digits) => {
  const hex = createHash(algorithm).update(FILE).digest('hex');
  const server = await fileServer(FILE);
  const right = { ...server.artifact, digest: `${algorithm}:${hex.toUpperCase()}` };
  expect((await outcomeOf(right))[0]).toBe('done');
  const zeros = '0'.repeat(digits);
  const [outcome] = await outcomeOf({ ...right, digest: `${algorithm}:${zeros}` });
  expect(outcome).toBe(
    `release, wrong-digest: the file at ${server.address}/lidar.tgz has the ${algorithm} ${hex} in two downloads, expected ${zeros}`,
  );
});

async function refused(): Promise<never> {
  return await Promise.reject(new TypeError('fetch failed'));
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

it('a download that cannot connect leaves no timer behind', async () => {
  const artifact = artifactOf(FILE, 'https://files.example/lidar.tgz');
  const before = timers();
  const { ok } = await fetchArtifact(artifact, `${temporaryFolder()}/lidar`, { fetch: refused });
  expect(ok).toBe(false);
  expect(timers()).toBeLessThanOrEqual(before);
});

describe('[A1] [T45] a file with another digest is never there', () => {
  it.each<[string, FileAnswer[], string, number]>([
    [
      'the same one twice',
      [whole(other(0)), whole(other(0))],
      `release, wrong-digest: the file at @ has the sha256 ${WRONG} in two downloads, expected ${HEX}`,
      2,
    ],
    ['another one once', [whole(other(0))], 'done', 2],
    [
      'another one each time',
      [0, 1, 2, 3].map((place) => whole(other(place))),
      'machine, wrong-response: the file at @ was different each time, and never had its digest',
      4,
    ],
    [
      'a web page that claims to be a file',
      [whole(PAGE)],
      `machine, wrong-response: the file at @ is answered with a web page: ${PORTAL}`,
      1,
    ],
  ])('%s', async (_what, answers, outcome, requests) => {
    const [found, ranges] = await played(answers);
    expect(found).toBe(outcome);
    expect(ranges).toHaveLength(requests);
  });
});

describe('contacts no server for', () => {
  const digest = `sha256:${HEX}`;
  it.each<[string, Partial<Artifact>, FetchOptions, string]>([
    [
      'a release without an address',
      { url: undefined },
      {},
      'machine, nothing-to-download: the release names no address of its file for linux/amd64',
    ],
    [
      'plain http:',
      { url: 'http://files.example/lidar?key=canary' },
      { allowHttp: ['other.example'] },
      'machine, bad-address: the file at http://files.example could be changed in transit: use https:, or list files.example under allow_http in the update policy',
    ],
    [
      'metadata of a cloud',
      { url: 'https://169.254.169.254/lidar?key=canary' },
      {},
      'machine, bad-address: the address of the file: 169.254.169.254 is a link-local address',
    ],
    [
      'a release without a digest',
      { digest: undefined },
      {},
      'release, no-digest: the file at https://files.example/lidar has no digest, expected a complete sha256 or sha512',
    ],
    [
      'a release with sha1 only',
      { digest: 'sha1:0123' },
      {},
      'release, no-digest: the file at https://files.example/lidar has the digest sha1:0123, expected a complete sha256 or sha512',
    ],
    [
      'a file of more than a gibibyte',
      { size: 2 ** 30 + 1 },
      {},
      'release, too-large: the file at https://files.example/lidar has 1073741825 bytes, expected at most 1073741824',
    ],
    [
      'a token that no header can have',
      {},
      { token: () => secret('two words') },
      'machine, denied: the file at https://files.example/lidar was not contacted: its token is not printable ASCII without spaces',
    ],
  ])('%s', async (_what, changed, options, outcome) => {
    const url = 'https://files.example/lidar?key=canary';
    const artifact = { platform: 'linux/amd64', url, digest, ...changed };
    expect((await outcomeOf(artifact, { fetch: noFetch, ...options }))[0]).toBe(outcome);
  });
});

it('without a digest, downloads the whole file, and says that it is not verified', async () => {
  const server = await fileServer(FILE);
  const { digest: _digest, size: _size, ...artifact } = server.artifact;
  const path = `${temporaryFolder({ 'lidar.part': FILE.subarray(0, 100), lidar: FILE })}/lidar`;
  expect(await fetchArtifact(artifact, path, { requireDigest: false })).toEqual({
    ok: true,
    value: { size: FILE.length, digest: `sha256:${HEX}`, isVerified: false },
  });
  expect(server.ranges).toEqual(['whole']);
});

it.each([
  ['a token', 'canary-7Zk2', 'Bearer canary-7Zk2'],
  ['a user and a password', 'ada:pass-word', 'Basic YWRhOnBhc3Mtd29yZA=='],
])(
  'sends %s to the origin of the address only, and repeats it in no reason',
  async (_, text, sent) => {
    const token = secret(text);
    const [, echoed] = sent.split(' ');
    const server = await fileServer(FILE, [
      (response) => void response.writeHead(302, { location: '/moved' }).end(),
      (response) => void response.writeHead(200, { 'content-type': `text/html; ${echoed}` }).end(),
    ]);
    const urls: string[] = [];
    const [outcome] = await outcomeOf(server.artifact, {
      token: (url) => {
        urls.push(url.href);
        return token;
      },
    });
    expect(outcome).toBe(
      `machine, wrong-response: the file at ${server.address}/lidar.tgz is answered with a web page (text/html; [token]): ${PORTAL}`,
    );
    expect(server.requests).toEqual([`/lidar.tgz ${sent}`, `/moved ${sent}`]);
    expect(urls).toEqual([`${server.address}/lidar.tgz`]);
  },
);

it('follows no link in place of a part', async () => {
  const server = await fileServer(FILE);
  const folder = temporaryFolder({ secret: 'keep' });
  symlinkSync(`${folder}/secret`, `${folder}/lidar.part`);
  expect(await fetchArtifact(server.artifact, `${folder}/lidar`)).toEqual({
    ok: false,
    error: {
      blame: 'machine',
      kind: 'unusable-disk',
      reason: `"${folder}/lidar.part": open fails (ELOOP)`,
    },
  });
  expect(readFileSync(`${folder}/secret`, 'utf8')).toBe('keep');
});

it('refuses arguments of the wrong type', async () => {
  const artifact = artifactOf(FILE);
  await expect(fetchArtifact(Object('https://x'), '/x')).rejects.toThrow(
    'fetchArtifact(): found nothing as artifact.platform, expected text',
  );
  await expect(fetchArtifact(artifact, Object(1))).rejects.toThrow(TypeError);
  await expect(fetchArtifact(artifact, '/x', Object({ fetch: 1 }))).rejects.toThrow(
    'fetchArtifact(): found the number 1 as options.fetch, expected a function or nothing',
  );
});

describe('[T433] a redirect to another server', () => {
  it('is followed without the token: the digest says what the file must be', async () => {
    const elsewhere = await fileServer(FILE);
    const server = await fileServer(FILE, [
      (response) => {
        const location = `${elsewhere.address}/signed`;
        response.writeHead(302, { location }).end();
      },
    ]);
    const options = { token: () => secret('t0ken') };
    expect((await outcomeOf(server.artifact, options))[0]).toBe('done');
    expect([server.requests, elsewhere.requests]).toEqual([
      ['/lidar.tgz Bearer t0ken'],
      ['/signed'],
    ]);
  });

  it.each<[string, string, string | undefined]>([
    ['https to a name', 'https://elsewhere.example/f', undefined],
    ['plain http', 'http://elsewhere.example/f', 'http://elsewhere.example'],
    ['metadata of a cloud', 'https://169.254.169.254/f', 'https://169.254.169.254'],
    ['this machine', 'https://127.0.0.1:8443/f', 'https://127.0.0.1:8443'],
    ['this machine without TLS', 'http://localhost:8080/f', 'http://localhost:8080'],
    ['a file', 'file:///etc/passwd', 'file:'],
  ])('%s', async (_what, location, refusal) => {
    const requests: string[] = [];
    const redirecting: typeof fetch = async (input) => {
      const { url } = new Request(input);
      requests.push(url);
      const isFirst = requests.length === 1;
      return await Promise.resolve(
        isFirst ? new Response(null, { status: 302, headers: { location } }) : new Response(FILE),
      );
    };
    const artifact = artifactOf(FILE, 'https://files.example/lidar.tgz');
    const [outcome] = await outcomeOf(artifact, { fetch: redirecting });
    const where = 'the file at https://files.example/lidar.tgz';
    expect([outcome, requests.slice(1)]).toEqual(
      refusal === undefined
        ? ['done', [location]]
        : [`machine, bad-redirect: ${where} redirects to ${refusal}, which is another origin`, []],
    );
  });

  it('is not followed without a digest', async () => {
    const elsewhere = await fileServer(FILE);
    const server = await fileServer(FILE, [
      (response) => void response.writeHead(302, { location: elsewhere.address }).end(),
    ]);
    const artifact = { ...server.artifact, digest: undefined };
    const [outcome] = await outcomeOf(artifact, { requireDigest: false });
    expect(outcome).toBe(
      `machine, bad-redirect: the file at ${server.address}/lidar.tgz redirects to ${elsewhere.address}, which is another origin`,
    );
    expect(elsewhere.requests).toEqual([]);
  });
});
