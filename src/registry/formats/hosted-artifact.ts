import type { Artifact, ReleaseRecord } from '../../core/index.ts';

/** What the addresses of hosted files begin with. */
export const HOSTED_PREFIX = '../../artifacts/sha256/';

/** Whether `text` is a sha256 as it is written in addresses and names of files. */
export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/**
 * The address, in a release list, of a file that the registry of the list hosts. It is relative to the address of the
 * list, so that it stays right when the registry moves, and behind any proxy (D44).
 */
export function hostedUrl(sha256: string): string {
  return `${HOSTED_PREFIX}${sha256}`;
}

/** The sha256 in the address of a hosted file; undefined if `url` is another address. */
export function hostedSha256(url: string | undefined): string | undefined {
  if (url?.startsWith(HOSTED_PREFIX) !== true) return undefined;
  const sha256 = url.slice(HOSTED_PREFIX.length);
  return isSha256(sha256) ? sha256 : undefined;
}

/**
 * A release with absolute addresses, from the list at `list`. A hosted file has no address if the list was read from a
 * file, or if its digest is another one (D44). Any other address stays as it is.
 */
export function withAbsoluteUrls(record: ReleaseRecord, list: URL | undefined): ReleaseRecord {
  const { artifacts } = record;
  if (!artifacts?.some(({ url }) => hostedSha256(url) !== undefined)) return record;
  return { ...record, artifacts: artifacts.map((artifact) => withAbsoluteUrl(artifact, list)) };
}

function withAbsoluteUrl(artifact: Artifact, list: URL | undefined): Artifact {
  const { url, digest } = artifact;
  const sha256 = hostedSha256(url);
  if (url === undefined || sha256 === undefined) return artifact;
  const isKnown = list !== undefined && digest === `sha256:${sha256}`;
  return { ...artifact, url: isKnown ? new URL(url, list).href : undefined };
}
