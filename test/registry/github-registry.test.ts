import { describe, expect, it } from 'vitest';
import { githubRepository } from '../../mocks/github-registry.ts';
import { answers, HOST, json, status } from '../../mocks/scripted-registry.ts';
import { indexReleases, parseConstraint, resolve, secret } from '../../src/core/index.ts';
import type { ReleaseList } from '../../src/registries/index.ts';
import { moduleId } from '../support/ask.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const ADDRESS = `github:${HOST}/api/v3/acme/lidar`;
const WHERE = `the registry github:${HOST}/api/v3/repos/acme/lidar`;
const PATH = '/api/v3/repos/acme/lidar/releases?per_page=100';
const [ONE, TWO] = ['1', '2'].map((digit) => `sha256:${digit.repeat(64)}`);

/** Each file as `platform url digest`, after the version. */
function filesOf({ records }: ReleaseList): string[] {
  return Array.from(records, ({ version, artifacts = [] }) =>
    [version, ...artifacts.map((one) => `${one.platform} ${one.url} ${one.digest}`)].join(', '),
  );
}

it('lists the releases of a repository, without drafts', async () => {
  const { registry } = remembered(ADDRESS);
  asked.next(
    githubRepository(
      { tag_name: 'v1.3.0', draft: true },
      { tag_name: 'v1.2.0' },
      { tag_name: '1.1.0', published_at: '2026-06-01T08:00:00Z' },
      { tag_name: 'nightly' },
      { tag_name: 'v3' },
    ),
  );
  const { records } = await registry.read(LIDAR);
  const found = Array.from(records, (one) => [one.version, one.publishedAt]);
  expect(found).toEqual([
    ['1.2.0', Date.UTC(2026, 6, 1)],
    ['1.1.0', Date.UTC(2026, 5, 1, 8)],
    ['nightly', Date.UTC(2026, 6, 1)],
    ['v3', Date.UTC(2026, 6, 1)],
  ]);
  expect(asked.requests).toEqual([`${PATH}&page=1`]);
});

it('[D4] a release that is marked as a prerelease is selected by a pin and by latest-with-prerelease alone', async () => {
  const { registry } = remembered(ADDRESS);
  const assets = [{ name: 'lidar.tgz', browser_download_url: 'https://h/l', digest: ONE }];
  asked.next(
    githubRepository(
      { tag_name: 'v1.2.0', prerelease: true, assets },
      { tag_name: 'v1.1.0', assets },
    ),
  );
  const list = indexReleases((await registry.read(LIDAR)).records);
  const selected = ['latest', '1.*', '1.2.*', '1.2.0', 'latest-with-prerelease'].map((text) => {
    const constraint = parseConstraint(text);
    if (!constraint.ok) throw new Error(constraint.error.message);
    const found = resolve(constraint.value, list);
    const refused = Array.from(found.refused(), ({ reason }) => reason).join();
    return `${text}: ${found.kind === 'resolved' ? found.release.version.text : found.kind}, ${refused}`;
  });
  expect(selected).toEqual([
    'latest: 1.1.0, prerelease',
    '1.*: 1.1.0, prerelease',
    '1.2.*: unsatisfied, prerelease,other-minor',
    '1.2.0: 1.2.0, other-version',
    'latest-with-prerelease: 1.2.0, older',
  ]);
});

describe('assigns files to platforms by their names', () => {
  it.each<[string, string]>([
    ['lidar-1.2.0-linux-arm64.tar.gz', 'linux/arm64'],
    ['lidar_1.2.0_Linux_x86_64.tar.gz', 'linux/amd64'],
    ['lidar-x86_64-unknown-linux-gnu.tar.zst', 'linux/amd64'],
    ['lidar-aarch64.tgz', 'linux/arm64'],
    ['lidar-linux-amd64', 'linux/amd64'],
    ['lidar.amd64', 'linux/amd64'],
    ['lidar-linux.tar.gz', 'linux/any'],
    ['lidar-1.2.0.tar.gz', 'any'],
    ['lidar-linux-armv7.tar.gz', 'linux/arm'],
    ['lidar-darwin-arm64.tar.gz', 'none'],
    ['lidar-aarch64-apple-darwin.tar.gz', 'none'],
    ['lidar-windows-amd64.zip', 'none'],
    ['lidar-linux-amd64.tar.gz.sha256', 'none'],
    ['lidar-linux-amd64.sha256', 'none'],
    ['lidar_1.2.0_amd64.deb', 'none'],
    ['checksums.txt', 'none'],
    ['lidar', 'none'],
  ])('%s: %s', async (name, platform) => {
    const { registry } = remembered(ADDRESS);
    asked.next(githubRepository({ tag_name: '1.0.0', assets: [{ name }] }));
    const { records } = await registry.read(LIDAR);
    expect(records.at(0)?.artifacts?.map((one) => one.platform)).toEqual(
      platform === 'none' ? [] : [platform],
    );
  });
});

