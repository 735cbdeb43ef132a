import type { ModuleId } from '../core/index.ts';
import type { World } from '../base/world.ts';
import type { PublishedRelease } from '../server/index.ts';
import { withCatalogue } from './catalogue-options.ts';
import { recordsIn } from './catalogue-records.ts';
import type { PublishOptions } from './publish.ts';

/**
 * The version of a single release that names no file, so that modreg's agent cannot install it (D491); undefined if it has one. Into the
 * file of a registry, also if no other release of its module has one: what deploys it may then be another program.
 */
export function filelessIn(
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
  options: PublishOptions,
  world: World,
): string | undefined {
  const [release, another] = releases;
  if (!release || another || options.file !== undefined || release.artifacts) return undefined;
  if (options.registry !== undefined) return release.version;
  const others = withCatalogue(options, world, { mode: 'read' }, (catalogue) => {
    const value = Array.from(recordsIn(catalogue, moduleId)).some(
      ({ artifacts }) => artifacts !== undefined,
    );
    return { ok: true, value };
  });
  return others.ok && others.value ? release.version : undefined;
}
