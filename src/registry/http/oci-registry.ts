import { createHash } from 'node:crypto';
import {
  indexReleases,
  resolve,
  type ModuleId,
  type Release,
  type ReleaseRecord,
} from '../../core/index.ts';
import { ociVersion } from '../formats/oci-tags.ts';
import { packInSteps } from '../packed-records.ts';
import { RegistryError } from '../registry-error.ts';
import type { FetchedList, RemoteRegistry, RequestContext } from '../remote-registry.ts';
import type { RetryBudget } from '../retry-budget.ts';
import type { WantedRelease } from '../wanted-release.ts';
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

/** Where so many of a query cannot be used, the next ones are read side by side: a link with a round trip of half a second took a minute. */
const MANY_BAD = 2;
const SIDE_BY_SIDE = 4;

/**
 * A registry with the OCI distribution protocol at the origin of `base`, whose path is a prefix of every repository
 * name. `acme:lidar` is the repository `acme/lidar`, and its tags are the list. Only releases that the reader may select
 * are described by their manifests, each of them once. Entity tags are not used.
 */
export function ociRegistry(base: URL, connection: Connection): Pick<RemoteRegistry, 'fetch'> {
  // The reads of one command or poll share a budget: its later ones want manifests, and no pages of tags again.
  const read = new WeakMap<RetryBudget, Map<ModuleId, Tags>>();
  const tagsOf = async (moduleId: ModuleId, round: RequestContext): Promise<Tags> => {
    const before = read.get(round.budget)?.get(moduleId);
    if (before) return before;
    const repositories = repositoriesOf(base, moduleId, connection.where);
    const tags = await firstOf(repositories, connection, round);
    const inRound = read.get(round.budget) ?? new Map<ModuleId, Tags>();
    read.set(round.budget, inRound.set(moduleId, tags));
    return tags;
  };
  return {
    async fetch(moduleId, known, round) {
      const { repository, list } = await tagsOf(moduleId, round);
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

interface Tags {
  readonly repository: Repository;
  readonly list: TagList;
}

/** The first of `repositories` that the registry has. Throws the error for the first if there is none. */
async function firstOf(
  [first, ...others]: readonly [Repository, ...Repository[]],
  connection: Connection,
  round: RequestContext,
): Promise<Tags> {
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
  const index = indexReleases(Array.from(releases.values(), ({ record }) => record));
  const queue = looksAt(index.candidates(constraint), releases);
  let bad = 0;
  for (
    let few = next(queue, 1);
    few.length > 0;
    few = next(queue, bad < MANY_BAD ? 1 : SIDE_BY_SIDE)
  ) {
    const records = await Promise.all(few.map(async (one) => await describedAs(one, from)));
    for (const [place, { tag }] of few.entries()) {
      const record = records[place];
      if (record) releases.set(record.version, { tag, record });
      if (record?.unreadable !== undefined) bad++;
    }
    const isSelected = (record: ReleaseRecord): boolean =>
      resolve(constraint, indexReleases([record]), eligibility).kind === 'resolved';
    if (records.some(isSelected)) break;
  }
}

/** The releases that a query looks at: few of those that could not be used, and of those that were not read. */
function* looksAt(
  candidates: Iterable<Release>,
  releases: ReadonlyMap<string, Tagged>,
): Generator<Tagged, void> {
  let described = 0;
  let again = 0;
  for (const { version } of candidates) {
    const release = releases.get(version.text);
    if (!release) continue;
    const { artifacts, unreadable } = release.record;
    const isKnownBad = unreadable !== undefined;
    if (isKnownBad && again++ >= MOST_READ_AGAIN) continue;
    if (!isKnownBad && !artifacts && described++ === MOST_DESCRIBED) return;
    yield release;
  }
}

function next<T>(queue: Iterator<T>, most: number): T[] {
  const taken: T[] = [];
  while (taken.length < most) {
    const one = queue.next();
    if (one.done === true) break;
    taken.push(one.value);
  }
  return taken;
}

/** The release as its manifest describes it: one that can be used is read once. */
async function describedAs({ tag, record }: Tagged, from: Describing): Promise<ReleaseRecord> {
  if (record.artifacts) return record;
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
