import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readPackage } from '../../../src/agent/install/package.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { elf } from '../support/elf-file.ts';

type Options = Parameters<typeof readPackage>[1];

/** The package in a folder with these files, all of which are executable, without the path of the folder. */
function read(
  files: Readonly<Record<string, string | Buffer>>,
  options: Partial<Options> = {},
): unknown {
  const root = temporaryFolder(files);
  for (const path of Object.keys(files)) chmodSync(`${root}/${path}`, 0o755);
  return readIn(root, options);
}

function readIn(root: string, options: Partial<Options> = {}): unknown {
  const result = readPackage(root, { command: undefined, platform: 'linux/amd64', ...options });
  return JSON.parse(JSON.stringify(result.ok ? result.value : result.error).replaceAll(root, '@'));
}

const LIDAR = { 'bin/lidar': '#!/bin/sh\n' };

function meta(fields: object): Record<string, string> {
  return { 'meta.json': JSON.stringify(fields), ...LIDAR };
}

const PLAIN = {
  root: '@',
  entryPoint: '@/bin/lidar',
  arguments: [],
  ready: { kind: 'none' },
  ignored: [],
};

function release(kind: string, reason: string): object {
  return { blame: 'release', kind, reason };
}

describe('a package is run', () => {
  it.each<[string, Record<string, string | Buffer>, Partial<Options>, object]>([
    ['as meta.json says', meta({ entrypoint: './bin/lidar' }), {}, PLAIN],
    [
      'with all that meta.json can say, and with fields of other programs',
      {
        ...meta({
          entrypoint: 'bin/lidar',
          first_run: 'setup.sh',
          ready: 'tcp://127.0.0.1:8080',
          stop_timeout: '30s',
          models: [],
        }),
        'setup.sh': '',
      },
      {},
      {
        ...PLAIN,
        firstRun: '@/setup.sh',
        ready: { kind: 'tcp', host: '127.0.0.1', port: 8080 },
        stopTimeoutMs: 30_000,
        ignored: ['models'],
      },
    ],
    [
      'as the only bin of package.json',
      { 'package.json': '{"bin":"bin/lidar"}', ...LIDAR },
      {},
      PLAIN,
    ],
    [
      'as the bin of package.json with the name of the package',
      { 'package.json': '{"name":"@acme/lidar","bin":{"a":"x","lidar":"bin/lidar"}}', ...LIDAR },
      {},
      PLAIN,
    ],
    [
      'as the only bin, whatever its name',
      { 'package.json': '{"name":"@acme/lidar","bin":{"l":"bin/lidar"}}', ...LIDAR },
      {},
      PLAIN,
    ],
    [
      'as the policy says, whatever the package says',
      { ...meta({ entrypoint: 'nowhere', ready: 'socket' }) },
      { command: ['bin/lidar', '--quiet', ''] },
      { ...PLAIN, arguments: ['--quiet', ''], ready: { kind: 'socket' } },
    ],
    ['without a manifest, as the policy says', LIDAR, { command: ['bin/lidar'] }, PLAIN],
    [
      'as a program for this CPU',
      { ...meta({ entrypoint: 'bin/lidar' }), 'bin/lidar': elf(183) },
      { platform: 'linux/arm64' },
      PLAIN,
    ],
  ])('%s', (_how, files, options, expected) => {
    expect(read(files, options)).toEqual(expected);
  });
});

