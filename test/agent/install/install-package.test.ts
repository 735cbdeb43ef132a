import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { installTurns } from '../../../src/agent/install/turns.ts';
import { install, PLACE } from '../../support/installing.ts';
import { fileServer } from '../../../mocks/file-server.ts';
import { elf } from '../support/elf-file.ts';
import {
  extension,
  member,
  packageFile,
  PROGRAM,
  tarOf,
  type TarMember,
} from '../../support/tar-file.ts';

it('[A14] installs a package, and finds it installed', async () => {
  const home = temporaryFolder();
  const server = await fileServer(packageFile());
  const root = `${home}/${PLACE}`;
  const expected = {
    ok: true,
    value: {
      root,
      entryPoint: `${root}/bin/lidar`,
      arguments: [],
      firstRun: undefined,
      ready: { kind: 'none' },
      stopTimeoutMs: undefined,
      ignored: [],
    },
  };
  expect(await install(home, server.artifact)).toEqual(expected);
  expect(readFileSync(`${root}/bin/lidar`, 'utf8')).toBe('#!/bin/sh\necho lidar\n');
  expect(statSync(`${root}/bin/lidar`).mode & 0o7777).toBe(0o755);
  expect(readdirSync(`${home}/staging`)).toEqual([]);
  expect(readdirSync(`${home}/downloads`)).toEqual([]);
  expect(await install(home, server.artifact)).toEqual(expected);
  expect(server.requests).toEqual(['/lidar.tgz']);
});

it('[A9] keeps the file of a package that names no program, for a policy that names one', async () => {
  const home = temporaryFolder();
  const [, lidar] = PROGRAM as readonly [TarMember, TarMember];
  const server = await fileServer(gzipSync(tarOf(lidar, { name: 'README' })));
  expect(await install(home, server.artifact)).toMatchObject({
    ok: false,
    error: { blame: 'machine', kind: 'no-program' },
  });
  expect(existsSync(`${home}/packages`)).toBe(false);
  expect(readdirSync(`${home}/staging`)).toEqual([]);
  expect(await install(home, server.artifact, { command: ['bin/lidar'] })).toMatchObject({
    ok: true,
  });
  expect(server.requests).toEqual(['/lidar.tgz']);
});

/** The files of an installed package: path, mode, and content or target. */
async function installed(file: Buffer, command?: [string]): Promise<readonly string[]> {
  const home = temporaryFolder();
  const server = await fileServer(file);
  const result = await install(home, server.artifact, { command });
  if (!result.ok) return [result.error.reason];
  const { root } = result.value;
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = `${entry.parentPath}/${entry.name}`;
    const name = path.slice(root.length + 1);
    if (entry.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
    const mode = (statSync(path).mode & 0o7777).toString(8);
    return entry.isDirectory()
      ? `${name}/ ${mode}`
      : `${name} ${mode} ${readFileSync(path, 'utf8')}`;
  });
  expect((statSync(root).mode & 0o7777).toString(8)).toBe('755');
  return found.toSorted();
}

const [META, LIDAR] = PROGRAM as readonly [TarMember, TarMember];
/** Writes the size 4 as GNU tar writes that of a large file. */
function binarySize(header: Buffer): void {
  header.fill(0, 124, 136);
  header.writeUInt8(0x80, 124);
  header.writeUInt8(4, 135);
}

const META_ROW = 'meta.json 644 {"entrypoint":"bin/lidar"}';
const LIDAR_ROW = 'bin/lidar 755 #!/bin/sh\necho lidar\n';
const ROWS = ['bin/ 755', LIDAR_ROW, META_ROW];

function below(top: string): TarMember[] {
  return PROGRAM.map((one) => ({ ...one, name: `${top}/${one.name}` }));
}

