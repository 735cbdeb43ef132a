import { canonicalPlatform, fitsPlatform, type Platform } from './platform.ts';
import { isTime } from '../text/rfc3339.ts';
import { mergeRequires } from './requires.ts';
import type { Version } from '../version/version.ts';

/** One file of a release, as its registry lists it. */
export interface Artifact {
  /** `linux/arm64`. `any` may replace either half or the whole. */
  readonly platform: string;
  /** Where to download it; absent if the registry does not say. */
  readonly url?: string | undefined;
  /** `sha256:…`, `sha512:…` or `sha1:…`, in hexadecimal; absent if the registry does not say. */
  readonly digest?: string | undefined;
  /** In bytes; absent if the registry does not say. */
  readonly size?: number | undefined;
  /** Signatures of an npm registry over the package, the version and the digest; absent if it has none (D200). */
  readonly signatures?:
    | readonly {
        /** Names the public key. */
        readonly keyid: string;
        /** In base64. */
        readonly sig: string;
      }[]
    | undefined;
}

/** One entry of a release list as published. The formats of all registries are decoded to this shape. */
export interface ReleaseRecord {
  /** The version as published. Text that is not a version is kept, and refused with its reason. */
  readonly version: string;
  /** The tag that the registry has for it; absent if that is the version. */
  readonly tag?: string | undefined;
  /** In milliseconds since the epoch; absent if it is not known. */
  readonly publishedAt?: number | undefined;
  /** Absent: files are not listed, so every platform is supported. Empty: there are no files, so no platform is. */
  readonly artifacts?: readonly Artifact[] | undefined;
  /** Why its registry's description of it cannot be used, in one escaped line: it is refused (D141). Absent if it can be, or was not read. */
  readonly unreadable?: string | undefined;
  /** Present if the registry marks it as a prerelease, whatever its version says (D4). */
  readonly prerelease?: true | undefined;
  /** The dist-tags of npm that name it, for people: they select nothing. Absent if none does. */
  readonly distTags?: readonly string[] | undefined;
  /** Why the release was yanked, `""` if no reason was given; absent if it was not yanked. */
  readonly yanked?: string | undefined;
  /** Why the release should no longer be used, `""` if no reason was given; absent if it is not deprecated. */
  readonly deprecated?: string | undefined;
  /**
   * What a machine must have to run the release: ranges of npm by `platform-server`, `platform-agent` or module id, all of which
   * must fit, and under `tags` what it must be tagged with; absent if it requires nothing.
   */
  readonly requires?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Present if a machine has to run the release before any higher one (D90). */
  readonly floor?: true | undefined;
  /** Present if its registry has notes of it, for people. */
  readonly hasNotes?: true | undefined;
  /** Signatures over the text of the release, in base64, by the ids of their keys; absent if it has none (D132). */
  readonly signatures?: Readonly<Record<string, string>> | undefined;
  /** The same over the text of its yank; absent if no author signed that (D165). */
  readonly yankSignatures?: Readonly<Record<string, string>> | undefined;
  /** Which machines may install the release; absent if its rollout is completed, or it never had one. */
  readonly rollout?:
    | {
        /** Text of this rollout alone. The cohort of a machine follows from it and the machine's id. */
        readonly salt: string;
        /** The percentage of the step, for people. */
        readonly percent: number;
        /** From 0 to 1: the machines whose cohort is below it are included. */
        readonly share: number;
        /** The groups whose machines are included, whatever their cohorts; absent if there are none. */
        readonly groups?: readonly string[] | undefined;
        /** Why the rollout is halted, `""` if no reason was given; absent if it is not halted. */
        readonly halted?: string | undefined;
      }
    | undefined;
}

/** The rollout of a release, as a release list shows it. */
export type ReleaseRollout = NonNullable<ReleaseRecord['rollout']>;

/** The version of an entry, which may be listed by its version alone. */
export function versionOf(entry: ReleaseRecord | string): string {
  return typeof entry === 'string' ? entry : entry.version;
}

/** An entry of a release list whose version could be parsed. Entries with the same version are merged into one. */
export interface Release extends Omit<ReleaseRecord, 'version'> {
  /** Unique in its list, build metadata included. */
  readonly version: Version;
  /** Present if it was merged from several entries, whose signatures it does not have. */
  readonly isMerged?: true | undefined;
}

/** A published file whose digest differs from the one that this machine saw first. */
export interface DigestChange {
  /** The platform of the file, as published. */
  readonly platform: string;
  /** The digest that was seen first. */
  readonly first: string;
  /** The digest in the list now; undefined if the list no longer has a digest of that kind. */
  readonly now: string | undefined;
}

