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
  const listed = new Set(lost.length === 0 ? [] : records.map(({ version }) => version));
  const artifacts = artifactsByVersion(lost.length === 0 ? [] : records);
  for (const { version, platform, digest: first } of lost) {
    if (!listed.has(version) || changes.has(version)) continue;
    const files = artifacts.get(version)?.filter((file) => mayStandFor(file.platform, platform));
    // What is there for other platforms alone is not what changed.
    if (files?.length === 0) continue;
    const now = files?.find(({ digest }) => isOfKind(digest, first));
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

/** The artifacts of each version that has a list of them: an entry may be there twice. */
function artifactsByVersion(records: readonly ReleaseRecord[]): Map<string, readonly Artifact[]> {
  const byVersion = new Map<string, readonly Artifact[]>();
  for (const { version, artifacts } of records) {
    if (!artifacts) continue;
    const others = byVersion.get(version);
    byVersion.set(version, others ? [...others, ...artifacts] : artifacts);
  }
  return byVersion;
}

/** Whether some machine that ran a file for one of the platforms would run one for the other. */
function mayStandFor(platform: string, other: string): boolean {
  const [os, cpu = os] = canonicalPlatform(platform).split('/');
  const [otherOs, otherCpu = otherOs] = other.split('/');
  return halvesMeet(os, otherOs) && halvesMeet(cpu, otherCpu);
}

function halvesMeet(half: string | undefined, other: string | undefined): boolean {
  return half === other || half === 'any' || other === 'any';
}

function gives(artifact: Artifact, { platform, digest }: KnownDigest): boolean {
  if (artifact.digest !== digest) return false;
  return artifact.platform === platform || canonicalPlatform(artifact.platform) === platform;
}

/** Digests of different kinds say nothing of each other. */
function isOfKind(digest: string | undefined, other: string): boolean {
  return digest !== undefined && digestKind(digest) === digestKind(other);
}
