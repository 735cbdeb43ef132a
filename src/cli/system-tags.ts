import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The first that exists is read: the second is that of a system without the first. */
const OS_RELEASE = ['etc/os-release', 'usr/lib/os-release'];
const CPU = 'proc/cpuinfo';

/** What the levels of x86-64 add, as Linux spells it. A level includes all lower ones. */
const AMD64: readonly (readonly string[])[] = [
  ['cx16', 'lahf_lm', 'popcnt', 'sse4_1', 'sse4_2', 'ssse3'],
  ['avx', 'avx2', 'bmi1', 'bmi2', 'f16c', 'fma', 'abm', 'movbe', 'xsave'],
  ['avx512f', 'avx512bw', 'avx512cd', 'avx512dq', 'avx512vl'],
];
/** What the versions of ARMv8 add. */
const ARM64: readonly (readonly string[])[] = [
  ['atomics', 'asimdrdm', 'crc32'],
  ['dcpop', 'fphp', 'asimdhp'],
];

/**
 * What the system below `root` is tagged with: `distro:` with the ID of os-release, and with its VERSION_ID;
 * `distro-like:` with that and each ID_LIKE; `arch:` with the architecture, and with each of its variants (D87).
 */
export function systemTags(root: string, arch: string): string[] {
  return [...distroTags(firstText(root, OS_RELEASE)), ...archTags(arch, firstText(root, [CPU]))];
}

function distroTags(text: string): string[] {
  const fields = new Map(
    text.split('\n').map((line) => {
      const equals = line.indexOf('=');
      return [
        line.slice(0, equals),
        line
          .slice(equals + 1)
          .trim()
          .replaceAll(/["']/g, ''),
      ] as const;
    }),
  );
  const id = fields.get('ID');
  if (!id) return [];
  const version = fields.get('VERSION_ID');
  const like = (fields.get('ID_LIKE') ?? '').split(/\s+/).filter((one) => one !== '');
  return [
    `distro:${id}`,
    ...(version ? [`distro:${id}-${version}`] : []),
    ...[id, ...like].map((one) => `distro-like:${one}`),
  ];
}

function archTags(arch: string, cpu: string): string[] {
  const line = /^(?:flags|Features)\s*:(.*)$/m.exec(cpu)?.[1] ?? '';
  const features = new Set(line.trim().split(/\s+/));
  const steps = arch === 'x64' ? AMD64 : arch === 'arm64' ? ARM64 : [];
  const missing = steps.findIndex((needed) => needed.some((one) => !features.has(one)));
  const count = missing === -1 ? steps.length : missing;
  if (arch === 'x64') {
    return ['arch:amd64', ...variants(count, (level) => `arch:amd64-v${level + 1}`)];
  }
  if (arch === 'arm64') {
    return ['arch:arm64', ...variants(count, (level) => `arch:arm64-v8.${level}`)];
  }
  return [];
}

/** The variants from the first to the one after `count` steps. */
function variants(count: number, name: (level: number) => string): string[] {
  return Array.from({ length: count + 1 }, (_, level) => name(level));
}

/** The content of the first of the files that exists; empty if none does, or it cannot be read. */
function firstText(root: string, paths: readonly string[]): string {
  const path = paths.map((one) => join(root, one)).find((one) => existsSync(one));
  if (path === undefined) return '';
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
