import type { ModuleId, Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { isJsonObject } from '../registry/formats/json-object.ts';
import { releasesIn } from '../registry/publish-times.ts';
import { laterPlatforms } from '../server/catalogue/later-platforms.ts';
import { readRelease } from '../server/catalogue/published-release.ts';
import { contentOf, isSameRelease, newSignatures } from '../server/catalogue/release-content.ts';
import type { PublishedRelease } from '../server/index.ts';
import { modeOf, withCatalogue, type CreatingOptions } from './catalogue-options.ts';
import { refusalProblem, withWriter, type ChangeOptions } from './remote-registry.ts';

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

/** What is known of a publication that is only tried. */
export interface Tried {
  /** The releases that the registry has already. */
  readonly before: readonly PublishedBefore[];
  /** Why it would take none of them. */
  readonly failure: Problem | undefined;
}

/** Which of `releases` the registry has already, and why it would take none of them (D465). */
export async function publishedBefore(
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
  options: CreatingOptions & ChangeOptions,
  world: World,
): Promise<Tried> {
  const listed = await entriesOf(moduleId, options, world);
  if (!listed.ok) return { before: [], failure: listed.error };
  const entries = listed.value.filter(isJsonObject);
  const byVersion = new Map(entries.map((entry) => [entry['version'], entry]));
  const before = releases.flatMap((release) => {
    const entry = byVersion.get(release.version);
    return entry ? [comparedWith(entry, moduleId, release)] : [];
  });
  return { before, failure: undefined };
}

/** The entries of the list of a module, in a registry that would take more of them. */
async function entriesOf(
  moduleId: ModuleId,
  options: CreatingOptions & ChangeOptions,
  world: World,
): Promise<Result<readonly unknown[], Problem>> {
  if (options.registry === undefined) {
    const read = withCatalogue(options, world, { mode: 'read' }, (catalogue) => {
      return { ok: true, value: releasesIn(catalogue.document(moduleId)?.bytes) };
    });
    const isCreated = modeOf(options).mode === 'create';
    if (!read.ok && read.error.kind === 'unreadable-file' && isCreated) {
      return { ok: true, value: [] };
    }
    return read;
  }
  return await withWriter(options, world, async (writer) => {
    const asked = await writer.mayPublish(moduleId);
    if (asked.kind !== 'done' && asked.kind !== 'bad-release') {
      return { ok: false, error: refusalProblem(asked) };
    }
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
