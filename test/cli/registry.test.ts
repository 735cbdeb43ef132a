import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { newFile, registry } from './support/registry-command.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

/** There is no other release. */
const KEPT = `  machines with 1.2.9, by the policy field on_yank:
    keep (default)  1.2.* keeps it, 1.* keeps it, latest keeps it, latest-with-prerelease keeps it
    replace         1.2.* keeps it, 1.* keeps it, latest keeps it, latest-with-prerelease keeps it
    a pin to 1.2.9 keeps it in either case
`;

describe('modreg registry', () => {
  it('publishes, yanks, unyanks and lists', async () => {
    const db = newFile();
    const steps: readonly [readonly string[], string, number][] = [
      [['publish', 'acme:lidar', '1.2.9'], 'acme:lidar: 1 published, 0 unchanged\n', 0],
      [['publish', 'acme:lidar', '1.2.9'], 'acme:lidar: 0 published, 1 unchanged\n', 0],
      [
        ['publish', 'acme:cam', '1.0.0', '--json'],
        '{"schema":"modreg/registry-publish@1","module_id":"acme:cam","published":1,"yanked":0,"unchanged":0}\n',
        0,
      ],
      [
        ['yank', 'acme:lidar', '1.2.9', '--reason', 'stops\u001b[2J'],
        `acme:lidar 1.2.9 is yanked: stops\\u{1b}[2J\n${KEPT}`,
        0,
      ],
      [
        ['yank', 'acme:lidar', '1.2.9', '--reason', 'stops\u001b[2J'],
        `acme:lidar 1.2.9 is already yanked: stops\\u{1b}[2J\n${KEPT}`,
        0,
      ],
      [['unyank', 'acme:lidar', '1.2.9'], 'acme:lidar 1.2.9 is not yanked\n', 0],
      [
        ['unyank', 'acme:lidar', '1.2.9', '--json'],
        '{"schema":"modreg/registry-yank@1","module_id":"acme:lidar","version":"1.2.9","yanked":null,"on_yank":[]}\n',
        0,
      ],
      [['list'], 'acme:cam    1 release\nacme:lidar  1 release\n', 0],
      [
        ['list', 'acme', '--json'],
        '{"schema":"modreg/registry-list@1","modules":[{"module_id":"acme:cam","generation":1,"count":1},{"module_id":"acme:lidar","generation":3,"count":1}]}\n',
        0,
      ],
      [['list', 'acme:lidar'], 'acme:lidar  1 release\n', 0],
    ];
    for (const [args, stdout, exit] of steps) {
      expect([args, await registry(db, ...args)]).toEqual([args, { stdout, stderr: '', exit }]);
    }
  });

  it('publishes releases from options, which resolve then finds', async () => {
    const db = newFile();
    const arm = [
      '--artifact',
      'linux/arm64=https://m.example/x?a=b',
      '--digest',
      DIGEST,
      '--size',
      '7',
    ];
    const amd = [
      '--artifact',
      'linux/x86_64=https://m.example/y',
      '--digest',
      DIGEST,
      '--size',
      '8',
    ];
    const rest = ['--published-at', '2026-11-01T00:00:00Z', '--deprecated', 'use 2'];
    expect(
      (await registry(db, 'publish', 'acme:lidar', '1.2.9', ...arm, ...amd, ...rest)).exit,
    ).toBe(0);
    expect((await registry(db, 'publish', 'acme:lidar', '1.3.0', ...arm)).exit).toBe(0);
    const resolve = async (platform: string): Promise<string> =>
      (await inProcess(['resolve', 'acme:lidar', '1.*', '--registry', db, '--platform', platform]))
        .stdout;
    expect([await resolve('linux/amd64'), await resolve('linux/arm64')]).toEqual([
      '1.2.9\n',
      '1.3.0\n',
    ]);
  });

  it('publishes a file of releases', async () => {
    const db = newFile();
    const releases = Array.from({ length: 300 }, (_, at) => ({ version: `1.0.${at}` }));
    const folder = temporaryFolder({
      'list.json': JSON.stringify(releases),
      'document.json': JSON.stringify({
        module_id: 'acme:lidar',
        generation: 1,
        count: 300,
        releases,
      }),
      'conflict.json': JSON.stringify([{ version: '2.0.0' }, { version: '1.0.7', artifacts: [] }]),
      'faults.json': JSON.stringify([{ version: '3.0.0' }, { version: '3' }, 7]),
      'other.json': JSON.stringify({ module_id: 'acme:other', releases }),
      'short.json': JSON.stringify({ count: 5, releases: [{ version: '9.0.0' }] }),
      'yanked.json': JSON.stringify([{ version: '1.1.0', yanked: 'burns' }]),
      'no-list.json': '{}',
      'torn.json': '[',
    });
    const publish = async (name: string): Promise<unknown[]> => {
      const { stdout, stderr, exit } = await registry(
        db,
        'publish',
        'acme:lidar',
        '--file',
        `${folder}/${name}.json`,
      );
      return [exit, (stdout + stderr).replaceAll(folder, '')];
    };
    expect(await publish('list')).toEqual([0, 'acme:lidar: 300 published, 0 unchanged\n']);
    expect(await publish('document')).toEqual([0, 'acme:lidar: 0 published, 300 unchanged\n']);
    expect(await publish('conflict')).toEqual([
      1,
      'error[ALREADY_PUBLISHED]: acme:lidar 1.0.7 is already published with different content; nothing was changed\nhint: a release never changes: yank it, and publish another version, with the files of all its platforms in one command\n',
    ]);
    expect(await publish('faults')).toEqual([
      1,
      'error[BAD_VALUE]: "/faults.json": release 2 of 3: /version: "3" is not a version\n  because release 3 of 3: expected an object: a release has version, published_at, artifacts, deprecated, yanked, requires, floor, signatures, yank_signatures and rollout\n',
    ]);
    const noList =
      'expected a release, a list of releases, or an object with such a list in "releases"\n';
    expect(await publish('no-list')).toEqual([1, `error[BAD_VALUE]: "/no-list.json": ${noList}`]);
    expect(await publish('torn')).toEqual([1, 'error[BAD_JSON]: /torn.json:1:2: expected "]"\n']);
    expect(await publish('other')).toEqual([
      1,
      'error[BAD_VALUE]: "/other.json": its module_id is "acme:other", expected acme:lidar\n',
    ]);
    expect(await publish('short')).toEqual([
      1,
      'error[BAD_VALUE]: "/short.json": its count is the number 5, but it has 1 release\n',
    ]);
    expect((await registry(db, 'list')).stdout).toBe('acme:lidar  300 releases\n');
    expect(await publish('yanked')).toEqual([0, 'acme:lidar: 1 published, 0 unchanged\n']);
    expect((await inProcess(['resolve', 'acme:lidar', '1.1.*', '--registry', db])).exit).toBe(1);
  });

  it.each<[readonly string[], string, number]>([
    [
      ['publish', 'acme/lidar', '1.0.0'],
      'error[BAD_MODULE_ID]: "acme/lidar" is not a module id',
      2,
    ],
    [['publish', 'acme:lidar', 'v1'], 'error[BAD_VERSION]: "v1" is not a version', 2],
    [
      ['publish', 'acme:lidar'],
      'error[USAGE]: expected a version, or --file with a file of releases',
      2,
    ],
    [
      ['publish', 'acme:lidar', '1.0.0', '--artifact', 'any=https://m.example/x'],
      'error[USAGE]: found 1 --artifact, 0 --digest and 0 --size, expected a --digest for each --artifact, and a --size for each or none',
      2,
    ],
    [
      ['publish', 'acme:lidar', '1.0.0', '--file', 'x.json'],
      'error[USAGE]: --file describes its releases completely: pass no version and no other option about a release',
      2,
    ],
    [
      ['publish', 'acme:lidar', '--file', 'nowhere.json'],
      'error[UNREADABLE_FILE]: the file "nowhere.json" does not exist',
      2,
    ],
    [
      [
        'publish',
        'acme:lidar',
        '1.0.1',
        '--artifact',
        'any=https://m.example/x',
        '--digest',
        DIGEST,
        '--size',
        '0x5',
      ],
      'error[USAGE]: not a release: /artifacts/0/size: expected a number of bytes',
      2,
    ],
    [
      ['publish', 'acme:lidar', '--file', 'x.json', '--deprecated', 'old'],
      'error[USAGE]: --file describes its releases completely: pass no version and no other option about a release',
      2,
    ],
    [
      ['yank', 'acme:lidar', '1.0.0', '--reason', 'x'.repeat(1001)],
      'error[USAGE]: --reason: /reason: longer than 1000 characters',
      2,
    ],
    [['serve', '--host', ''], 'error[USAGE]: --host is empty', 2],
    [['yank', 'acme:lidar', 'latest'], 'error[BAD_VERSION]: "latest" is not a version', 2],
    [
      ['yank', 'acme:arm', '1.0.0'],
      'error[UNKNOWN_MODULE]: nothing was ever published for acme:arm',
      3,
    ],
    [['yank', 'acme:lidar', '9.0.0'], 'error[UNKNOWN_VERSION]: acme:lidar has no version 9.0.0', 1],
    [
      ['serve', '--port', '65536'],
      'error[USAGE]: --port is "65536", expected a whole number from 0 to 65535',
      2,
    ],
    [
      ['serve', '--host', '192.0.2.1', '--port', '0'],
      'error[USAGE]: cannot listen on 192.0.2.1, port 0 (EADDRNOTAVAIL)',
      2,
    ],
  ])('%j: %s', async (args, message, code) => {
    const db = newFile();
    await registry(db, 'publish', 'acme:lidar', '1.0.0');
    const { stdout, stderr, exit } = await registry(db, ...args);
    expect([stdout, stderr.split('\n')[0], exit]).toEqual(['', message, code]);
    expect((await registry(db, 'list')).stdout).toBe('acme:lidar  1 release\n');
  });
});

