import { expect, it } from 'vitest';
import { systemTags } from '../../src/cli/system-tags.ts';
import { temporaryFolder } from '../support/folder.ts';

const V2 = 'cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3';
const V3 = `${V2} avx avx2 bmi1 bmi2 f16c fma abm movbe xsave`;

it.each<[string, Readonly<Record<string, string>>, string, string[]]>([
  ['nothing is known', {}, 'riscv64', []],
  [
    'Debian on an old CPU',
    {
      'etc/os-release': 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nVERSION_ID="13"\nID=debian\n',
      'proc/cpuinfo': 'flags\t\t: fpu sse2\n',
    },
    'x64',
    ['distro:debian', 'distro:debian-13', 'distro-like:debian', 'arch:amd64', 'arch:amd64-v1'],
  ],
  [
    'Ubuntu, in the other place',
    { 'usr/lib/os-release': "ID='ubuntu'\nID_LIKE=debian\n", 'proc/cpuinfo': `flags : ${V2}\n` },
    'x64',
    [
      'distro:ubuntu',
      'distro-like:ubuntu',
      'distro-like:debian',
      'arch:amd64',
      'arch:amd64-v1',
      'arch:amd64-v2',
    ],
  ],
  [
    'a rolling release on a new CPU',
    { 'etc/os-release': 'ID=arch', 'proc/cpuinfo': `flags : ${V3} avx512f\n` },
    'x64',
    [
      'distro:arch',
      'distro-like:arch',
      'arch:amd64',
      'arch:amd64-v1',
      'arch:amd64-v2',
      'arch:amd64-v3',
    ],
  ],
  [
    'ARM',
    { 'proc/cpuinfo': 'Features\t: fp asimd atomics asimdrdm crc32\n' },
    'arm64',
    ['arch:arm64', 'arch:arm64-v8.0', 'arch:arm64-v8.1'],
  ],
  [
    'a file without an ID',
    { 'etc/os-release': 'NAME=Linux\nVERSION_ID=3\n' },
    'arm64',
    ['arch:arm64', 'arch:arm64-v8.0'],
  ],
])('[D87] %s', (_title, files, arch, tags) => {
  expect(systemTags(temporaryFolder(files), arch)).toEqual(tags);
});
