import type { Artifact, DigestChange, ReleaseRecord } from '../core/index.ts';
import { canonicalPlatform } from '../core/releases/platform.ts';
import { digestKind } from '../core/releases/release.ts';

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
  const files = filesByVersion(next);
  const isLost = (known: KnownDigest): boolean => !files.get(known.version)?.give(known);
  const first = new Map<string, KnownDigest>();
  // What was lost already was seen before what the records gave since.
  for (const known of [...before.lost, ...digestsOf(before.records).filter(isLost)]) {
    const key = `${digestKind(known.digest)} ${known.platform} ${known.version}`;
    if (!first.has(key)) first.set(key, known);
  }
  return [...first.values()].filter(isLost);
}

/** What changed of the releases in `records`, by the text of the version. */
export function changedDigests(
  records: readonly ReleaseRecord[],
  lost: readonly KnownDigest[],
): ReadonlyMap<string, DigestChange> {
  // A release is held to the digest that was seen first (D22).
  const changes = new Map<string, DigestChange>();
  if (lost.length === 0) return changes;
  const listed = new Set(records.map(({ version }) => version));
  const files = filesByVersion(records);
  for (const { version, platform, digest: first } of lost) {
    if (!listed.has(version) || changes.has(version)) continue;
    const others = files.get(version)?.inPlaceOf(platform);
    // What is there for other platforms alone is not what changed.
    if (others?.length === 0) continue;
    const now = others?.find(({ digest }) => isOfKind(digest, first));
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

/** The artifacts of a version. */
interface Files {
  /** Whether one of them has the digest, for the platform. */
  give(known: KnownDigest): boolean;
  /** Those that some machine would run where it ran one for `platform`. */
  inPlaceOf(platform: string): readonly Artifact[];
}

/** From so many on, artifacts are looked up instead of looked through. */
const MANY = 16;

/** Of each version that lists its artifacts, all of them: an entry may be there twice. */
function filesByVersion(records: readonly ReleaseRecord[]): ReadonlyMap<string, Files> {
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
    give: ({ platform, digest }) =>
      artifacts.some(
        (file) => file.digest === digest && canonicalPlatform(file.platform) === platform,
      ),
    inPlaceOf: (platform) =>
      artifacts.filter((file) => mayStandFor(canonicalPlatform(file.platform), platform)),
  };
}

function manyFiles(artifacts: readonly Artifact[]): Files {
  const byPlatform = Map.groupBy(artifacts, ({ platform }) => canonicalPlatform(platform));
  const digests = new Set(
    artifacts.map(({ platform, digest }) => `${canonicalPlatform(platform)} ${digest}`),
  );
  const forAny = artifacts.filter(({ platform }) => isForAny(platform));
  return {
    give: ({ platform, digest }) => digests.has(`${platform} ${digest}`),
    inPlaceOf: (platform) =>
      isForAny(platform) ? artifacts : [...(byPlatform.get(platform) ?? []), ...forAny],
  };
}

function isForAny(platform: string): boolean {
  return platform.split('/').includes('any');
}

/** Whether some machine that ran a file for one of the platforms would run one for the other. */
function mayStandFor(platform: string, other: string): boolean {
  const [os, cpu = os] = platform.split('/');
  const [otherOs, otherCpu = otherOs] = other.split('/');
  return halvesMeet(os, otherOs) && halvesMeet(cpu, otherCpu);
}

function halvesMeet(half: string | undefined, other: string | undefined): boolean {
  return half === other || half === 'any' || other === 'any';
}

/** Digests of different kinds say nothing of each other. */
function isOfKind(digest: string | undefined, other: string): boolean {
  return digest !== undefined && digestKind(digest) === digestKind(other);
}