describe('[A9] a package is refused', () => {
  it.each<[string, Record<string, string | Buffer>, Partial<Options>, object]>([
    [
      'that names no program',
      LIDAR,
      {},
      {
        ...release(
          'no-program',
          'the package names no program: expected entrypoint in meta.json, bin in package.json, or command in the update policy',
        ),
        // The policy may name one.
        blame: 'machine',
      },
    ],
    [
      'without the program that it names',
      meta({ entrypoint: 'lidar' }),
      {},
      release(
        'no-program',
        'the package\'s meta.json names the program "lidar", which the package does not have',
      ),
    ],
    [
      'whose program is outside',
      meta({ entrypoint: '../../../../../../bin/sh' }),
      {},
      release(
        'no-program',
        'the package\'s meta.json names the program "../../../../../../bin/sh", which is outside the package',
      ),
    ],
    [
      'whose program is a folder',
      meta({ entrypoint: 'bin' }),
      {},
      release(
        'no-program',
        'the package\'s meta.json names the program "bin", which is not a file',
      ),
    ],
    [
      'whose program is below a file',
      meta({ entrypoint: 'bin/lidar/x' }),
      {},
      release(
        'no-program',
        'the package\'s meta.json names the program "bin/lidar/x", which the package does not have',
      ),
    ],
    [
      'whose first run is missing',
      meta({ entrypoint: 'bin/lidar', first_run: 'x' }),
      {},
      release(
        'no-program',
        'the package\'s meta.json names the program "x", which the package does not have',
      ),
    ],
    [
      'for another CPU',
      { ...meta({ entrypoint: 'bin/lidar' }), 'bin/lidar': elf(183) },
      {},
      release('wrong-platform', 'the program "bin/lidar" is for linux/arm64, expected linux/amd64'),
    ],
    [
      'for a CPU that modreg does not know',
      { ...meta({ entrypoint: 'bin/lidar' }), 'bin/lidar': elf(40, 1) },
      {},
      release(
        'wrong-platform',
        'the program "bin/lidar" is for machine 40, 32 bits, expected linux/amd64',
      ),
    ],
    [
      'with several programs, none of its name',
      { 'package.json': '{"name":"lidar","bin":{"a":"x","b":"y"}}' },
      {},
      release(
        'bad-manifest',
        'the package\'s package.json has the programs "a", "b" under bin, and none with its name',
      ),
    ],
    [
      'whose meta.json is not JSON',
      { 'meta.json': '{' },
      {},
      release('bad-manifest', 'the package\'s meta.json is not JSON: 1:2 expected "}"'),
    ],
    [
      'whose meta.json lacks a value',
      { 'meta.json': '{"entrypoint": "run",\n "ready": }' },
      {},
      release('bad-manifest', "the package's meta.json is not JSON: 2:11 expected a value"),
    ],
    [
      'whose meta.json has comments',
      { 'meta.json': '{} // none' },
      {},
      release('bad-manifest', "the package's meta.json is not JSON, because it has comments"),
    ],
    [
      'whose meta.json is a list',
      { 'meta.json': '[]' },
      {},
      release('bad-manifest', "the package's meta.json is a list, expected an object"),
    ],
    [
      'whose meta.json is large',
      { 'meta.json': ' '.repeat(262_145) },
      {},
      release('bad-manifest', "the package's meta.json has 262145 bytes, expected at most 262144"),
    ],
    [
      'whose entry point is a number',
      meta({ entrypoint: 1 }),
      {},
      release(
        'bad-manifest',
        "the package's meta.json has the number 1 as entrypoint, expected text",
      ),
    ],
    [
      'that is ready in another way',
      meta({ entrypoint: 'bin/lidar', ready: 'maybe' }),
      {},
      release(
        'bad-manifest',
        'the package\'s meta.json ready: "maybe" is not a way to be ready, expected none, socket, http://127.0.0.1:PORT/PATH or tcp://127.0.0.1:PORT, with a port and a loopback address',
      ),
    ],
    [
      'without the program that the policy names',
      meta({ entrypoint: 'bin/lidar' }),
      { command: ['lidar'] },
      {
        blame: 'machine',
        kind: 'bad-command',
        reason: 'the policy\'s command names the program "lidar", which the package does not have',
      },
    ],
  ])('%s', (_what, files, options, expected) => {
    expect(read(files, options)).toEqual(expected);
  });

  it('whose program cannot be executed', () => {
    const root = temporaryFolder(meta({ entrypoint: 'bin/lidar' }));
    const reason =
      'the package\'s meta.json names the program "bin/lidar", which is not executable';
    expect(readIn(root)).toEqual(release('no-program', reason));
  });

  it('whose program is a link that leads out of it', () => {
    const root = temporaryFolder(meta({ entrypoint: 'sh' }));
    symlinkSync('/bin/sh', `${root}/sh`);
    const reason = 'the package\'s meta.json names the program "sh", which is outside the package';
    expect(readIn(root)).toEqual(release('no-program', reason));
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path), 'is not a file'],
    ['a link to itself', (path: string) => symlinkSync('meta.json', path), 'is a link to itself'],
  ])('whose meta.json is %s', (_what, make, found) => {
    const root = temporaryFolder(LIDAR);
    make(`${root}/meta.json`);
    expect(readIn(root)).toEqual(release('bad-manifest', `the package's meta.json ${found}`));
  });
});

it('a package that is not installed is a failure of the machine', () => {
  const root = temporaryFolder();
  rmSync(root, { recursive: true });
  const reason = 'the package "@" is not installed';
  expect(readIn(root)).toEqual({ blame: 'machine', kind: 'not-installed', reason });
});
