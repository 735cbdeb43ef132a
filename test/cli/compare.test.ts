import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

const AMD64 = ['--platform', 'linux/amd64'];
const REAL = ['--registry', 'test/fixtures/registry', ...AMD64];

it('compares the version types for a deployed version', async () => {
  expect(await inProcess(['compare', 'npm:typescript', '--deployed', '5.4.3', ...REAL])).toEqual({
    stdout: `npm:typescript   3478 entries from "test/fixtures/registry"   deployed 5.4.3

  TYPE                     CONSTRAINT               SELECTS                RESTART NOW
  patch                    5.4.3                    5.4.3                  no
      skips 523 outside 5.4.3, up to 7.1.0-dev.20261021.1
  minor                    5.4.*                    5.4.5                  yes
      skips 521 outside 5.4.*, up to 7.1.0-dev.20261021.1
  major                    5.*                      5.9.3                  yes
      skips 266 outside 5.*, up to 7.1.0-dev.20261021.1
  latest                   latest                   7.0.2                  yes
      skips 7.1.0-dev.20261021.1: prerelease; only latest-with-prerelease accepts prereleases
      skips 7.1.0-dev.20261009.1: prerelease; only latest-with-prerelease accepts prereleases
      skips 7.1.0-dev.20261006.1: prerelease; only latest-with-prerelease accepts prereleases
      skips 77 more
  latest-with-prerelease   latest-with-prerelease   7.1.0-dev.20261021.1   yes
`,
    stderr: '',
    exit: 0,
  });
});

it('compares the version types for a new module, and shows what is skipped on this platform', async () => {
  const { stdout, exit } = await inProcess([
    'compare',
    'acme:lidar',
    '--at',
    '2025-10-31T00:00:00Z',
    '--platform',
    'linux/arm64',
  ]);
  expect([stdout, exit]).toEqual([
    `acme:lidar   14 entries from the sample catalogue   not deployed

  TYPE                     CONSTRAINT               SELECTS   RESTART NOW
  patch                    1.9.0                    1.9.0     -
      skips 6 outside 1.9.0, up to 2.1.0-rc.1
  minor                    1.9.*                    1.9.0     -
      skips 1.9.1: no artifact for linux/arm64; published for linux/amd64
      skips 5 outside 1.9.*, up to 2.1.0-rc.1
  major                    1.*                      1.9.0     -
      skips 1.10.0+build.17: not yet published: its publish time is 2025-12-02T09:00:00Z
      skips 1.10.0+build.9: not yet published: its publish time is 2025-12-01T09:00:00Z
      skips 1.9.1: no artifact for linux/arm64; published for linux/amd64
      skips 3 outside 1.*, up to 2.1.0-rc.1
  latest                   latest                   1.9.0     -
      skips 2.1.0-rc.1: prerelease; only latest-with-prerelease accepts prereleases
      skips 2.0.1: not yet published: its publish time is 2026-05-04T09:00:00Z
      skips 2.0.0: not yet published: its publish time is 2026-03-02T09:00:00Z
      skips 3 more
  latest-with-prerelease   latest-with-prerelease   1.9.0     -
      skips 2.1.0-rc.1: not yet published: its publish time is 2026-09-07T09:00:00Z
      skips 2.0.1: not yet published: its publish time is 2026-05-04T09:00:00Z
      skips 2.0.0: not yet published: its publish time is 2026-03-02T09:00:00Z
      skips 3 more
`,
    0,
  ]);
});

