import { parseVersion, type Artifact, type ReleaseRecord } from '../../core/index.ts';

/** The version that a tag names: people write `v1.2.0` for 1.2.0. A tag that names none, such as `v3`, stays as it is. */
export function versionOfTag(tag: string): string {
  const rest = /^v\d/.test(tag) ? tag.slice(1) : tag;
  return parseVersion(rest).ok ? rest : tag;
}

/**
 * The releases of records whose versions are tags. Where `v1.2.0` and `1.2.0` have the same files, both are kept, and merged as two entries of
 * one version are; otherwise the tag without `v` counts.
 */
export function* releasesOfTags(records: Iterable<ReleaseRecord>): Iterable<ReleaseRecord> {
  const tagged = [...records];
  const plain = new Map(tagged.map((record) => [record.version, record]));
  for (const record of tagged) {
    const version = versionOfTag(record.version);
    const other = version === record.version ? undefined : plain.get(version);
    if (!other || filesOf(other) === filesOf(record)) yield { ...record, version };
  }
}

/** What identifies the files of a release, whatever their order. Files without a digest are not known to be the same. */
function filesOf({ version, artifacts }: ReleaseRecord): string {
  if (!artifacts?.every(({ digest }) => digest !== undefined)) return version;
  return JSON.stringify(artifacts.map(keyOf).toSorted());
}

function keyOf({ platform, digest }: Artifact): string {
  return `${platform} ${digest}`;
}
