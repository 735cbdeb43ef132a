import type { Artifact } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { isExposed, readWebAddress } from '../../core/text/web-address.ts';
import { fullDigest, type FullDigest } from './file-digest.ts';
import { machineFault, wrongRelease } from './install-failure.ts';

/** Where a file is, and what it must be. */
export interface ArtifactSource {
  readonly url: URL;
  /** The address for a person, escaped, without its query. */
  readonly where: string;
  /** Undefined if the release has none that a file can be compared with. */
  readonly digest: FullDigest | undefined;
  /** In bytes; undefined if the release does not say. */
  readonly size: number | undefined;
}

const MIB = 1024 * 1024;
/** The largest file, in bytes. */
export const MOST_PACKED: number = 1024 * MIB;

/** The source of an artifact. Throws a refusal if it names none that may be used. */
export function sourceOf(
  { url, digest, size, platform }: Artifact,
  terms: { readonly allowHttp: readonly string[]; readonly requireDigest: boolean },
): ArtifactSource {
  if (url === undefined) {
    const reason = `the release names no address of its file for ${excerpt(platform)}`;
    throw machineFault('nothing-to-download', reason);
  }
  const address = readWebAddress(url);
  if (!address.ok) {
    throw machineFault('bad-address', `the address of the file: ${address.error}`);
  }
  const { origin, pathname, host } = address.value;
  if (isExposed(address.value, terms.allowHttp)) {
    const reason = `the file at ${excerpt(origin)} could be changed in transit: use https:, or list ${excerpt(host)} under allow_http in the update policy`;
    throw machineFault('bad-address', reason);
  }
  const where = `the file at ${excerpt(origin + pathname)}`;
  const full = fullDigest(digest);
  if (!full && terms.requireDigest) {
    const found = digest === undefined ? 'no digest' : `the digest ${excerpt(digest)}`;
    throw wrongRelease('no-digest', `${where} has ${found}, expected a complete sha256 or sha512`);
  }
  if (size !== undefined && size > MOST_PACKED) {
    throw wrongRelease('too-large', `${where} has ${size} bytes, expected at most ${MOST_PACKED}`);
  }
  return { url: address.value, where, digest: full, size };
}
