import type { Expected } from '../text/argument.ts';
import { parseError, type ParseError } from '../text/parse-error.ts';
import type { Result } from '../text/result.ts';

/** The platforms that machines run on (Limits). */
export const PLATFORMS: readonly Platform[] = ['linux/amd64', 'linux/arm64'];

/** The operating system and the CPU of a machine. */
export type Platform = 'linux/amd64' | 'linux/arm64';

/** What a program that no compiler checked must pass. */
export const PLATFORM: Expected = {
  is: (value) => PLATFORMS.some((known) => known === value),
  words: 'a Platform of parsePlatform()',
};

// Other names of the two CPU architectures are accepted as well (D9).
const ARCHITECTURES = new Map([
  ['x86_64', 'amd64'],
  ['x64', 'amd64'],
  ['aarch64', 'arm64'],
]);

/**
 * Parses `linux/amd64` or `linux/arm64`; `x86_64` and `x64` mean amd64, `aarch64` means arm64. Never throws, whatever
 * the argument (Limits).
 *
 * @example
 * ```ts
 * import { parsePlatform } from 'modreg';
 *
 * const platform = parsePlatform(`${process.platform}/${process.arch}`);
 * console.log(platform.ok ? platform.value : platform.error.message);
 * ```
 */
export function parsePlatform(text: unknown): Result<Platform, ParseError<'bad-platform'>> {
  const canonical = typeof text === 'string' ? canonicalPlatform(text) : undefined;
  const platform = PLATFORMS.find((known) => known === canonical);
  if (platform !== undefined) return { ok: true, value: platform };
  const suggestion = PLATFORMS.find((known) => known === `linux/${canonical}`);
  const misfit = { position: 0, expected: PLATFORMS.join(' or '), suggestion };
  return { ok: false, error: parseError('bad-platform', text, misfit) };
}

/** `text` with the canonical name of its CPU architecture. Text that is not a platform is returned unchanged. */
export function canonicalPlatform(text: string): string {
  const slash = text.indexOf('/') + 1;
  const architecture = text.slice(slash);
  return text.slice(0, slash) + (ARCHITECTURES.get(architecture) ?? architecture);
}

/** Whether an artifact for `published` runs on `platform`. Each half of `published` may be `any` (D9). */
export function fitsPlatform(published: string, platform: Platform): boolean {
  if (published === platform || published === 'any') return true;
  const [os, architecture, ...rest] = canonicalPlatform(published).split('/');
  const [wantedOs, wantedArchitecture] = platform.split('/');
  return (
    (os === 'any' || os === wantedOs) &&
    (architecture === 'any' || architecture === wantedArchitecture) &&
    rest.length === 0
  );
}

/** Whether a release with artifacts for these platforms has one for that of a machine. Without a list of artifacts, it runs on all (D9). */
export function isPublishedFor(
  published: readonly string[] | undefined,
  platform: Platform,
): boolean {
  return published === undefined || published.some((one) => fitsPlatform(one, platform));
}