it('warns that machines will soon refuse the list, and changes no exit code', async () => {
  const db = newFile();
  const releases = Array.from({ length: 6200 }, (_, patch) => {
    return { version: `1.0.${patch}`, deprecated: 'x'.repeat(1000) };
  });
  const folder = temporaryFolder({ 'list.json': JSON.stringify(releases) });
  const args = ['publish', 'acme:lidar', '--file', `${folder}/list.json`];
  const { stdout, stderr, exit } = await registry(db, ...args);
  expect([stdout, exit]).toEqual(['acme:lidar: 6200 published, 0 unchanged\n', 0]);
  expect(stderr).toMatch(
    /^warning\[LIST_NEAR_LIMIT\]: the list of acme:lidar has 67\d{5} bytes in 6200 releases; machines refuse more than 8388608\n$/,
  );
});

describe('the registry file', () => {
  it('is $PLATFORM_HOME/registry.db by default, which resolve also reads', async () => {
    const home = temporaryFolder();
    const environment = { PLATFORM_HOME: `${home}/platform/` };
    expect((await inProcess(['resolve', 'acme:own', 'latest'], environment)).exit).toBe(3);
    expect((await inProcess(['registry', 'publish', 'acme:own', '1.0.0'], environment)).exit).toBe(
      0,
    );
    expect(await inProcess(['resolve', 'acme:own', 'latest'], environment)).toEqual({
      stdout: '1.0.0\n',
      stderr: '',
      exit: 0,
    });
    expect(
      (await inProcess(['registry', 'list', '--db', `${home}/platform/registry.db`])).stdout,
    ).toBe('acme:own  1 release\n');
    expect((await inProcess(['registry', 'list'])).stderr).toBe(
      'error[USAGE]: no registry file is named: pass --db, or set PLATFORM_HOME or HOME\n',
    );
  });

  it('is not created by a command that only reads', async () => {
    const db = `${temporaryFolder()}/registry.db`;
    const missing = `error[UNREADABLE_FILE]: "${db}": there is no such file\n`;
    expect(await registry(db, 'list')).toEqual({
      stdout: '',
      stderr: `${missing}hint: check the path; publish, token create, keys init and serve create the file if --create is passed\n`,
      exit: 2,
    });
    expect(await inProcess(['resolve', 'acme:lidar', 'latest', '--registry', db])).toEqual({
      stdout: '',
      stderr: missing,
      exit: 2,
    });
  });

  it('is refused if a release in it is not JSON', async () => {
    const db = newFile();
    await registry(db, 'publish', 'acme:lidar', '1.0.0');
    const database = new DatabaseSync(db);
    database.exec(`UPDATE releases SET content = '{"artifacts":nul}'`);
    database.close();
    expect(await inProcess(['resolve', 'acme:lidar', 'latest', '--registry', db])).toEqual({
      stdout: '',
      stderr: `error[NOT_A_REGISTRY]: "${db}": row 1 of releases, column content: the content of acme:lidar 1.0.0 is not that of a release\n`,
      exit: 4,
    });
  });
});
