import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

const REAL = ['--registry', 'test/fixtures/registry'];
const AMD64 = ['--platform', 'linux/amd64'];

const NOTE =
  'note: no registry is named, so the built-in sample catalogue is used (--registry names one)\n';
const IGNORED =
  'warning[IGNORED_ENTRIES]: ignored 1 of 14 entries of acme:lidar, not a version: "reload-20250701" (expected a number at character 1)\n';

describe('the sample catalogue', () => {
  it.each([
    ['1.2.*', [], '1.2.9'],
    ['1.2.9', [], '1.2.9'],
    ['1.9.*', ['--platform', 'linux/x86_64'], '1.9.1'],
    ['1.9.*', ['--platform', 'linux/arm64'], '1.9.0'],
    ['1.*', [], '1.10.0+build.17'],
    ['1.10.0+build.9', [], '1.10.0+build.9'],
    ['latest', [], '2.0.1'],
    ['latest', ['--at', '2026-05-04T08:59:59Z'], '2.0.0'],
    ['latest', ['--at', '2026-05-04T09:00:00Z'], '2.0.1'],
    ['latest-with-prerelease', [], '2.1.0-rc.1'],
  ])('acme:lidar %s %j', async (constraint, options, version) => {
    expect(await inProcess(['resolve', 'acme:lidar', constraint, ...AMD64, ...options])).toEqual({
      stdout: `${version}\n`,
      stderr: NOTE + IGNORED,
      exit: 0,
    });
  });

  it.each([
    [
      '1.2.10',
      'warning[YANKED]: acme:lidar 1.2.10 is yanked: stops the motor when the bus is slow; a pin may still name it\n',
    ],
    [
      '0.*',
      'warning[DEPRECATED]: acme:lidar 0.9.0 is deprecated: its frame rate drifts; use 1.x\n',
    ],
  ])('acme:lidar %s prints a warning', async (constraint, warning) => {
    const { stderr, exit } = await inProcess(['resolve', 'acme:lidar', constraint, ...AMD64]);
    expect({ stderr, exit }).toEqual({ stderr: NOTE + warning + IGNORED, exit: 0 });
  });
});

describe('a folder', () => {
  it.each([
    ['npm:typescript', '5.4.*', '5.4.5'],
    ['npm:next', '15.*', '15.5.29'],
    ['npm:types-node', 'latest', '26.6.6'],
  ])('%s %s', async (moduleId, constraint, version) => {
    expect(await inProcess(['resolve', moduleId, constraint, ...REAL])).toEqual({
      stdout: `${version}\n`,
      stderr: '',
      exit: 0,
    });
  });

  it('may be named by MODREG_REGISTRY, and --registry overrides it', async () => {
    const folder = temporaryFolder({
      'npm/typescript.json': '{"releases": [{"version": "5.4.99"}]}',
    });
    const input = ['resolve', 'npm:typescript', '5.4.*'];
    expect((await inProcess(input, { MODREG_REGISTRY: folder })).stdout).toBe('5.4.99\n');
    expect((await inProcess([...input, ...REAL], { MODREG_REGISTRY: folder })).stdout).toBe(
      '5.4.5\n',
    );
    expect(
      (await inProcess(['resolve', 'acme:lidar', '1.2.*'], { MODREG_REGISTRY: '' })).stdout,
    ).toBe('1.2.9\n');
  });
});

describe('--explain', () => {
  it('shows why entries are selected or refused', async () => {
    const { stdout } = await inProcess([
      'resolve',
      'npm:typescript',
      '5.4.*',
      '--explain',
      ...AMD64,
      ...REAL,
    ]);
    expect(stdout).toBe(`npm:typescript  5.4.*  →  5.4.5

  constraint   5.4.*  minor: 5.4.0 ≤ version < 5.5.0, releases only
  platform     linux/amd64
  list         3478 entries from "test/fixtures/registry"
  dist-tags    latest 7.0.2; they select nothing

  7.1.0-dev.20261021.1       no   major 7 is not 5   ← would be selected by latest-with-prerelease
  7.1.0-dev.20261009.1       no   major 7 is not 5
  7.1.0-dev.20261006.1       no   major 7 is not 5
  7.1.0-dev.20260930.4       no   major 7 is not 5
  … 76 more (--all)
  7.0.2                      no   major 7 is not 5   ← would be selected by latest
  7.0.1-rc                   no   major 7 is not 5
  6.0.3                      no   major 6 is not 5
  6.0.2                      no   major 6 is not 5
  … 182 more (--all)
  5.9.3                      no   minor 9 is not 4   ← would be selected by 5.*
  5.9.2                      no   minor 9 is not 4
  5.9.1-rc                   no   minor 9 is not 4
  5.9.0-dev.20250731         no   minor 9 is not 4
  … 251 more (--all)
  5.4.5                      YES  newest patch of 5.4
  5.4.4                      no   older than 5.4.5
  5.4.3                      no   older than 5.4.5
  5.4.2                      no   older than 5.4.5
  … 2953 more (--all)
`);
  });

  it('prints a line for every entry with --all', async () => {
    const { stdout, exit } = await inProcess([
      'resolve',
      'npm:typescript',
      '5.4.*',
      '--all',
      ...REAL,
    ]);
    expect([stdout.split('\n').length, exit]).toEqual([7 + 3478 + 1, 0]);
  });

  it('also explains why no release matches', async () => {
    const args = [
      'resolve',
      'acme:cam',
      '2.*',
      '--explain',
      '--at',
      '2026-11-21T00:00:00Z',
      ...AMD64,
    ];
    expect(await inProcess(args)).toEqual({
      stdout: `acme:cam  2.*  →  none

  constraint   2.*  major: 2.0.0 ≤ version < 3.0.0, releases only
  platform     linux/amd64
  as of        2026-11-21T00:00:00Z
  list         2 entries from the sample catalogue

  1.3.0  no   major 1 is not 2   ← would be selected by latest, latest-with-prerelease
  1.0.4  no   major 1 is not 2
`,
      stderr: `${NOTE}error[NO_MATCH]: no release of acme:cam matches 2.*
  because 2.* needs 2.0.0 ≤ version < 3.0.0, and the newest release is 1.3.0
hint: latest selects 1.3.0; latest-with-prerelease selects 1.3.0
`,
      exit: 1,
    });
  });
});

