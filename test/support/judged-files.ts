import type { JudgedFile } from './judged-entry.ts';

/** What a machine may download. */
export interface JudgedDownload {
  readonly requireDigest: boolean;
  readonly allowHttp: readonly string[];
}

/** Whether a file is for a platform. */
export function fits(published: string, platform: string): boolean {
  const names =
    published === 'any' ? ['any', 'any'] : published.replace('aarch64', 'arm64').split('/');
  return platform
    .split('/')
    .every((half, place) => names[place] === 'any' || names[place] === half);
}

function textOf({ platform, digest, url }: JudgedFile): string {
  return JSON.stringify([platform, digest, url]);
}

/** The files of several entries, in an order that does not depend on the list. */
export function ordered(artifacts: readonly JudgedFile[]): JudgedFile[] {
  return artifacts.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

/** The file for exactly the platform, else the first that fits. */
export function fileFor(
  artifacts: readonly JudgedFile[],
  platform: string,
): JudgedFile | undefined {
  const fitting = artifacts.filter((file) => fits(file.platform, platform));
  const exact = fitting.find((file) => file.platform.replace('aarch64', 'arm64') === platform);
  return exact ?? fitting[0];
}

/** Whether a machine may download a file. */
export function isTrusted(
  file: JudgedFile | undefined,
  { requireDigest, allowHttp }: JudgedDownload,
): boolean {
  if (file?.url === undefined) return true;
  const url = URL.parse(file.url);
  const isHttps = url?.protocol === 'https:';
  const isHttp = url?.protocol === 'http:' && ['localhost', ...allowHttp].includes(url.hostname);
  if (!url || !(isHttps || isHttp) || url.hostname === '169.254.169.254') return false;
  const [kind = '', hex = ''] = (file.digest ?? '').split(':');
  const length = { sha256: 64, sha512: 128 }[kind];
  return !requireDigest || (hex.length === length && !/[^0-9a-f]/.test(hex));
}

/** Whether two files for one platform have different digests. */
export function hasConflict(artifacts: readonly JudgedFile[]): boolean {
  return artifacts.some((a) =>
    artifacts.some(
      (b) =>
        a.digest !== undefined &&
        b.digest !== undefined &&
        a.digest !== b.digest &&
        a.digest.split(':')[0] === b.digest.split(':')[0] &&
        a.platform.replace('aarch64', 'arm64') === b.platform.replace('aarch64', 'arm64'),
    ),
  );
}
