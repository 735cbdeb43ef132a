import type { DigestChange, ReleaseRecord } from '../core/index.ts';
import { canonicalPlatform } from '../core/platform.ts';
import { digestKind } from '../core/release.ts';

/** A digest that was seen for a file of a release. */
export interface KnownDigest {
  /** As published. */
  readonly version: string;
  /** By its canonical name. */
  readonly platform: string;
  readonly digest: string;
}

/**
 * The digests that were seen for a module, and that `next` does not give: those of its `records` before,
 * and those that were lost already. A release that goes away and comes back is held to its first digest.
 */
export function lostDigests(
  before: { readonly records: readonly ReleaseRecord[]; readonly lost: readonly KnownDigest[] },
  next: readonly ReleaseRecord[],
): KnownDigest[] {
  const given = new Map(Array.from(digestsOf(next), (known) => [keyOf(known), known.digest]));
  const first = new Map<string, KnownDigest>();
  // What was lost already was seen before what the records gave since.
  for (const known of [...before.lost, ...digestsOf(before.records)]) {
    const key = keyOf(known);
    if (!first.has(key)) first.set(key, known);
  }
  return [...first].flatMap(([key, known]) => (given.get(key) === known.digest ? [] : [known]));
}

/** What changed of the releases in `records`, by the text of the version. (D22) */
export function changedDigests(
  records: readonly ReleaseRecord[],
  lost: readonly KnownDigest[],
): ReadonlyMap<string, DigestChange> {
  const changes = new Map<string, DigestChange>();
  if (lost.length === 0) return changes;
  const given = new Map(Array.from(digestsOf(records), (known) => [keyOf(known), known.digest]));
  const files = new Set(records.flatMap(filesOf));
  for (const known of lost) {
    const { version, platform, digest: first } = known;
    if (changes.has(version) || !files.has(fileKey(version, platform))) continue;
    changes.set(version, { platform, first, now: given.get(keyOf(known)) });
  }
  return changes;
}

function* digestsOf(records: readonly ReleaseRecord[]): Iterable<KnownDigest> {
  for (const { version, artifacts = [] } of records) {
    for (const { platform, digest } of artifacts) {
      if (digest !== undefined) yield { version, platform: canonicalPlatform(platform), digest };
    }
  }
}

function filesOf({ version, artifacts = [] }: ReleaseRecord): string[] {
  return artifacts.map(({ platform }) => fileKey(version, canonicalPlatform(platform)));
}

function fileKey(version: string, platform: string): string {
  return `${platform} ${version}`;
}

/** Digests of different kinds say nothing of each other. */
function keyOf({ version, platform, digest }: KnownDigest): string {
  return `${digestKind(digest)} ${fileKey(version, platform)}`;
}
