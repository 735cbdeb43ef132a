import { canonicalPlatform, fitsPlatform, type Platform } from './platform.ts';
import { isTime } from '../text/rfc3339.ts';
import type { Version } from '../version/version.ts';

/** One file of a release. */
export interface Artifact {
  /** `linux/arm64`, or with `any` for a half or for the whole. */
  readonly platform: string;
  readonly url?: string | undefined;
  /** `sha256:…`, `sha512:…` or `sha1:…`, in hexadecimal. */
  readonly digest?: string | undefined;
  /** In bytes. */
  readonly size?: number | undefined;
}

/** One entry of a release list as published: the normal form that wire formats are decoded to. */
export interface ReleaseRecord {
  /** What stands in the place of the version; not always one. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly publishedAt?: number | undefined;
  /** Absent: nothing is known of files, and no platform is excluded. Empty: there are none. */
  readonly artifacts?: readonly Artifact[] | undefined;
  /** Why it was taken back, `""` when no reason was given; absent when it was not. */
  readonly yanked?: string | undefined;
  /** Why it should no longer be used. */
  readonly deprecated?: string | undefined;
}

/** A readable entry of a release list, after its duplicates were merged into it (D11). */
export interface Release extends Omit<ReleaseRecord, 'version'> {
  readonly version: Version;
}

/** A published version that is no longer what it was. (D22) */
export interface DigestChange {
  /** As published. */
  readonly platform: string;
  readonly first: string;
  /** Undefined where the list gives none of that kind any more. */
  readonly now: string | undefined;
}

/**
 * One release out of all entries of one version: artifacts united, the earliest time, yanked and
 * deprecated if any entry says so. The order of the entries makes no difference. (D11)
 */
export function mergeRecords(version: Version, records: readonly ReleaseRecord[]): Release {
  const [first] = records;
  if (first && records.length === 1) {
    const { publishedAt, artifacts, yanked, deprecated } = first;
    return { version, publishedAt: knownTime(publishedAt), artifacts, yanked, deprecated };
  }
  return {
    version,
    publishedAt: least(records.map(({ publishedAt }) => knownTime(publishedAt))),
    artifacts: unite(records.flatMap(({ artifacts }) => (artifacts ? [artifacts] : []))),
    yanked: leastReason(records.map(({ yanked }) => yanked)),
    deprecated: leastReason(records.map(({ deprecated }) => deprecated)),
  };
}

/** The artifacts that run on `platform`; undefined when nothing is known of artifacts. (D9) */
export function artifactsFor(
  { artifacts }: Pick<Release, 'artifacts'>,
  platform: Platform,
): Artifact[] | undefined {
  return artifacts?.filter((artifact) => fitsPlatform(artifact.platform, platform));
}

/** The two digests of one kind that a release has for one platform, or undefined. (D11) */
export function conflictingDigests(
  release: Release,
): { platform: string; digests: [string, string] } | undefined {
  const { artifacts = [] } = release;
  if (artifacts.length < 2) return undefined;
  const seen = new Map<string, string>();
  for (const { platform, digest } of artifacts) {
    if (digest === undefined) continue;
    const key = `${canonicalPlatform(platform)} ${digestKind(digest)}`;
    const other = seen.get(key);
    if (other !== undefined && other !== digest) return { platform, digests: [other, digest] };
    seen.set(key, digest);
  }
  return undefined;
}

/** `sha256` of `sha256:…`: digests of different kinds cannot be compared. */
export function digestKind(digest: string): string {
  return digest.slice(0, digest.indexOf(':'));
}

/**
 * All different artifacts, in an order that does not depend on that of the lists. An entry without a
 * list adds nothing to the others': what one entry restricts stays restricted.
 */
function unite(lists: readonly (readonly Artifact[])[]): Artifact[] | undefined {
  if (lists.length === 0) return undefined;
  const keyed = lists.flat().map((artifact): [string, Artifact] => {
    const { platform, url, digest, size } = artifact;
    return [JSON.stringify([canonicalPlatform(platform), digest, url, size, platform]), artifact];
  });
  const different = [...new Map(keyed)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return different.map(([, artifact]) => artifact);
}

function knownTime(ms: number | undefined): number | undefined {
  return ms !== undefined && isTime(ms) ? ms : undefined;
}

function least<T extends number | string>(values: readonly (T | undefined)[]): T | undefined {
  return values.reduce(
    (lowest, value) =>
      lowest === undefined || (value !== undefined && value < lowest) ? value : lowest,
    undefined,
  );
}

/** A reason that says something before one that does not. */
function leastReason(reasons: readonly (string | undefined)[]): string | undefined {
  return least(reasons.filter((reason) => reason !== '')) ?? least(reasons);
}
