import type { ReleaseRecord } from '../../core/index.ts';
import { ociVersion } from '../formats/oci-tags.ts';
import { packInSteps } from '../packed-records.ts';
import { RegistryError } from '../registry-error.ts';
import type { RemoteRegistry, RequestContext } from '../remote-registry.ts';
import type { Connection } from './connection.ts';
import { inSteps } from './fetched-list.ts';
import { fetchTags, type TagList } from './oci-pages.ts';
import { repositoriesOf, type Repository } from './oci-repository.ts';

/**
 * A registry with the OCI distribution protocol at the origin of `base`, whose path is a prefix of every repository
 * name. `acme:lidar` is the repository `acme/lidar`, and its tags are the list. Entity tags are not used.
 */
export function ociRegistry(base: URL, connection: Connection): Pick<RemoteRegistry, 'fetch'> {
  return {
    async fetch(moduleId, _, round) {
      const repositories = repositoriesOf(base, moduleId, connection.where);
      const { list } = await firstOf(repositories, connection, round);
      return {
        records: await inSteps(packInSteps(recordsOf(list.tags))),
        dropped: [],
        digest: list.digest,
        size: list.size,
        etag: undefined,
      };
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
    if (!second || !(error instanceof RegistryError) || error.kind !== 'unknown-module')
      throw error;
    try {
      return { repository: second, list: await fetchTags(second, connection, round) };
    } catch (again) {
      if (!(again instanceof RegistryError) || again.kind === 'unknown-module') throw error;
      throw again;
    }
  }
}

function* recordsOf(tags: readonly string[]): Iterable<ReleaseRecord> {
  const all = new Set(tags);
  for (const tag of tags) {
    const version = ociVersion(tag);
    // Beside `1.2.0`, `v1.2.0` is the same or does not count (D111).
    if (tag.startsWith('v') && all.has(tag.slice(1)) && version !== tag) continue;
    yield tag === version ? { version } : { version };
  }
}
