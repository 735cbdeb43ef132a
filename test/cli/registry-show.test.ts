import { describe, expect, it } from 'vitest';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { published } from '../support/published.ts';
import { newFile, registry } from './support/registry-command.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const RELEASES = [
  { version: '1.9.0', published_at: '2026-11-01T00:00:00Z', deprecated: 'use 2' },
  {
    version: '1.10.0-rc.1',
    published_at: '2026-11-02T00:00:00Z',
    artifacts: ['linux/arm64', 'linux/amd64'].map((platform) => {
      return { platform, url: 'https://modules.example/x', digest: DIGEST };
    }),
    yanked: 'stops\u001b[2J',
    deprecated: '',
  },
  { version: '1.10.0', published_at: '2026-11-03T00:00:00Z', artifacts: [], yanked: '' },
];

/** A registry with a module with these releases, and another one. */
function withReleases(): string {
  const db = newFile();
  const catalogue = new Catalogue(db);
  for (const json of RELEASES) {
    const release = readRelease(json);
    if (!release.ok) throw new Error(release.error.join('; '));
    catalogue.publish(moduleId('acme:lidar'), release.value, 0);
  }
  published({ catalogue }, 'acme:cam', '1.0.0');
  catalogue.close();
  return db;
}

it('modreg registry show lists the releases of a module, the newest first', async () => {
  expect(await registry(withReleases(), 'show', 'acme:lidar')).toEqual({
    stdout: `acme:lidar  3 releases
  VERSION       PUBLISHED              PLATFORMS                  STATE
  1.10.0        2026-11-03T00:00:00Z   none                       yanked
  1.10.0-rc.1   2026-11-02T00:00:00Z   linux/amd64, linux/arm64   yanked: stops\\u{1b}[2J; deprecated
  1.9.0         2026-11-01T00:00:00Z   all                        deprecated: use 2
`,
    stderr: '',
    exit: 0,
  });
  const { stdout } = await registry(withReleases(), 'show', 'acme:lidar', '--json');
  expect(JSON.parse(stdout)).toEqual({
    schema: 'modreg/registry-show@1',
    module_id: 'acme:lidar',
    releases: [
      {
        version: '1.10.0',
        published_at: '2026-11-03T00:00:00Z',
        platforms: [],
        yanked: '',
        deprecated: null,
      },
      {
        version: '1.10.0-rc.1',
        published_at: '2026-11-02T00:00:00Z',
        platforms: ['linux/amd64', 'linux/arm64'],
        yanked: 'stops\u001b[2J',
        deprecated: '',
      },
      {
        version: '1.9.0',
        published_at: '2026-11-01T00:00:00Z',
        platforms: null,
        yanked: null,
        deprecated: 'use 2',
      },
    ],
  });
});

it('[D490] modreg registry show names the versions that there are', async () => {
  expect(await registry(withReleases(), 'show', 'acme:lidar', '1.8.0')).toEqual({
    stdout: '',
    stderr:
      'error[UNKNOWN_VERSION]: acme:lidar has no version 1.8.0\n  did you mean 1.9.0 ?\nhint: acme:lidar has 3 releases: 1.10.0, 1.10.0-rc.1, 1.9.0\n',
    exit: 1,
  });
});

describe.each(['show', 'list'])('modreg registry %s', (command) => {
  it.each([
    [
      'acme:lidr',
      'error[UNKNOWN_MODULE]: this registry has no module acme:lidr\n  did you mean acme:lidar ?\nhint: namespace acme has 2 modules: cam, lidar\n',
      3,
    ],
    [
      'acme/lidar',
      'error[BAD_MODULE_ID]: "acme/lidar" is not a module id\n  acme/lidar\n      ^ expected a letter, a digit, "_", "-" or ":", as in <namespace>:<name>\n',
      2,
    ],
  ])('does not know %s', async (named, stderr, exit) => {
    expect(await registry(withReleases(), command, named)).toEqual({ stdout: '', stderr, exit });
  });
});

it.each([
  [['list'], 'acme:cam    1 release\nacme:lidar  3 releases\n'],
  [['list', 'acme'], 'acme:cam    1 release\nacme:lidar  3 releases\n'],
  [['list', 'acme:lidar'], 'acme:lidar  3 releases\n'],
  [
    ['list', 'nimbus'],
    'no modules in the namespace nimbus\n',
    'warning[UNKNOWN_REFERENCE]: this registry has no namespace "nimbus"\nhint: namespaces here: acme\n',
  ],
])('modreg registry %j', async (args, stdout, stderr = '') => {
  expect(await registry(withReleases(), ...args)).toEqual({ stdout, stderr, exit: 0 });
});

it('publish reports a bad version like resolve', async () => {
  const { stdout, stderr, exit } = await registry(withReleases(), 'publish', 'acme:lidar', '1.2');
  expect([stdout, stderr, exit]).toEqual([
    '',
    'error[BAD_VERSION]: "1.2" is not a version\n  1.2\n     ^ expected "."\n',
    2,
  ]);
});