describe('--json', () => {
  it('prints one object, and each warning as an object on stderr', async () => {
    const { stdout, stderr, exit } = await inProcess([
      'resolve',
      'acme:lidar',
      '1.2.*',
      '--json',
      ...AMD64,
    ]);
    expect(JSON.parse(stdout)).toEqual({
      schema: 'modreg/resolve@1',
      module_id: 'acme:lidar',
      constraint: '1.2.*',
      type: 'minor',
      platform: 'linux/amd64',
      at: null,
      version: '1.2.9',
      latest: '2.0.1',
      list: { source: 'sample', fetched_at: null, stale: false },
    });
    expect(JSON.parse(stderr)).toMatchObject({ warning: { code: 'IGNORED_ENTRIES' } });
    expect(exit).toBe(0);
  });

  it('lists every refused release with --explain', async () => {
    const { stdout } = await inProcess([
      'resolve',
      'acme:cam',
      '1.0.*',
      '--json',
      '--explain',
      ...AMD64,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      version: '1.0.4',
      refused: [{ version: '1.3.0', reason: 'other-minor', detail: 'minor 3 is not 0' }],
    });
  });

  it('shows when a list was read', async () => {
    const { stdout } = await inProcess(['resolve', 'npm:next', 'latest', '--json', ...REAL]);
    const { list } = JSON.parse(stdout) as { list: { source: string; fetched_at: string } };
    expect(list.source).toBe('folder');
    expect(Math.abs(Date.now() - Date.parse(list.fetched_at))).toBeLessThan(60_000);
  });

  it.each<[readonly string[], number, object]>([
    [
      ['acme:lidar', '1.2.x'],
      2,
      {
        code: 'BAD_CONSTRAINT',
        message: '"1.2.x" is not a version constraint',
        input: { text: '1.2.x', position: 4, expected: 'a number or *' },
        because: [],
        suggestion: '1.2.*',
        hint: null,
      },
    ],
    [
      ['acme:cam', '3.*'],
      1,
      {
        code: 'NO_MATCH',
        message: 'no release of acme:cam matches 3.*',
        input: null,
        because: ['3.* needs 3.0.0 ≤ version < 4.0.0, and the newest release is 1.3.0'],
        suggestion: null,
        hint: 'latest selects 1.3.0; latest-with-prerelease selects 1.3.0',
      },
    ],
    [
      ['acme:cam', 'latest', '--nonsense'],
      2,
      {
        code: 'USAGE',
        message: "unknown option '--nonsense'",
        input: null,
        because: [],
        suggestion: null,
        hint: 'modreg resolve --help shows how',
      },
    ],
  ])('prints the error of %j as an object', async (args, exit, error) => {
    const ended = await inProcess(['resolve', ...args, '--json']);
    expect({ ...ended, stderr: JSON.parse(ended.stderr) as unknown }).toEqual({
      stdout: '',
      stderr: { error },
      exit,
    });
  });
});

it('[D34] a release that claims a time in 2030 is selected now, and with --at a minute later', async () => {
  const releases = [{ version: '1.2.9', published_at: '2030-01-01T00:00:00Z' }];
  const folder = temporaryFolder({ 'acme/lidar.json': JSON.stringify({ releases }) });
  const later = new Date(Date.now() + 60_000).toISOString();
  for (const at of [[], ['--at', later]]) {
    const outcome = await inProcess([
      'resolve',
      'acme:lidar',
      'latest',
      '--registry',
      folder,
      ...at,
    ]);
    expect(outcome).toEqual({ stdout: '1.2.9\n', stderr: '', exit: 0 });
  }
});
