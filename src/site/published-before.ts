import type { ModuleId, Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { isJsonObject } from '../registry/formats/json-object.ts';
import { releasesIn } from '../registry/publish-times.ts';
import { laterPlatforms } from '../server/catalogue/later-platforms.ts';
import { readRelease } from '../server/catalogue/published-release.ts';
import { contentOf, isSameRelease, newSignatures } from '../server/catalogue/release-content.ts';
import type { PublishedRelease } from '../server/index.ts';
import { withCatalogue } from './catalogue-options.ts';
import { withWriter, type ChangeOptions } from './remote-registry.ts';

/** What publishing a version comes to that the registry has already. */
export interface PublishedBefore {
  readonly version: string;
  /**
   * `yank` and `signatures`: the same, but published as yanked, or with signatures that the entry lacks. `unknown`: its entry in the list
   * cannot be read as a publication, or its rollout is asked for, which the list need not show.
   */
  readonly content: 'same' | 'yank' | 'signatures' | 'other' | 'unknown';
  /** Why content is another, where it is for further platforms only. */
  readonly found?: string | undefined;
}

/** Those of `releases` that the registry has already, as far as its list can be read (D465). */
export async function publishedBefore(
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
  options: ChangeOptions,
  world: World,
): Promise<readonly PublishedBefore[]> {
  const listed = await entriesOf(moduleId, options, world);
  const entries = (listed.ok ? listed.value : []).filter(isJsonObject);
  const byVersion = new Map(entries.map((entry) => [entry['version'], entry]));
  return releases.flatMap((release) => {
    const entry = byVersion.get(release.version);
    return entry ? [comparedWith(entry, moduleId, release)] : [];
  });
}

/** The entries of the list of a module. */
async function entriesOf(
  moduleId: ModuleId,
  options: ChangeOptions,
  world: World,
): Promise<Result<readonly unknown[], Problem>> {
  if (options.registry === undefined) {
    return withCatalogue(options, world, { mode: 'read' }, (catalogue) => {
      return { ok: true, value: releasesIn(catalogue.document(moduleId)?.bytes) };
    });
  }
  return await withWriter(options, world, async (writer) => {
    return { ok: true, value: (await writer.times(moduleId)).releases };
  });
}

/** Compares as the registry does. */
function comparedWith(
  entry: object,
  moduleId: ModuleId,
  release: PublishedRelease,
): PublishedBefore {
  const { version } = release;
  // What a list says of a rollout are not the terms that it began with.
  const read = readRelease({ ...entry, rollout: undefined });
  const publishedAt = read.ok ? read.value.publishedAt : undefined;
  if (!read.ok || publishedAt === undefined) return { version, content: 'unknown' };
  const before = { content: contentOf(read.value), published_at: publishedAt };
  if (isSameRelease(before, release)) {
    if (release.rollout) return { version, content: 'unknown' };
    if (release.yanked !== undefined && read.value.yanked === undefined) {
      return { version, content: 'yank' };
    }
    const added = Object.keys(newSignatures(before, release));
    return { version, content: added.length > 0 ? 'signatures' : 'same' };
  }
  const known = (read.value.artifacts ?? []).map(({ platform }) => platform);
  return { version, content: 'other', found: laterPlatforms(known, moduleId, release) };
}