describe('installs', () => {
  const long = `${'d'.repeat(90)}/${'f'.repeat(90)}`;
  it.each<[string, Buffer, readonly string[]]>([
    ['an archive compressed with zstd', zstdCompressSync(tarOf(...PROGRAM)), ROWS],
    ['an archive whose files are in one folder', gzipSync(tarOf(...below('lidar-1.2.9'))), ROWS],
    [
      'an archive with a folder and a meta.json above it',
      gzipSync(tarOf({ ...META, content: '{"entrypoint":"p/bin/lidar"}' }, ...below('p'))),
      [
        'meta.json 644 {"entrypoint":"p/bin/lidar"}',
        'p/ 755',
        'p/bin/ 755',
        `p/${LIDAR_ROW}`,
        `p/${META_ROW}`,
      ],
    ],
    ['an archive of .', gzipSync(tarOf({ name: './', type: '5' }, ...below('.'))), ROWS],
    [
      'an archive with a folder twice, after a file in it',
      packageFile({ name: 'bin/', type: '5' }, { name: 'bin', type: '5', mode: 0o777 }),
      ROWS,
    ],
    [
      'no owner, setuid or mode of the archive but the right to execute',
      packageFile(
        { name: 'a', mode: 0o6777 },
        { name: 'b', mode: 0o000 },
        { name: 'c', mode: 0o010 },
      ),
      ['a 755 ', 'b 644 ', ...ROWS.slice(0, 2), 'c 755 ', META_ROW],
    ],
    [
      'links inside the package',
      packageFile(
        { name: 'lib/up', type: '2', target: '../bin/lidar' },
        { name: 'copy', type: '1', target: './bin/lidar' },
        { name: 'nothing', type: '2', target: 'missing' },
      ),
      [
        ...ROWS.slice(0, 2),
        `copy${LIDAR_ROW.slice(9)}`,
        'lib/ 755',
        'lib/up -> ../bin/lidar',
        META_ROW,
        'nothing -> missing',
      ],
    ],
    [
      'long names of pax and of GNU tar, and names in a prefix',
      packageFile(
        extension({ path: 'pax', mtime: '1.5' }),
        member({ name: 'x' }),
        member({ name: 'L', type: 'L', content: `${long}\0` }),
        member({ name: 'x' }),
        { name: 'name', prefix: 'prefix' },
        extension({ comment: 'a commit' }, 'g'),
      ),
      [
        ...ROWS.slice(0, 2),
        `${long.slice(0, 90)}/ 755`,
        `${long} 644 `,
        META_ROW,
        'pax 644 ',
        'prefix/ 755',
        'prefix/name 644 ',
      ],
    ],
    [
      'a size of pax, and one of GNU tar',
      packageFile(
        Buffer.concat([
          extension({ size: '3' }),
          member({
            name: 'a',
            content: 'abc',
            change: (header) => void header.write('0'.repeat(11), 124),
          }),
          member({ name: 'b', content: 'abcd', change: binarySize }),
        ]),
      ),
      ['a 644 abc', 'b 644 abcd', ...ROWS],
    ],
    [
      'a package of npm, whose program is not executable',
      gzipSync(
        tarOf(
          { name: 'package/package.json', content: '{"bin":"bin/lidar"}' },
          { ...LIDAR, name: 'package/bin/lidar', mode: 0o644 },
        ),
      ),
      ['bin/ 755', LIDAR_ROW, 'package.json 644 {"bin":"bin/lidar"}'],
    ],
    [
      'a program without an archive',
      elf(62),
      ['meta.json 644 {"entrypoint":"program"}', `program 755 ${elf(62).toString()}`],
    ],
  ])('%s', async (_what, file, rows) => {
    expect(await installed(file)).toEqual(rows.toSorted());
  });

  it.each(['gnu', 'pax', 'ustar', 'v7', 'oldgnu'])('what GNU tar writes as %s', async (format) => {
    const source = temporaryFolder({ 'meta.json': '{"entrypoint":"bin/lidar"}', 'bin/lidar': '' });
    writeFileSync(`${source}/bin/lidar`, '#!/bin/sh\necho lidar\n', { mode: 0o755 });
    execFileSync('chmod', ['755', `${source}/bin/lidar`]);
    mkdirSync(`${source}/empty`);
    symlinkSync('bin/lidar', `${source}/link`);
    linkSync(`${source}/bin/lidar`, `${source}/same`);
    const file = execFileSync('tar', ['-cz', `--format=${format}`, '-C', source, '.']);
    expect(await installed(file)).toEqual(
      [...ROWS, 'empty/ 755', 'link -> bin/lidar', `same${LIDAR_ROW.slice(9)}`].toSorted(),
    );
  });
});

it('installs whatever the umask is', async () => {
  const before = process.umask(0o077);
  try {
    expect(await installed(packageFile())).toEqual(ROWS);
  } finally {
    process.umask(before);
  }
});

it('does not make a file outside executable, though package.json names it', async () => {
  const outside = temporaryFolder({ file: '' });
  execFileSync('chmod', ['600', `${outside}/file`]);
  const bin = `${'../'.repeat(20)}${outside.slice(1)}/file`;
  const file = gzipSync(tarOf({ name: 'package.json', content: JSON.stringify({ bin }) }));
  expect(await installed(file)).toEqual([expect.stringMatching(/outside the package$/)]);
  expect(statSync(`${outside}/file`).mode & 0o777).toBe(0o600);
});

it('reports a release without a file as nothing to download', async () => {
  expect(await install(temporaryFolder(), undefined)).toEqual({
    ok: false,
    error: {
      blame: 'machine',
      kind: 'nothing-to-download',
      reason: 'the release names no file for this machine',
    },
  });
});

it('rejects with the reason of a signal, and removes what it has unpacked', async () => {
  const home = temporaryFolder();
  const server = await fileServer(packageFile());
  const controller = new AbortController();
  const reason = new Error('the action is withdrawn');
  const result = install(home, server.artifact, {
    signal: controller.signal,
    onStep: ({ kind }) => {
      if (kind === 'unpacking') controller.abort(reason);
    },
  });
  await expect(result).rejects.toBe(reason);
  expect(readdirSync(`${home}/staging`)).toEqual([]);
  expect(readdirSync(`${home}/downloads`)).toHaveLength(1);
});

it('the file of a package is used by one installation at a time, whenever others begin', async () => {
  const { ofFile } = installTurns();
  const story: string[] = [];
  const begun = async (name: string): Promise<void> =>
    await ofFile('lidar.tgz', async () => {
      story.push(`${name} begins`);
      await setImmediate();
      story.push(`${name} ends`);
    });
  const first = begun('first');
  const second = begun('second');
  await first;
  await Promise.all([second, begun('third')]);
  const names = ['first', 'second', 'third'];
  expect(story).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
});
