import { gzipSync, zstdCompressSync } from 'node:zlib';
import { elf } from './elf-file.ts';
import { END, extension, member, PROGRAM, tarOf, type TarMember } from '../../support/tar-file.ts';

/** A file that must not be installed, and why not. */
export interface HostileArchive {
  readonly file: Buffer;
  readonly reason: string;
  /** `bad-archive` by default. */
  readonly kind?: string;
}

const WRONG_SUM = 'the archive has a header with a wrong checksum';

/** An archive of a good package with more entries. */
function adding(reason: string, ...more: readonly (TarMember | Buffer)[]): HostileArchive {
  return { file: gzipSync(tarOf(...PROGRAM, ...more)), reason: `the archive ${reason}` };
}

/** An archive with these bytes, compressed. */
function holding(reason: string, bytes: Buffer): HostileArchive {
  return { file: gzipSync(bytes), reason: `the archive ${reason}` };
}

function oversized(reason: string, ...more: readonly (TarMember | Buffer)[]): HostileArchive {
  return { ...adding(reason, ...more), kind: 'too-large' };
}

function notArchive(name: string, file: Buffer): HostileArchive {
  const expected = 'expected a tar archive compressed with gzip or zstd, or a program for Linux';
  return { file, kind: 'wrong-type', reason: `the file is ${name}, ${expected}` };
}

const GOOD = tarOf(...PROGRAM);
const EMPTY_FRAME = zstdCompressSync(Buffer.alloc(0));
const DEEP = Array.from({ length: 33 }, () => 'd').join('/');
const LONG = 'n'.repeat(256);
const link = (name: string, target: string): TarMember => ({ name, type: '2', target });

