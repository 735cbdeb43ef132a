import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { fileServer } from '../../../mocks/file-server.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { install, PLACE } from '../../support/installing.ts';
import { END, extension, PROGRAM, tarOf, type TarMember } from '../../support/tar-file.ts';

/** A frame without content, with an index of frames in it. */
const SKIPPABLE = Buffer.from('5e2a4d1808000000e20f000000000000', 'hex');
const [META, LIDAR] = PROGRAM as readonly [TarMember, TarMember];
/** What the tar of macOS writes for an attribute of a file. */
const DOUBLE = Buffer.from('0005160700020000 4d6163204f532058'.replace(' ', ''), 'hex');
const GOOD = tarOf(...PROGRAM, { name: 'blob', content: noise(300_000) });
const IN_A_FOLDER = PROGRAM.map((one) => ({ ...one, name: `lidar-1.0.0/${one.name}` }));

function noise(length: number): Buffer {
  let state = 1;
  return Buffer.from(
    Uint8Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) & 255),
  );
}

function frames(...lengths: readonly number[]): Buffer[] {
  let begin = 0;
  return [...lengths, GOOD.length].map((length) => {
    const frame = zstdCompressSync(GOOD.subarray(begin, begin + length));
    begin += length;
    return frame;
  });
}

const WITH_BLOB = ['bin', 'bin/lidar', 'blob', 'meta.json'];
const PLAIN = ['bin', 'bin/lidar', 'meta.json'];

it.each<[what: string, file: () => Buffer, installed: readonly string[]]>([
  ['[T355] two frames of zstd', () => Buffer.concat(frames(150_000)), WITH_BLOB],
  [
    '[T355] frames that end at each place in an entry',
    () => Buffer.concat(frames(0, 1, 511, 512, 1, 16_384, 16_383, 131_073)),
    WITH_BLOB,
  ],
  [
    '[T355] frames with checksums, as the zstd program writes them',
    () =>
      Buffer.concat(
        [GOOD.subarray(0, 1024), GOOD.subarray(1024)].map((one) =>
          zstdCompressSync(one, { params: { 201: 1, 100: 19 } }),
        ),
      ),
    WITH_BLOB,
  ],
  [
    '[T355] frames without content before, between and after them, as pzstd and seekable archives have them',
    () => {
      const [one, two] = frames(150_000) as [Buffer, Buffer];
      return Buffer.concat([SKIPPABLE, one, SKIPPABLE, two, SKIPPABLE]);
    },
    WITH_BLOB,
  ],
  [
    '[T355] a frame of zeros, which is one repeated byte',
    () => zstdCompressSync(tarOf(...PROGRAM, { name: 'zeros', content: Buffer.alloc(400_000) })),
    [...PLAIN, 'zeros'],
  ],
  [
    '[T355] no blocks of zeros at the end',
    () => gzipSync(tarOf(...PROGRAM).subarray(0, -END.length)),
    PLAIN,
  ],
  [
    '[T355] one block of zeros at the end',
    () => gzipSync(tarOf(...PROGRAM).subarray(0, -512)),
    PLAIN,
  ],
  [
    '[T356] files of macOS beside the only folder and in it',
    () =>
      gzipSync(
        tarOf({ name: '._lidar-1.0.0', content: DOUBLE }, ...IN_A_FOLDER, {
          name: 'lidar-1.0.0/._meta.json',
          content: DOUBLE,
        }),
      ),
    ['._meta.json', ...PLAIN],
  ],
  [
    '[T356] how macOS shows the folder that has the only folder',
    () => gzipSync(tarOf({ name: '.DS_Store', content: DOUBLE }, ...IN_A_FOLDER)),
    PLAIN,
  ],
  [
    '[T356] the folder of a zip of macOS beside the only folder, with links that nobody follows',
    () =>
      gzipSync(
        tarOf(
          ...IN_A_FOLDER,
          { name: '__MACOSX/lidar-1.0.0/._bin', content: DOUBLE },
          { name: '__MACOSX/up', type: '2', target: '/etc' },
        ),
      ),
    PLAIN,
  ],
  [
    '[T356] files of macOS beside programs at the top',
    () => gzipSync(tarOf({ name: '._meta.json', content: DOUBLE }, META, LIDAR)),
    ['._meta.json', ...PLAIN],
  ],
  [
    '[T356] attributes of macOS in extended headers',
    () =>
      gzipSync(
        tarOf(
          extension({
            'LIBARCHIVE.xattr.com.apple.provenance': 'AQIAy+Y',
            'SCHILY.xattr.x': '=\n=',
          }),
          ...PROGRAM,
        ),
      ),
    PLAIN,
  ],
])('installs an archive with %s', async (_what, file, installed) => {
  const home = temporaryFolder();
  const server = await fileServer(file());
  const root = `${home}/${PLACE}`;
  expect(await install(home, server.artifact)).toMatchObject({ ok: true });
  expect(readdirSync(root, { recursive: true }).map(String).toSorted()).toEqual(installed);
  expect(readFileSync(`${root}/bin/lidar`, 'utf8')).toBe('#!/bin/sh\necho lidar\n');
  const blob = installed.includes('blob') ? readFileSync(`${root}/blob`) : noise(300_000);
  expect(blob.equals(noise(300_000))).toBe(true);
});
