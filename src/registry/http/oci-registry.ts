import { createHash } from 'node:crypto';
import { indexReleases, resolve, type ReleaseRecord } from '../../core/index.ts';
import { ociVersion } from '../formats/oci-tags.ts';
import { packInSteps } from '../packed-records.ts';
import { RegistryError } from '../registry-error.ts';
import type { FetchedList, RemoteRegistry, RequestContext } from '../remote-registry.ts';
import type { WantedRelease } from '../wanted.ts';
import { isDescribed } from '../wanted-documents.ts';
import type { Connection } from './connection.ts';
import { inSteps } from './fetched-list.ts';
import { describeTag, type Describing } from './oci-description.ts';
import { fetchTags, type TagList } from './oci-pages.ts';
import { repositoriesOf, type Repository } from './oci-repository.ts';

/** What cannot be used may be mended (D141), so some of them are read again each time, and the others are as they were. */
const MOST_READ_AGAIN = 3;

/** So many releases that may be selected are described for each query, newest first; the next read continues. */
const MOST_DESCRIBED = 20;

/**
 * A registry with the OCI distribution protocol at the origin of `base`, whose path is a prefix of every repository
 * name. `acme:lidar` is the repository `acme/lidar`, and its tags are the list. Only releases that the reader may select
 * are described by their manifests, each of them once. Entity tags are not used.
 */
export function ociRegistry(base: URL, connection: Connection): Pick<RemoteRegistry, 'fetch'> {
  return {
    async fetch(moduleId, known, round) {
      const repositories = repositoriesOf(base, moduleId, connection.where);
      const { repository, list } = await firstOf(repositories, connection, round);
      const releases = releasesOf(list.tags, known);
      const from = { repository, connection, round };
      for (const wanted of round.wanted?.(moduleId) ?? []) {
        await describeWanted(releases, wanted, from);
      }
      const records = Array.from(releases.values(), ({ record }) => record);
      const digest = digestOf(list, records);
      if (digest === known?.digest) return known;
      const { size } = list;
      const packed = await inSteps(packInSteps(records));
      return { records: packed, dropped: [], digest, size, etag: undefined };
    },
  };
}

/** The first of `repositories` that the registry has. Throws the error for the first if there is none. */
async function firstOf(
  [first, ...others]: readonly [Repository, ...Repository[]],
  connection: Connection,
  round: RequestContext,
): Promise<{ readonly repository: Repository; readonly list: TagList }> {
  try {
    return { repository: first, list: await fetchTags(first, connection, round) };
  } catch (error) {
    const [second] = others;
    if (!second || !isUnknown(error)) throw error;
    try {
      return { repository: second, list: await fetchTags(second, connection, round) };
    } catch (again) {
      throw isUnknown(again) ? error : again;
    }
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof RegistryError && error.kind === 'unknown-module';
}

interface Tagged {
  readonly tag: string;
  readonly record: ReleaseRecord;
}

/** The releases that tags name, by their versions, each as it was described before. */
function releasesOf(tags: readonly string[], known: FetchedList | undefined): Map<string, Tagged> {
  const described = new Map<string, ReleaseRecord>();
  for (const record of known?.records ?? []) {
    if (isDescribed(record)) described.set(record.tag ?? record.version, record);
  }
  const releases = new Map<string, Tagged>();
  for (const tag of tags) {
    const version = ociVersion(tag);
    // Beside `1.2.0`, `v1.2.0` is the same or does not count (D111).
    if (version.length < tag.length && releases.has(version)) continue;
    const own = tag === version ? { version } : { version, tag };
    releases.set(version, { tag, record: described.get(tag) ?? own });
  }
  return releases;
}

/** Describes the newest releases that `wanted` may select, down to one that it selects (D112). */
async function describeWanted(
  releases: Map<string, Tagged>,
  { constraint, eligibility }: WantedRelease,
  from: Describing,
): Promise<void> {
  let described = 0;
  let again = 0;
  const index = indexReleases(Array.from(releases.values(), ({ record }) => record));
  for (const { version } of index.candidates(constraint)) {
    const release = releases.get(version.text);
    if (!release) continue;
    let { record } = release;
    const isKnownBad = record.unreadable !== undefined;
    if (isKnownBad && again++ >= MOST_READ_AGAIN) continue;
    if (isKnownBad || !record.artifacts) {
      if (!isKnownBad && described++ === MOST_DESCRIBED) break;
      record = await describedAs(release, from);
      releases.set(version.text, { ...release, record });
    }
    if (resolve(constraint, indexReleases([record]), eligibility).kind === 'resolved') break;
  }
}

/** The release as its manifest describes it now. */
async function describedAs({ tag, record }: Tagged, from: Describing): Promise<ReleaseRecord> {
  const description = await describeTag(tag, from);
  const { unreadable: _before, ...own } = record;
  return description.ok
    ? { ...own, ...description.value }
    : { ...own, unreadable: description.error };
}

/** Covers the tags, and what is known of the releases that are described. */
function digestOf({ digest }: TagList, records: readonly ReleaseRecord[]): string {
  const described = records.filter(isDescribed);
  if (described.length === 0) return digest;
  return `${digest} ${createHash('sha256').update(JSON.stringify(described)).digest('hex')}`;
}