describe('assigns files to platforms by a pattern', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['lidar-*-{os}-{arch}.tar.gz', ['lidar-1-linux-x86_64.tar.gz', 'lidar.tgz'], ['linux/amd64']],
    ['lidar-{arch}', ['lidar-aarch64', 'lidar-aarch64.sig'], ['any/arm64']],
    ['lidar.run', ['lidar.run', 'lidarxrun'], ['any/any']],
    ['*-musl-{arch}.tgz', ['a-musl-arm64.tgz', 'a-gnu-arm64.tgz'], ['any/arm64']],
  ])('%s', async (pattern, names, platforms) => {
    const { registry } = remembered(`${ADDRESS}#${pattern}`);
    asked.next(githubRepository({ tag_name: '1.0.0', assets: names.map((name) => ({ name })) }));
    const { records, from } = await registry.read(LIDAR);
    expect(records.at(0)?.artifacts?.map((one) => one.platform)).toEqual(platforms);
    expect(from).toBe(`github:${HOST}/api/v3/repos/acme/lidar#${pattern}`);
  });
});

it('leaves out a file that is still being uploaded, and a digest that is none', async () => {
  const { registry } = remembered(ADDRESS);
  const browser_download_url = 'https://h/l';
  asked.next(
    githubRepository({
      tag_name: '1.0.0',
      assets: [
        { name: 'lidar-arm64.tgz', state: 'starter' },
        { name: 'lidar-amd64.tgz', digest: 'sha256:7', browser_download_url },
      ],
    }),
  );
  expect(filesOf(await registry.read(LIDAR))).toEqual(['1.0.0, linux/amd64 https://h/l undefined']);
});

it('[T430] two files for one platform: says which, and how to name one', async () => {
  const { registry } = remembered(ADDRESS);
  const assets = ['gnu', 'musl'].map((libc) => ({ name: `lidar-linux-amd64-${libc}.tgz` }));
  asked.next(githubRepository({ tag_name: '1.0.0', assets }));
  expect((await registry.read(LIDAR)).dropped).toEqual([
    '/0/assets is "lidar-linux-amd64-gnu.tgz, lidar-linux-amd64-musl.tgz", expected one file for linux/amd64: append a pattern to the address, such as #name-{os}-{arch}.tar.gz',
  ]);
});

it('names the file of the API if it has a token, because a private repository has no other', async () => {
  const assets = [
    { name: 'lidar.tgz', url: 'https://h/api', browser_download_url: 'https://h/public' },
  ];
  const answer = githubRepository({ tag_name: '1.0.0', assets });
  asked.next(answer);
  const open = remembered(ADDRESS).registry;
  expect(filesOf(await open.read(LIDAR))).toEqual(['1.0.0, any https://h/public undefined']);
  const signedIn = remembered(ADDRESS, { token: () => secret('t') }).registry;
  expect(filesOf(await signedIn.read(LIDAR))).toEqual(['1.0.0, any https://h/api undefined']);
  expect(asked.requests).toEqual([`${PATH}&page=1`, `${PATH}&page=1 Bearer t`]);
});

function release(tag_name: string, digest: string | undefined): object {
  const browser_download_url = `https://h/${tag_name}`;
  return { tag_name, assets: [{ name: 'lidar.tgz', browser_download_url, digest }] };
}

describe('[T431] a version with two tags', () => {
  it.each<[string, string | undefined, string | undefined, readonly string[]]>([
    [
      'of the same file',
      ONE,
      ONE,
      [`1.2.0, any https://h/v1.2.0 ${ONE}`, `1.2.0, any https://h/1.2.0 ${ONE}`],
    ],
    ['of other files', ONE, TWO, [`1.2.0, any https://h/1.2.0 ${TWO}`]],
    ['without digests', undefined, undefined, ['1.2.0, any https://h/1.2.0 undefined']],
  ])('%s', async (_what, one, other, files) => {
    for (const releases of [
      [release('v1.2.0', one), release('1.2.0', other)],
      [release('1.2.0', other), release('v1.2.0', one)],
    ]) {
      const { registry } = remembered(ADDRESS);
      asked.next(json(releases));
      expect(filesOf(await registry.read(LIDAR)).toSorted()).toEqual([...files].toSorted());
    }
  });
});

function pages(...numbers: readonly number[]): string[] {
  return numbers.map((page) => `${PATH}&page=${page}`);
}