/**
 * Merges all entries of one version into one release: all artifacts, the earliest publish time, a prerelease, yanked, deprecated
 * and a floor if any entry is, all requirements, and the rollout that includes the fewest machines. The order of the entries does not
 * matter (D11).
 */
export function mergeRecords(
  version: Version,
  entries: readonly (ReleaseRecord | string)[],
): Release {
  const records = entries.map((entry) => (typeof entry === 'string' ? { version: entry } : entry));
  const [first] = records;
  if (first && records.length === 1) {
    const { publishedAt, artifacts, prerelease, yanked, deprecated, requires, floor, rollout } =
      first;
    const { signatures, unreadable, yankSignatures, hasNotes } = first;
    const plain = { version, publishedAt: knownTime(publishedAt), artifacts, prerelease };
    const release = { ...plain, yanked, deprecated, requires, floor, rollout, signatures };
    // Few have them.
    const isPlain = unreadable === undefined && yankSignatures === undefined && !hasNotes;
    return isPlain ? release : { ...release, unreadable, yankSignatures, hasNotes };
  }
  return {
    version,
    publishedAt: least(records.map(({ publishedAt }) => knownTime(publishedAt))),
    artifacts: mergeArtifacts(records.flatMap(({ artifacts }) => (artifacts ? [artifacts] : []))),
    prerelease: records.some(({ prerelease }) => prerelease) || undefined,
    unreadable: leastReason(records.map(({ unreadable }) => unreadable)),
    yanked: leastReason(records.map(({ yanked }) => yanked)),
    deprecated: leastReason(records.map(({ deprecated }) => deprecated)),
    requires: mergeRequires(records.flatMap(({ requires }) => (requires ? [requires] : []))),
    floor: records.some(({ floor }) => floor) || undefined,
    hasNotes: records.some(({ hasNotes }) => hasNotes) || undefined,
    rollout: strictest(records.flatMap(({ rollout }) => rollout ?? [])),
    isMerged: true,
  };
}

/** The artifacts that run on `platform`; undefined if the release does not list artifacts (D9). */
export function artifactsFor(
  { artifacts }: Pick<Release, 'artifacts'>,
  platform: Platform,
): Artifact[] | undefined {
  return artifacts?.filter((artifact) => fitsPlatform(artifact.platform, platform));
}

/** The file to install on `platform`: one for exactly this platform, else one for any (D9). */
export function artifactFor(
  release: Pick<Release, 'artifacts'>,
  platform: Platform,
): Artifact | undefined {
  const artifacts = artifactsFor(release, platform) ?? [];
  return artifacts.find((one) => canonicalPlatform(one.platform) === platform) ?? artifacts[0];
}

/** Two different digests of one kind that a release has for one platform; undefined if there are none (D11). */
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

/** `sha256` for `sha256:…`. Digests of different kinds cannot be compared. */
export function digestKind(digest: string): string {
  return digest.slice(0, digest.indexOf(':'));
}

/**
 * All distinct artifacts, in an order that does not depend on the order of the lists. An entry without an artifact list
 * does not lift the restriction of the other entries.
 */
function mergeArtifacts(lists: readonly (readonly Artifact[])[]): Artifact[] | undefined {
  if (lists.length === 0) return undefined;
  const keyed = lists.flat().map((artifact): [string, Artifact] => {
    const { platform, url, digest, size } = artifact;
    return [JSON.stringify([canonicalPlatform(platform), digest, url, size, platform]), artifact];
  });
  const distinct = [...new Map(keyed)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return distinct.map(([, artifact]) => artifact);
}

/** A halted rollout before any other, then the one with the lowest share. It includes only the groups that all of them do. */
function strictest(rollouts: readonly ReleaseRollout[]): ReleaseRollout | undefined {
  const keyed = rollouts.map((rollout): [number, string, ReleaseRollout] => {
    const { salt, percent, share, groups, halted } = rollout;
    const rank = halted === undefined ? share : -1;
    return [rank, JSON.stringify([salt, share, percent, halted, groups]), rollout];
  });
  const [first] = keyed.toSorted(([a, one], [b, other]) => a - b || (one < other ? -1 : 1));
  if (!first) return undefined;
  const [, , strict] = first;
  const groups = strict.groups?.filter((group) =>
    rollouts.every((one) => one.share >= 1 || one.groups?.includes(group)),
  );
  return groups ? { ...strict, groups } : strict;
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

/** The first reason in text order. An empty one is used only if all are empty. */
function leastReason(reasons: readonly (string | undefined)[]): string | undefined {
  return least(reasons.filter((reason) => reason !== '')) ?? least(reasons);
}
