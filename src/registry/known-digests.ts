import type { Artifact, DigestChange, ReleaseRecord } from '../core/index.ts';
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
  const artifacts = artifactsByVersion(next);
  const isLost = (known: KnownDigest): boolean =>
    !artifacts.get(known.version)?.some((artifact) => gives(artifact, known));
  const first = new Map<string, KnownDigest>();
  // What was lost already was seen before what the records gave since.
  for (const known of [...before.lost, ...digestsOf(before.records).filter(isLost)]) {
    const key = `${digestKind(known.digest)} ${known.platform} ${known.version}`;
    if (!first.has(key)) first.set(key, known);
  }
  return [...first.values()].filter(isLost);
}

/** What changed of the releases in `records`, by the text of the version. (D22) */
export function changedDigests(
  records: readonly ReleaseRecord[],
  lost: readonly KnownDigest[],
): ReadonlyMap<string, DigestChange> {
  const changes = new Map<string, DigestChange>();
  const artifacts = lost.length === 0 ? undefined : artifactsByVersion(records);
  for (const { version, platform, digest: first } of lost) {
    const files = artifacts?.get(version)?.filter(isFor(platform)) ?? [];
    if (files.length === 0 || changes.has(version)) continue;
    const now = files.find(({ digest }) => isOfKind(digest, first));
    changes.set(version, { platform, first, now: now?.digest });
  }
  return changes;
}

function digestsOf(records: readonly ReleaseRecord[]): KnownDigest[] {
  return records.flatMap(({ version, artifacts = [] }) =>
    artifacts.flatMap(({ platform, digest }) =>
      digest === undefined ? [] : [{ version, platform: canonicalPlatform(platform), digest }],
    ),
  );
}

/** The artifacts of each version: a list may name one twice. */
function artifactsByVersion(records: readonly ReleaseRecord[]): Map<string, readonly Artifact[]> {
  const byVersion = new Map<string, readonly Artifact[]>();
  for (const { version, artifacts = [] } of records) {
    const others = byVersion.get(version);
    byVersion.set(version, others ? [...others, ...artifacts] : artifacts);
  }
  return byVersion;
}

function gives(artifact: Artifact, { platform, digest }: KnownDigest): boolean {
  return artifact.digest === digest && isFor(platform)(artifact);
}

function isFor(canonical: string): (artifact: Artifact) => boolean {
  return ({ platform }) => platform === canonical || canonicalPlatform(platform) === canonical;
}

/** Digests of different kinds say nothing of each other. */
function isOfKind(digest: string | undefined, other: string): boolean {
  return digest !== undefined && digestKind(digest) === digestKind(other);
}
