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
    const ofKind = others?.filter(({ digest }) => isOfKind(digest, first)) ?? [];
    const now = ofKind.find(({ digest }) => digest !== first)?.digest;
    // Another algorithm describes the same file, unless all that is left of a strong one is weaker.
    const isWeaker =
      ofKind.length === 0 && !others?.some(({ digest }) => isAsStrong(digest, first));
    if (now !== undefined || isWeaker) changes.set(version, { platform, first, now });
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

/** The artifacts of each version that lists any. A version may have several entries. */
function filesByVersion(records: Iterable<ReleaseRecord>): ReadonlyMap<string, Files> {
  const byVersion = new Map<string, Artifact[]>();
  for (const { version, artifacts } of records) {
    if (!artifacts) continue;
    const others = byVersion.get(version);
    if (others) for (const artifact of artifacts) others.push(artifact);
    else byVersion.set(version, [...artifacts]);
  }
  return new Map(Array.from(byVersion, ([version, artifacts]) => [version, filesOf(artifacts)]));
}

/** A release may have a thousand artifacts, so each question is a search in a map, made when it is first needed. */
function filesOf(artifacts: readonly Artifact[]): Files {
  let digests: ReadonlySet<string> | undefined;
  let byPlatforms: ReadonlyMap<string, readonly Artifact[]> | undefined;
  return {
    has({ platform, digest }) {
      digests ??= new Set(
        artifacts.map((file) => `${canonicalPlatform(file.platform)} ${file.digest}`),
      );
      return digests.has(`${platform} ${digest}`);
    },
    replacing(platform) {
      byPlatforms ??= groupedByPlatforms(artifacts);
      const [os, cpu] = halvesOf(platform).map((half) => (half === 'any' ? [EACH] : [half, 'any']));
      return pairs(os, cpu).flatMap((pair) => byPlatforms?.get(pair) ?? []);
    },
  };
}

/** Stands for each operating system, or each CPU architecture. */
const EACH = '*';

/** `artifacts` by the pairs of operating system and CPU that include them: `linux/amd64`, and each with `*` for one half or both. */
function groupedByPlatforms(
  artifacts: readonly Artifact[],
): ReadonlyMap<string, readonly Artifact[]> {
  const groups = new Map<string, Artifact[]>();
  for (const file of artifacts) {
    const [os, cpu] = halvesOf(canonicalPlatform(file.platform)).map((half) => [half, EACH]);
    for (const pair of pairs(os, cpu)) {
      const group = groups.get(pair);
      if (group) group.push(file);
      else groups.set(pair, [file]);
    }
  }
  return groups;
}

/** The operating system and the CPU of a platform. Text that is not a platform overlaps only with itself and `any`. */
function halvesOf(platform: string): readonly string[] {
  const halves = platform.split('/');
  return halves.length === 2 ? halves : [platform, platform];
}

function pairs(systems: readonly string[] = [], cpus: readonly string[] = []): string[] {
  return systems.flatMap((os) => cpus.map((cpu) => `${os}/${cpu}`));
}

/** Whether a digest shows at least as well as `other` that a file is the same one. Collisions of SHA-1 are known. */
function isAsStrong(digest: string | undefined, other: string): boolean {
  return digest !== undefined && (digestKind(digest) !== 'sha1' || digestKind(other) === 'sha1');
}

/** Digests of different algorithms cannot be compared. */
function isOfKind(digest: string | undefined, other: string): boolean {
  return digest !== undefined && digestKind(digest) === digestKind(other);
}