it('--json prints the same as data', async () => {
  const { stdout } = await inProcess([
    'compare',
    'acme:cam',
    '--deployed',
    '1.0.4',
    '--json',
    ...AMD64,
  ]);
  expect(JSON.parse(stdout)).toEqual({
    schema: 'modreg/compare@1',
    module_id: 'acme:cam',
    deployed: '1.0.4',
    platform: 'linux/amd64',
    at: null,
    types: [
      {
        type: 'patch',
        constraint: '1.0.4',
        version: '1.0.4',
        restarts: false,
        ahead: false,
        skipped: 1,
        skips: [{ version: '1.3.0', reason: 'other-version', detail: 'not 1.0.4' }],
      },
      {
        type: 'minor',
        constraint: '1.0.*',
        version: '1.0.4',
        restarts: false,
        ahead: false,
        skipped: 1,
        skips: [{ version: '1.3.0', reason: 'other-minor', detail: 'minor 3 is not 0' }],
      },
      {
        type: 'major',
        constraint: '1.*',
        version: '1.3.0',
        restarts: true,
        ahead: false,
        skipped: 0,
        skips: [],
      },
      {
        type: 'latest',
        constraint: 'latest',
        version: '1.3.0',
        restarts: true,
        ahead: false,
        skipped: 0,
        skips: [],
      },
      {
        type: 'latest-with-prerelease',
        constraint: 'latest-with-prerelease',
        version: '1.3.0',
        restarts: true,
        ahead: false,
        skipped: 0,
        skips: [],
      },
    ],
    list: { source: 'sample', fetched_at: null, stale: false },
  });
});

it('--json prints null for the restarts of a module that is not deployed', async () => {
  const { stdout } = await inProcess(['compare', 'acme:arm', '--json', ...AMD64]);
  expect(JSON.parse(stdout)).toMatchObject({
    deployed: null,
    types: [{ restarts: null }, {}, {}, {}, {}],
  });
});

it('reports bad arguments, a module without releases, and an unknown module', async () => {
  expect(
    (await inProcess(['compare', 'acme', '--deployed', 'v1', '--at', 'x'])).stderr.match(
      /^error\[\w+\]/gm,
    ),
  ).toEqual(['error[BAD_MODULE_ID]', 'error[BAD_VERSION]', 'error[BAD_TIME]']);
  const folder = temporaryFolder({ 'acme/none.json': '{"releases": [{"version": "x"}]}' });
  expect(await inProcess(['compare', 'acme:none', '--registry', folder])).toEqual({
    stdout: '',
    stderr: `error[NO_MATCH]: acme:none has no release and no prerelease that may be selected
hint: modreg resolve --registry ${folder} acme:none latest-with-prerelease --explain, with the same options, shows why
warning[IGNORED_ENTRIES]: ignored 1 of 1 entries of acme:none, not a version: "x" (expected a number at character 1)
`,
    exit: 1,
  });
  expect(
    (await inProcess(['compare', 'acme:none', '--registry', folder, '--deployed', '1.0.0'])).exit,
  ).toBe(1);
  expect((await inProcess(['compare', 'acme:none'])).exit).toBe(3);
});

it('shows that the deployed version is newer, and warns of yanked and deprecated releases', async () => {
  const { stdout, stderr } = await inProcess([
    'compare',
    'acme:lidar',
    '--deployed',
    '1.2.10',
    ...AMD64,
  ]);
  expect(stdout).toMatch(/^ {2}minor +1\.2\.\* +1\.2\.9 +no, the deployed version is newer$/m);
  expect(stderr).toContain('warning[YANKED]: acme:lidar 1.2.10 is yanked: stops the motor');
  const old = await inProcess(['compare', 'acme:lidar', '--deployed', '0.9.0', ...AMD64]);
  expect(old.stderr).toContain(
    'warning[DEPRECATED]: acme:lidar 0.9.0 is deprecated: its frame rate',
  );
});

it('--json names up to a hundred skipped releases, and counts all', async () => {
  const { stdout } = await inProcess([
    'compare',
    'npm:typescript',
    '--deployed',
    '5.4.5',
    '--json',
    ...REAL,
  ]);
  const { types } = JSON.parse(stdout) as { types: { skipped: number; skips: unknown[] }[] };
  expect(types.map(({ skipped, skips }) => [skipped, skips.length])).toEqual([
    [521, 100],
    [521, 100],
    [266, 100],
    [80, 80],
    [0, 0],
  ]);
});
