import { gzipSync } from 'node:zlib';
import { tarOf, type TarMember } from '../../support/tar-file.ts';
import { elf } from './elf-file.ts';

/** A file that no machine for linux/amd64 can run, and the kind of the refusal and the reason that its agent gives. */
export type Unusable = readonly [
  what: string,
  file: Buffer,
  expected: readonly [kind: string, reason: string],
];

export const SH = '#!/bin/sh\nexec sleep 60\n';
export const PROGRAM: TarMember = { name: 'run', mode: 0o755, content: SH };

/** The file `meta.json` with these fields. */
export function meta(fields: unknown = { entrypoint: 'run' }): TarMember {
  const content = typeof fields === 'string' ? fields : JSON.stringify(fields);
  return { name: 'meta.json', content };
}

export function program(content: string | Buffer, name = 'run'): TarMember {
  return { name, mode: 0o755, content };
}

export function packed(...members: readonly (TarMember | Buffer)[]): Buffer {
  return gzipSync(tarOf(...members));
}

/** Why a file of another type is refused. */
function wrongType(name: string): string {
  return `the file is ${name}, expected a tar archive compressed with gzip or zstd, or a program for Linux`;
}

/** Files of other types, by their first bytes. */
const OTHER_TYPES: readonly (readonly [name: string, start: string])[] = [
  ['an archive compressed with xz', 'fd377a585a00'],
  ['an archive compressed with bzip2', '425a68'],
  ['a 7z archive', '377abcaf271c'],
  ['an RPM package', 'edabeedb'],
  ['a program for macOS', 'cffaedfe'],
  ['JSON', '7b7d'],
  ['of an unknown type', '6e6f746573'],
];

/** Files that are neither a program of Linux for this CPU nor an archive that can be unpacked. */
export const UNUSABLE_FILES: readonly Unusable[] = [
  ['nothing', Buffer.alloc(0), ['wrong-type', wrongType('empty')]],
  ['a zip archive', Buffer.from('504b03040000', 'hex'), ['wrong-type', wrongType('a zip archive')]],
  [
    'a tar archive without compression',
    tarOf(meta(), PROGRAM),
    ['wrong-type', wrongType('a tar archive without compression')],
  ],
  ['a Debian package', Buffer.from('!<arch>\n'), ['wrong-type', wrongType('a Debian package')]],
  ['a web page', Buffer.from('<!doctype html>'), ['wrong-type', wrongType('a web page')]],
  ['a script alone', Buffer.from(SH), ['wrong-type', wrongType('a script')]],
  [
    'a program for Windows',
    Buffer.from('MZ\0\0'),
    ['wrong-type', wrongType('a program for Windows')],
  ],
  [
    'a program for another CPU alone',
    elf(183),
    ['wrong-platform', 'the program is for linux/arm64, expected linux/amd64'],
  ],
  [
    'an archive that ends early',
    packed(meta(), PROGRAM).subarray(0, 60),
    ['bad-archive', 'the archive cannot be decompressed (Z_BUF_ERROR)'],
  ],
  ['an empty archive', packed(), ['bad-archive', 'the archive is empty']],
  [
    'a file outside',
    packed(meta(), PROGRAM, program(SH, '../run')),
    ['bad-archive', 'the archive has a path that leaves it: "../run"'],
  ],
  [
    'an absolute file',
    packed(meta(), PROGRAM, program(SH, '/run')),
    ['bad-archive', 'the archive has an absolute path: "/run"'],
  ],
  [
    'a link outside',
    packed(meta(), PROGRAM, { name: 'lib', type: '2', target: '../../lib' }),
    ['bad-archive', 'the archive has the link "lib" to "../../lib", which leaves the package'],
  ],
  [
    'a file twice',
    packed(meta(), PROGRAM, PROGRAM),
    ['bad-archive', 'the archive has "run" twice'],
  ],
  [
    'a device',
    packed(meta(), PROGRAM, { name: 'null', type: '3' }),
    ['bad-archive', 'the archive has a character device: "null"'],
  ],
  ...OTHER_TYPES.map(([name, start]): Unusable => [
    `a file that is ${name}`,
    Buffer.from(start, 'hex'),
    ['wrong-type', wrongType(name)],
  ]),
  [
    'a program for a CPU of 32 bits alone',
    elf(40, 1),
    ['wrong-platform', 'the program is for machine 40, 32 bits, expected linux/amd64'],
  ],
  [
    'text compressed with gzip',
    gzipSync('notes\n'),
    ['bad-archive', 'the archive ends within an entry'],
  ],
  [
    'a hard link to what it lacks',
    packed(meta(), PROGRAM, { name: 'copy', type: '1', target: 'lost' }),
    ['bad-archive', 'the archive links "copy" to "lost", which is no file before it'],
  ],
  [
    'an absolute link',
    packed(meta(), PROGRAM, { name: 'python', type: '2', target: '/usr/bin/python3' }),
    ['bad-archive', 'the archive has the link "python" to "/usr/bin/python3", which is absolute'],
  ],
  [
    'a named pipe',
    packed(meta(), PROGRAM, { name: 'pipe', type: '6' }),
    ['bad-archive', 'the archive has a FIFO: "pipe"'],
  ],
  [
    'a file that is a folder as well',
    packed(meta(), PROGRAM, { name: 'run/x' }),
    ['bad-archive', 'the archive has "run" as a folder and as something else'],
  ],
  [
    'a name with a line break',
    packed(meta(), PROGRAM, { name: 'a\nb' }),
    ['bad-archive', 'the archive has a control character in "a\\u{a}b"'],
  ],
];
