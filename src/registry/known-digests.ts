import type { Artifact, DigestChange, ReleaseRecord, ReleaseRecords } from '../core/index.ts';
import { canonicalPlatform } from '../core/releases/platform.ts';
import { digestKind } from '../core/releases/release.ts';
import { recordsNotIn } from './packed-records.ts';

/** A digest that the registry served for a file of a release. */
export interface KnownDigest {
  /** The version as published. */
  readonly version: string;
  /** The canonical name of the platform. */
  readonly platform: string;
  readonly digest: string;
}

/**
 * The known digests of a module that `next` lacks: those of the previous `records`, and those that were already
 * missing (`lost`). A release that disappears and returns must have its first digest.
 */
export function lostDigests(
  before: { readonly records: ReleaseRecords; readonly lost: readonly KnownDigest[] },
  next: ReleaseRecords,
): KnownDigest[] {
  // What both lists have in common is not lost, and is not decoded.
  const unequal = digestsOf(recordsNotIn(next, before.records));
  const changed = filesByVersion(recordsNotIn(before.records, next));
  let all: ReturnType<typeof filesByVersion> | undefined;
  const isLost = (known: KnownDigest): boolean =>
    changed.get(known.version)?.has(known) !== true &&
    (all ??= filesByVersion(next)).get(known.version)?.has(known) !== true;
  const first = new Map<string, KnownDigest>();
  // Digests that were already missing are older than those in the records.
  for (const known of [...before.lost, ...unequal.filter(isLost)]) {
    const key = `${digestKind(known.digest)} ${known.platform} ${known.version}`;
    if (!first.has(key)) first.set(key, known);
  }
  return [...first.values()].filter(isLost);
}

/** The releases in `records` whose digest has changed, by version as published. */
export function changedDigests(
  records: ReleaseRecords,
  lost: readonly KnownDigest[],
): ReadonlyMap<string, DigestChange> {
  // A release must keep the digest that was served first (D22).
  const changes = new Map<string, DigestChange>();
  if (lost.length === 0) return changes;
  const listed = new Set(Array.from(records, ({ version }) => version));
  const files = filesByVersion(records);
  for (const { version, platform, digest: first } of lost) {
    if (!listed.has(version) || changes.has(version)) continue;
    const others = files.get(version)?.replacing(platform);
    // The release now has files for other platforms only: nothing was changed.
    if (others?.length === 0) continue;
    const now = others?.find(({ digest }) => isOfKind(digest, first));
    changes.set(version, { platform, first, now: now?.digest });
  }
  return changes;
}

function digestsOf(records: Iterable<ReleaseRecord>): KnownDigest[] {
  return Array.from(records).flatMap(({ version, artifacts = [] }) =>
    artifacts.flatMap(({ platform, digest }) =>
      digest === undefined ? [] : [{ version, platform: canonicalPlatform(platform), digest }],
    ),
  );
}

/** The artifacts of one version. */
interface Files {
  /** Whether one of them has this platform and digest. */
  has(known: KnownDigest): boolean;
  /** Those that can run on some machine that `platform` runs on. */
  replacing(platform: string): readonly Artifact[];
}

/** From this number of artifacts, maps are faster than linear search. */
const MANY = 16;

/** The artifacts of each version that lists any. A version may have several entries. */
function filesByVersion(records: Iterable<ReleaseRecord>): ReadonlyMap<string, Files> {
  const byVersion = new Map<string, Artifact[]>();
  for (const { version, artifacts } of records) {
    if (!artifacts) continue;
    const others = byVersion.get(version);
    if (others) for (const artifact of artifacts) others.push(artifact);
    else byVersion.set(version, [...artifacts]);
  }
  return new Map(
    Array.from(byVersion, ([version, artifacts]) => [
      version,
      artifacts.length < MANY ? fewFiles(artifacts) : manyFiles(artifacts),
    ]),
  );
}

function fewFiles(artifacts: readonly Artifact[]): Files {
  return {
    has: ({ platform, digest }) =>
      artifacts.some(
        (file) => file.digest === digest && canonicalPlatform(file.platform) === platform,
      ),
    replacing: (platform) =>
      artifacts.filter((file) => mayReplace(canonicalPlatform(file.platform), platform)),
  };
}

function manyFiles(artifacts: readonly Artifact[]): Files {
  const byPlatform = Map.groupBy(artifacts, ({ platform }) => canonicalPlatform(platform));
  const digests = new Set(
    artifacts.map(({ platform, digest }) => `${canonicalPlatform(platform)} ${digest}`),
  );
  const forAny = artifacts.filter(({ platform }) => isForAny(platform));
  return {
    has: ({ platform, digest }) => digests.has(`${platform} ${digest}`),
    replacing: (platform) =>
      isForAny(platform) ? artifacts : [...(byPlatform.get(platform) ?? []), ...forAny],
  };
}

function isForAny(platform: string): boolean {
  return platform.split('/').includes('any');
}

/** Whether some machine can run files for either platform. */
function mayReplace(platform: string, other: string): boolean {
  const [os, cpu = os] = platform.split('/');
  const [otherOs, otherCpu = otherOs] = other.split('/');
  return partsOverlap(os, otherOs) && partsOverlap(cpu, otherCpu);
}

function partsOverlap(part: string | undefined, other: string | undefined): boolean {
  return part === other || part === 'any' || other === 'any';
}

/** Digests of different algorithms cannot be compared. */
function isOfKind(digest: string | undefined, other: string): boolean {
  return digest !== undefined && digestKind(digest) === digestKind(other);
}