describe('[T507, D141] a pattern that matches no file of a release is named where it is refused', () => {
  it.each<[string, readonly string[], string]>([
    ['with others', ['a.tgz', 'b.tgz'], 'it has a.tgz, b.tgz'],
    ['with many', ['a', 'b', 'c', 'd', 'e'], 'it has a, b, c, 2 more'],
    ['with none', [], 'it has no file'],
  ])('%s', async (_what, names, found) => {
    const { registry } = remembered(`${ADDRESS}#lidar-*-{arch}.tgz`);
    const matching = [{ name: 'lidar-musl-arm64.tgz', digest: ONE ?? '' }];
    asked.next(
      githubRepository(
        { tag_name: 'v1.2.0', assets: names.map((name) => ({ name })) },
        { tag_name: 'v1.1.0', assets: matching },
      ),
    );
    const list = indexReleases((await registry.read(LIDAR)).records);
    const resolution = resolve({ kind: 'latest' }, list, { now: 0, platform: 'linux/arm64' });
    expect(resolution).toMatchObject({ kind: 'resolved', release: { version: { text: '1.1.0' } } });
    expect([...resolution.refused()]).toMatchObject([
      {
        reason: 'untrusted-artifact',
        complaint: `no file matches the pattern "lidar-*-{arch}.tgz": ${found}`,
      },
    ]);
  });
});

describe('the pages', () => {
  const many = Array.from({ length: 250 }, (_, place) => ({ tag_name: `1.0.${place}` }));

  it('are read to the last, and not again while their entity tags stay', async () => {
    const { registry } = remembered(ADDRESS);
    asked.next(githubRepository(...many));
    expect((await registry.read(LIDAR)).records).toHaveLength(250);
    expect(asked.requests.splice(0)).toEqual(pages(1, 2, 3));
    expect((await registry.read(LIDAR)).records).toHaveLength(250);
    expect(asked.requests.map((one) => one.replace(/".*"/, '""'))).toEqual(
      pages(1, 2, 3).map((one) => `${one} known W/""`),
    );
  });

  it('are read again if a later one has changed', async () => {
    const { registry } = remembered(ADDRESS);
    asked.next(githubRepository(...many));
    await registry.read(LIDAR);
    asked.next(githubRepository(...many.slice(0, 249)));
    expect((await registry.read(LIDAR)).records).toHaveLength(249);
  });

  it('of a full one, the next is read although nothing names it', async () => {
    const { registry } = remembered(ADDRESS);
    asked.next(json(many.slice(0, 100)), json(many.slice(100, 103)));
    expect((await registry.read(LIDAR)).records).toHaveLength(103);
    expect(asked.requests).toEqual(pages(1, 2));
  });
});

describe('refuses', () => {
  it.each<[string, Parameters<typeof asked.next>[0], string]>([
    [
      'no list',
      json({}),
      `not-a-registry: ${WHERE} does not respond like a registry: found an object, expected a list of releases`,
    ],
    [
      'an entry without a tag',
      json([{ tag_name: '1.0.0' }, { tag_name: 7 }]),
      `not-a-registry: ${WHERE} does not respond like a registry: /1/tag_name is the number 7, expected a release with a tag`,
    ],
    ['[T20] 401', status(401), `registry-refused: ${WHERE} denies access without a token (401)`],
    ['[T20] 403', status(403), `registry-refused: ${WHERE} denies access without a token (403)`],
    [
      '[T432] a used up limit of requests',
      status(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795223523' }),
      `registry-busy: ${WHERE} allows no more requests now (403); it allows more after 600 s`,
    ],
    [
      '[T432] too many requests at once',
      status(429, { 'x-ratelimit-remaining': '0', 'retry-after': '90' }),
      `registry-busy: ${WHERE} allows no more requests now (429); it allows more after 90 s`,
    ],
    [
      '[T505] a secondary limit, with a time',
      status(403, { 'retry-after': '90', 'x-ratelimit-remaining': '41' }),
      `registry-busy: ${WHERE} allows no more requests now (403); it allows more after 90 s`,
    ],
    [
      '[T505] a secondary limit without a time',
      () =>
        Response.json(
          { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' },
          { status: 403, headers: { 'x-ratelimit-remaining': '41' } },
        ),
      `registry-busy: ${WHERE} allows no more requests now (403); it allows more after 60 s`,
    ],
    [
      '[T506] a page that is the same as one before',
      json(Array.from({ length: 100 }, (_, place) => ({ tag_name: `1.0.${place}` }))),
      `not-a-registry: ${WHERE} does not list all releases: page 2 is the same as page 1`,
    ],
    [
      '[T21] a repository that is not found',
      () => Response.json({ message: 'Not Found' }, { status: 404 }),
      `unknown-module: ${WHERE} has no module acme:lidar`,
    ],
  ])('%s', async (_what, answer, outcome) => {
    const { registry } = remembered(ADDRESS, { limits: { retryWithinMs: 0 } });
    asked.next(answer);
    expect(await outcomeOf(registry.read(LIDAR))).toBe(outcome);
  });

  it('a module of another name, without a request', async () => {
    const { registry } = remembered(ADDRESS);
    expect(await outcomeOf(registry.read(moduleId('acme:arm')))).toBe(
      `unknown-module: ${WHERE} has no module acme:arm: a repository has the module of its own name, lidar`,
    );
    expect(asked.requests).toEqual([]);
  });
});
