import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { modreg } from '../support/modreg.ts';

const AMD64 = ['--platform', 'linux/amd64'];
const REAL = ['--registry', 'test/fixtures/registry', ...AMD64];

it('compares for what is deployed', () => {
  expect(modreg(['compare', 'npm:typescript', '--deployed', '5.4.3', ...REAL])).toEqual({
    stdout: `npm:typescript   3478 entries from "test/fixtures/registry"   deployed 5.4.3

  TYPE                     CONSTRAINT               MEANS                  RESTART NOW
  patch                    5.4.3                    5.4.3                  no
      skips 523 outside its branch, up to 7.1.0-dev.20261021.1
  minor                    5.4.*                    5.4.5                  yes
      skips 521 outside its branch, up to 7.1.0-dev.20261021.1
  major                    5.*                      5.9.3                  yes
      skips 266 outside its branch, up to 7.1.0-dev.20261021.1
  latest                   latest                   7.0.2                  yes
      skips 7.1.0-dev.20261021.1: prerelease; only latest-with-prerelease takes prereleases
      skips 7.1.0-dev.20261009.1: prerelease; only latest-with-prerelease takes prereleases
      skips 7.1.0-dev.20261006.1: prerelease; only latest-with-prerelease takes prereleases
      skips 77 more in its branch
  latest-with-prerelease   latest-with-prerelease   7.1.0-dev.20261021.1   yes
`,
    stderr: '',
    exit: 0,
  });
});

it('compares for what is added, and says what is skipped on this platform', () => {
  const { stdout, exit } = modreg([
    'compare',
    'acme:lidar',
    '--at',
    '2025-10-31T00:00:00Z',
    '--platform',
    'linux/arm64',
  ]);
  expect([stdout, exit]).toEqual([
    `acme:lidar   14 entries from the sample catalogue   not deployed

  TYPE                     CONSTRAINT               MEANS   RESTART NOW
  patch                    1.9.0                    1.9.0   -
      skips 6 outside its branch, up to 2.1.0-rc.1
  minor                    1.9.*                    1.9.0   -
      skips 1.9.1: no artifact for linux/arm64; published for linux/amd64
      skips 5 outside its branch, up to 2.1.0-rc.1
  major                    1.*                      1.9.0   -
      skips 1.10.0+build.17: not yet published: its time is 2025-12-02T09:00:00Z
      skips 1.10.0+build.9: not yet published: its time is 2025-12-01T09:00:00Z
      skips 1.9.1: no artifact for linux/arm64; published for linux/amd64
      skips 3 outside its branch, up to 2.1.0-rc.1
  latest                   latest                   1.9.0   -
      skips 2.1.0-rc.1: prerelease; only latest-with-prerelease takes prereleases
      skips 2.0.1: not yet published: its time is 2026-05-04T09:00:00Z
      skips 2.0.0: not yet published: its time is 2026-03-02T09:00:00Z
      skips 3 more in its branch
  latest-with-prerelease   latest-with-prerelease   1.9.0   -
      skips 2.1.0-rc.1: not yet published: its time is 2026-09-07T09:00:00Z
      skips 2.0.1: not yet published: its time is 2026-05-04T09:00:00Z
      skips 2.0.0: not yet published: its time is 2026-03-02T09:00:00Z
      skips 3 more in its branch
`,
    0,
  ]);
});

it('--json', () => {
  const { stdout } = modreg(['compare', 'acme:cam', '--deployed', '1.0.4', '--json', ...AMD64]);
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
        skips: [{ version: '1.3.0', reason: 'other-version', detail: 'not 1.0.4' }],
      },
      {
        type: 'minor',
        constraint: '1.0.*',
        version: '1.0.4',
        restarts: false,
        skips: [{ version: '1.3.0', reason: 'other-minor', detail: 'minor 3 is not 0' }],
      },
      { type: 'major', constraint: '1.*', version: '1.3.0', restarts: true, skips: [] },
      { type: 'latest', constraint: 'latest', version: '1.3.0', restarts: true, skips: [] },
      {
        type: 'latest-with-prerelease',
        constraint: 'latest-with-prerelease',
        version: '1.3.0',
        restarts: true,
        skips: [],
      },
    ],
    list: { source: 'sample', fetched_at: null, stale: false },
  });
});

it('--json of a module that is not deployed: unknown is null', () => {
  const { stdout } = modreg(['compare', 'acme:arm', '--json', ...AMD64]);
  expect(JSON.parse(stdout)).toMatchObject({
    deployed: null,
    types: [{ restarts: null }, {}, {}, {}, {}],
  });
});

it('what cannot be asked or answered', () => {
  expect(
    modreg(['compare', 'acme', '--deployed', 'v1', '--at', 'x']).stderr.match(/^error\[\w+\]/gm),
  ).toEqual([...['error[BAD_MODULE_ID]', 'error[BAD_VERSION]', 'error[BAD_TIME]']]);
  const folder = temporaryFolder({ 'acme/none.json': '{"releases": [{"version": "x"}]}' });
  expect(modreg(['compare', 'acme:none', '--registry', folder])).toEqual({
    stdout: '',
    stderr: `error[NO_MATCH]: acme:none has no release and no prerelease that may be chosen
hint: modreg resolve acme:none latest-with-prerelease --explain says why
warning[IGNORED_ENTRIES]: ignored 1 of 1 entries of acme:none, not a version: "x" (expected a number at character 1)
`,
    exit: 1,
  });
  expect(modreg(['compare', 'acme:none']).exit).toBe(3);
});