/** Archives that attack the machine, by what they do. */
export const HOSTILE_ARCHIVES: Readonly<Record<string, () => HostileArchive>> = {
  'a path with ..': () =>
    adding('has a path that leaves it: "../../evil"', { name: '../../evil', content: 'x' }),
  'a path with .. in the middle': () =>
    adding('has a path that leaves it: "bin/../../evil"', { name: 'bin/../../evil' }),
  'an absolute path': () => adding('has an absolute path: "/tmp/evil"', { name: '/tmp/evil' }),
  'an absolute path in the prefix': () =>
    adding('has an absolute path: "/tmp/evil"', { name: 'evil', prefix: '/tmp' }),
  'an absolute path in an extended header': () =>
    adding('has an absolute path: "/tmp/evil"', extension({ path: '/tmp/evil' }), { name: 'x' }),
  'a long name of GNU tar with ..': () =>
    adding(
      'has a path that leaves it: "../evil"',
      member({ name: 'L', type: 'L', content: '../evil\0' }),
      { name: 'x' },
    ),
  'a folder above': () => adding('has a path that leaves it: ".."', { name: '..', type: '5' }),
  'a control character': () =>
    adding('has a control character in "bin/\\u{1b}[2J"', { name: 'bin/\u001b[2J' }),
  'a line break in a path': () =>
    adding('has a control character in "a\\u{a}b"', extension({ path: 'a\nb' }), { name: 'x' }),
  'a name that is not UTF-8': () =>
    adding('has a name that is not UTF-8: lidar\u00ff', {
      name: 'lidar',
      change: (header) => void header.writeUInt8(0xff, 5),
    }),
  'a file twice': () => adding('has "bin/lidar" twice', { name: './bin//lidar', content: 'evil' }),
  'a file as a folder': () =>
    adding('has "bin/lidar" as a folder and as something else', { name: 'bin/lidar/x' }),
  'a folder as a file': () =>
    adding('has "bin" as a folder and as something else', { name: 'bin', content: 'x' }),
  'a link to an absolute path': () =>
    adding('has the link "etc" to "/etc", which is absolute', link('etc', '/etc')),
  'a link above the package': () =>
    adding(
      'has the link "bin/up" to "../../x", which leaves the package',
      link('bin/up', '../../x'),
    ),
  'a link above the package, which is in a folder': () => ({
    file: gzipSync(tarOf({ name: 'top/a' }, link('top/up', '../top/a'))),
    kind: 'bad-archive',
    reason: 'the archive has the link "up" to "../top/a", which leaves the package',
  }),
  'a chain of links that leaves the package': () =>
    adding(
      'has the link "a/b/evil" to "../../here/..", which has ".." after a name',
      link('here', '.'),
      link('a/b/evil', '../../here/..'),
    ),
  'a link that leads nowhere': () => adding('has the link "x", which leads nowhere', link('x', '')),
  'a file through a link': () =>
    adding('writes through the link "lib"', link('lib', 'bin'), { name: 'lib/evil' }),
  'a file through a link that comes later': () =>
    adding('has "lib" as a folder and as something else', { name: 'lib/evil' }, link('lib', 'bin')),
  'a link through a link': () =>
    adding('writes through the link "lib"', link('lib', 'bin'), link('lib/x', 'y')),
  'a hard link to a file of the machine': () =>
    adding('has an absolute path: "/etc/shadow"', { name: 'x', type: '1', target: '/etc/shadow' }),
  'a hard link to a file of macOS beside the package': () => ({
    file: gzipSync(tarOf({ name: '._top' }, { name: 'top/bin/lidar', type: '1', target: '._top' })),
    reason: 'the archive links "top/bin/lidar" to "._top", which is beside the package',
  }),
  'a hard link to a link': () =>
    adding('links "x" to "lib", which is no file before it', link('lib', 'bin'), {
      name: 'x',
      type: '1',
      target: 'lib',
    }),
  'a hard link to itself': () =>
    adding('links "x" to "x", which is no file before it', { name: 'x', type: '1', target: 'x' }),
  'a hard link with content': () =>
    adding('has content in "x", which is not a file', {
      name: 'x',
      type: '1',
      target: 'bin/lidar',
      content: 'evil',
    }),
  'a character device': () => adding('has a character device: "mem"', { name: 'mem', type: '3' }),
  'a block device': () => adding('has a block device: "sda"', { name: 'sda', type: '4' }),
  'a FIFO': () => adding('has a FIFO: "pipe"', { name: 'pipe', type: '6' }),
  'a sparse file of GNU tar': () =>
    adding('has a sparse file: "s"', { name: 's', type: 'S', content: 'x' }),
  'a sparse file of pax': () =>
    adding('has a sparse file', extension({ 'GNU.sparse.major': '1' }), { name: 's' }),
  'a volume label': () =>
    adding('has an entry of the type "V": "label"', { name: 'label', type: 'V' }),
  'one name for all entries': () =>
    adding('gives all its entries one name or size', extension({ path: 'x' }, 'g'), { name: 'y' }),
  'an extended header that says a wrong length': () =>
    adding(
      'has an extended header that cannot be parsed',
      member({ name: 'x', type: 'x', content: '99 path=a\n' }),
      { name: 'y' },
    ),
  'an extended header without an end': () =>
    adding(
      'has an extended header of 65537 bytes, expected at most 65536',
      member({ name: 'x', type: 'x', content: ' '.repeat(65_537) }),
    ),
  'a size that is not a number': () =>
    adding('gives "y" the size -1', extension({ size: '-1' }), { name: 'y' }),
  'a negative size': () =>
    adding('has a header whose size is not a number', {
      name: 'y',
      change: (header) => void header.fill(0xff, 124, 136),
    }),
  'a damaged header': () => ({
    ...adding('', { name: 'y', damage: (header) => void header.write('z', 0) }),
    reason: WRONG_SUM,
  }),
  'no archive inside': () => ({
    file: gzipSync(Buffer.alloc(4096, 'x')),
    reason: 'the archive has a header whose checksum is not a number',
  }),
  'an end within a file': () => holding('ends within an entry', GOOD.subarray(0, 1024 + 512 + 10)),
  'an end between an extended header and its entry': () =>
    holding(
      'ends within an entry',
      Buffer.concat([GOOD.subarray(0, -END.length), extension({ path: 'x' })]),
    ),
  'an end within the compressed data': () => ({
    file: gzipSync(GOOD).subarray(0, -20),
    reason: 'the archive cannot be decompressed (Z_BUF_ERROR)',
  }),
  'damaged compressed data': () => ({
    file: flipped(gzipSync(Buffer.concat([GOOD, Buffer.alloc(4096)])), 60),
    reason: 'the archive cannot be decompressed (Z_DATA_ERROR)',
  }),
  'data after its end': () =>
    holding('continues after its end', Buffer.concat([GOOD, member({ name: '/etc/evil' })])),
  nothing: () => holding('is empty', END),
  'a file of 3 GiB': () =>
    oversized('has the file "big" of 3221225472 bytes, expected at most 2147483648', {
      name: 'big',
      size: 3 * 2 ** 30,
    }),
  '50,001 entries': () =>
    oversized(
      'has more than 50000 entries',
      Buffer.concat(Array.from({ length: 50_000 }, (_, place) => member({ name: `f${place}` }))),
    ),
  'folders in the names of files, 50,001 in all': () =>
    oversized(
      'has more than 50000 entries',
      Buffer.concat(
        Array.from({ length: 2000 }, (_, place) =>
          member({ name: `${place}/${'d/'.repeat(25)}f` }),
        ),
      ),
    ),
  'names of 8 MiB': () => ({
    ...oversized(
      '',
      Buffer.concat(
        Array.from({ length: 8400 }, (_, place) =>
          Buffer.concat([
            extension({ path: `${place}${`/${'n'.repeat(250)}`.repeat(4)}`.slice(0, 1024) }),
            member({ name: 'x' }),
          ]),
        ),
      ),
    ),
    reason: 'the names in the archive have more than 8388608 characters',
  }),
  'folders within each other': () =>
    adding(`has folders within each other beyond 32: "${DEEP}"`, { name: DEEP }),
  'a name that no file system allows': () =>
    adding(
      `has a name of more than 255 bytes: "${LONG.slice(0, 200)}…"`,
      extension({ path: LONG }),
      { name: 'x' },
    ),
  'a path that Linux does not open': () =>
    adding(
      `has a path of more than 1024 bytes: ${'n/'.repeat(600).slice(0, 200)}…`,
      extension({ path: 'n/'.repeat(600) }),
      { name: 'x' },
    ),
  'a window of zstd that takes 128 MiB': () => ({
    file: wideWindow(),
    reason: 'the archive cannot be decompressed (ZSTD_error_frameParameter_windowTooLarge)',
  }),
  'bytes after a frame of zstd': () => ({
    file: Buffer.concat([zstdCompressSync(GOOD), Buffer.from('PAYLOAD')]),
    reason: 'the archive has bytes after a frame of zstd that are none',
  }),
  'a damaged frame of zstd after a good one': () => ({
    file: Buffer.concat([
      zstdCompressSync(GOOD.subarray(0, 1024)),
      flipped(zstdCompressSync(GOOD.subarray(1024)), 5),
    ]),
    reason: 'the archive cannot be decompressed (ZSTD_error_corruption_detected)',
  }),
  'an end within the second frame of zstd': () => ({
    file: Buffer.concat(
      [GOOD.subarray(0, 1024), GOOD.subarray(1024)].map((one) => zstdCompressSync(one)),
    ).subarray(0, -3),
    reason: 'the archive cannot be decompressed (Z_BUF_ERROR)',
  }),
  '65,537 frames of zstd': () => ({
    file: Buffer.concat(Array.from({ length: 65_537 }, () => EMPTY_FRAME)),
    kind: 'too-large',
    reason: 'the archive has more than 65536 frames of zstd',
  }),
  'an end within a frame of zstd': () => ({
    file: zstdCompressSync(GOOD).subarray(0, -3),
    reason: 'the archive cannot be decompressed (Z_BUF_ERROR)',
  }),
  'a tar without compression': () => notArchive('a tar archive without compression', GOOD),
  'a zip archive': () => notArchive('a zip archive', Buffer.from('504b03040a00', 'hex')),
  'a web page': () => notArchive('a web page', Buffer.from('\n<!doctype HTML><p>')),
  'a script': () => notArchive('a script', Buffer.from('#!/bin/sh\n')),
  'no bytes': () => notArchive('empty', Buffer.alloc(0)),
  'a program for another CPU': () => ({
    file: elf(183),
    kind: 'wrong-platform',
    reason: 'the program is for linux/arm64, expected linux/amd64',
  }),
};

