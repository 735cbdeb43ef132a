import { canonicalPlatform } from '../../core/releases/platform.ts';

/** An archive or a program, as the agent installs them; not a checksum, a signature or a package of a distribution. */
const ARCHIVE = /\.(?:tar\.gz|tgz|tar\.zst|tzst)$/;
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['amd64', 'amd64'],
  ['x86-64', 'amd64'],
  ['x64', 'amd64'],
  ['arm64', 'arm64'],
  ['aarch64', 'arm64'],
  ['i386', '386'],
  ['i686', '386'],
  ['x86', '386'],
  ['armhf', 'arm'],
  ['armv6', 'arm'],
  ['armv7', 'arm'],
  ['armv7l', 'arm'],
  ['riscv64', 'riscv64'],
  ['ppc64le', 'ppc64le'],
  ['s390x', 's390x'],
]);
const OTHER_SYSTEMS = new Set([
  'darwin',
  'macos',
  'osx',
  'apple',
  'windows',
  'win32',
  'win64',
  'freebsd',
  'openbsd',
  'netbsd',
  'android',
  'ios',
]);

/** The platform that the name of a file says; undefined if it is not a file to install on Linux. */
export type PlatformOfName = (name: string) => string | undefined;

/**
 * The platform by the words of a name: `lidar-1.2.0-linux-arm64.tar.gz` is for linux/arm64, and an archive that names no platform for
 * any.
 */
export const platformInName: PlatformOfName = (name) => {
  const lower = name.toLowerCase();
  const isArchive = ARCHIVE.test(lower);
  const words = lower.replace(ARCHIVE, '').replace('x86_64', 'x86-64');
  const parts = words.replaceAll('x86-64', 'x64').split(/[-_.+]/);
  if (parts.some((part) => OTHER_SYSTEMS.has(part))) return undefined;
  const last = parts.at(-1) ?? '';
  const architecture = parts.map((part) => ARCHITECTURES.get(part)).find((one) => one);
  // Without the ending of an archive, a name that ends in its platform is a program; any other may be a checksum.
  if (!isArchive && (!architecture || !(ARCHITECTURES.has(last) || last === 'linux')))
    return undefined;
  return architecture || parts.includes('linux') ? `linux/${architecture ?? 'any'}` : 'any';
};

/**
 * The platform by a pattern: in `lidar-*-{os}-{arch}.tar.gz`, `*` is any text, and `{os}` and `{arch}` are the two halves of the platform,
 * each `any` where the pattern does not have it.
 */
export function platformByPattern(pattern: string): PlatformOfName {
  const source = pattern
    .split(/(\{os\}|\{arch\}|\*)/)
    .map((part) => PARTS.get(part) ?? part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
    .join('');
  const expression = new RegExp(`^${source}$`);
  return (name) => {
    const found = expression.exec(name);
    if (!found) return undefined;
    const { os = 'any', arch = 'any' } = found.groups ?? {};
    return canonicalPlatform(`${os}/${arch}`);
  };
}

const PARTS: ReadonlyMap<string, string> = new Map([
  ['{os}', '(?<os>[a-z0-9]+)'],
  ['{arch}', '(?<arch>x86_64|[a-z0-9]+)'],
  ['*', '.*'],
]);
