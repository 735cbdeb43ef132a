import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fileServer } from '../../../mocks/file-server.ts';
import { checkPackage, installArtifact, type InstallOptions } from '../../../src/agent/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { packageFile, PROGRAM, tarOf } from '../../support/tar-file.ts';

const PLATFORM = 'linux/amd64';

function placesIn(home: string): InstallOptions {
  return { home, root: `${home}/packages/acme/lidar/1.2.9`, platform: PLATFORM };
}

describe('[D378] installArtifact()', () => {
  it('calls at once for one file download it once, and have a package each', async () => {
    const home = temporaryFolder();
    const server = await fileServer(packageFile());
    const steps: string[] = [];
    const onStep = ({ kind }: { readonly kind: string }): number => steps.push(kind);
    const roots = [`${home}/packages/front`, `${home}/packages/front`, `${home}/packages/rear`];
    const installed = await Promise.all(
      roots.map(async (root) => {
        const options = { ...placesIn(home), root, onStep };
        return await installArtifact(server.artifact, options);
      }),
    );
    expect(installed.map((one) => one.ok && one.value.entryPoint)).toEqual(
      roots.map((root) => `${root}/bin/lidar`),
    );
    expect([server.ranges, steps.filter((kind) => kind === 'installed')]).toEqual([
      ['whole', 'whole'],
      ['installed', 'installed'],
    ]);
    expect([...readdirSync(`${home}/downloads`), ...readdirSync(`${home}/staging`)]).toEqual([]);
  });

  it.each<[what: string, file: Buffer, options: Partial<InstallOptions>, outcome: string]>([
    ['runs nothing', packageFile(), {}, 'bin/lidar'],
    [
      'takes the command of a policy',
      gzipSync(tarOf({ name: 'README' }, ...PROGRAM.slice(1))),
      { command: ['bin/lidar', '-v'] },
      'bin/lidar -v',
    ],
    [
      'keeps space free',
      packageFile(),
      { reserveMib: 2 ** 40 },
      'machine, disk-full: the disk of "." is full: N MiB free, 1099511627776 needed, of which 1099511627776 stay free; what was downloaded is kept, and modules keep running: free some space',
    ],
    [
      '[T850] fails in a place that takes no folders',
      packageFile(),
      { home: '/proc/modreg/home' },
      'machine, unusable-disk: "/proc/modreg": mkdir fails (ENOENT)',
    ],
    [
      'sends what it downloads with the given fetch',
      packageFile(),
      { fetch: async () => await Promise.resolve(new Response('<html>', { status: 404 })) },
      'machine, missing: the server of the file at @/lidar.tgz does not have it (404)',
    ],
    [
      'refuses what the agent refuses',
      packageFile({ name: '../run' }),
      {},
      'release, bad-archive: the archive has a path that leaves it: "../run"',
    ],
  ])('%s', async (_what, file, options, outcome) => {
    const home = temporaryFolder();
    const server = await fileServer(file);
    const installed = await installArtifact(server.artifact, { ...placesIn(home), ...options });
    const { root } = placesIn(home);
    const said = installed.ok
      ? [installed.value.entryPoint.slice(root.length + 1), ...installed.value.arguments].join(' ')
      : `${installed.error.blame}, ${installed.error.kind}: ${installed.error.reason}`;
    const plain = said.replace(home, '.').replace(server.address, '@');
    expect(plain.replaceAll(/\d+ MiB/g, 'N MiB')).toBe(outcome);
  });

  it('a release without a file for this machine, or without a digest, is none to install', async () => {
    const home = temporaryFolder();
    const kinds = [undefined, { platform: PLATFORM, url: 'https://registry.example/f' }].map(
      async (artifact) => {
        const installed = await installArtifact(artifact, placesIn(home));
        return installed.ok ? 'installed' : installed.error.kind;
      },
    );
    expect(await Promise.all(kinds)).toEqual(['nothing-to-download', 'no-digest']);
  });

  it.each<[given: object, error: Error]>([
    [{ home: 'here' }, new TypeError('found "here" as options.home, expected an absolute path')],
    [
      { root: undefined },
      new TypeError('found nothing as options.root, expected an absolute path'),
    ],
    [
      { platform: 'linux/riscv64' },
      new TypeError(
        'found "linux/riscv64" as options.platform, expected a Platform of parsePlatform()',
      ),
    ],
    [
      { command: [] },
      new TypeError(
        'found a list as options.command, expected an array of a program and its arguments or nothing',
      ),
    ],
    [
      { reserveMib: -1 },
      new RangeError(
        'found the number -1 as options.reserveMib, expected a whole number from 0 or nothing',
      ),
    ],
    [
      { requireDigest: 0 },
      new TypeError(
        'found the number 0 as options.requireDigest, expected true or false or nothing',
      ),
    ],
    [
      { signal: 'now' },
      new TypeError('found "now" as options.signal, expected an AbortSignal or nothing'),
    ],
    [{ onstep: 1 }, new TypeError('found "onstep" in options, expected "onStep"')],
  ])('refuses %j, and writes nothing', async (given, error) => {
    const home = temporaryFolder();
    error.message = `installArtifact(): ${error.message}`;
    const options = { ...placesIn(home), ...given };
    await expect(installArtifact({ platform: PLATFORM }, options)).rejects.toThrow(error);
    expect(readdirSync(home)).toEqual([]);
  });

  it.each([
    ['lidar.tgz', 'found "lidar.tgz" as artifact, expected an object or nothing'],
    [
      { platform: PLATFORM, url: 5 },
      'found the number 5 as artifact.url, expected text or nothing',
    ],
  ])('refuses %j as the file of a release', async (artifact, message) => {
    const installing = installArtifact(artifact as never, placesIn(temporaryFolder()));
    await expect(installing).rejects.toThrow(new TypeError(`installArtifact(): ${message}`));
  });
});

describe('[D378] checkPackage()', () => {
  it.each<[args: readonly unknown[], message: string]>([
    [[5, PLATFORM], 'found the number 5 as path, expected text'],
    [['a.tgz', 'linux'], 'found "linux" as platform, expected a Platform of parsePlatform()'],
    [['a.tgz', PLATFORM, {}], 'found an object as signal, expected an AbortSignal'],
  ])('refuses %j', async (args, message) => {
    const checking = checkPackage(...(args as Parameters<typeof checkPackage>));
    await expect(checking).rejects.toThrow(new TypeError(`checkPackage(): ${message}`));
  });

  it('says which file cannot be read', async () => {
    const folder = temporaryFolder();
    expect(await checkPackage(`${folder}/lidar.tgz`, PLATFORM)).toEqual({
      ok: false,
      error: {
        blame: 'machine',
        kind: 'unusable-disk',
        reason: `"${folder}/lidar.tgz": open fails (ENOENT)`,
      },
    });
  });
});