function flipped(bytes: Buffer, place: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(place) ^ 0xff, place);
  return copy;
}

/** Only unpacking 4 GiB shows that it is refused. */
export const BOMB: () => HostileArchive = () => ({
  file: bomb(),
  kind: 'too-large',
  reason: 'the archive has more than 4294967296 bytes when unpacked',
});

/** Three files of 1.5 GiB of zeros: 4.5 MB. Each is the same compressed bytes, since gzip may have several members. */
function bomb(): Buffer {
  const zeros = gzipSync(Buffer.alloc(2 ** 28));
  const files = [0, 1, 2].flatMap((place) => [
    gzipSync(member({ name: `zeros${place}`, size: 6 * 2 ** 28 })),
    zeros,
    zeros,
    zeros,
    zeros,
    zeros,
    zeros,
  ]);
  return Buffer.concat([...files, gzipSync(END)]);
}

/** A frame of zstd whose header asks for a window of 128 MiB (RFC 8878, 3.1.1.1.2). */
function wideWindow(): Buffer {
  const frame = zstdCompressSync(Buffer.from('x'));
  const magic = frame.subarray(0, 4);
  // No content size and no checksum; exponent 17 is 2^27 bytes; one raw block of one byte, the last.
  return Buffer.concat([magic, Buffer.from([0x00, 17 << 3, 0x09, 0x00, 0x00, 0x78])]);
}
