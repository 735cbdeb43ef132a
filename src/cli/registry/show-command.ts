import { compareVersions, parseVersion, type ModuleId, type Release } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { ReleaseList } from '../../registry/registry.ts';
import { unknownModule } from '../../registry/unknown-module.ts';
import type { Catalogue } from '../../server/index.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { countOf } from '../../base/count.ts';
import { failed, registryProblem, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { recordsIn } from '../../site/catalogue-records.ts';
import { withCatalogue, withModuleId } from '../../site/catalogue-options.ts';
import { withReadRegistry } from '../../site/remote-lists.ts';
import type { ChangeOptions } from '../../site/remote-registry.ts';

/** `modreg registry show <module_id>`: shows the releases of a module, the newest first. */
export async function showCommand(
  moduleIdText: string,
  options: ChangeOptions,
  world: World,
): Promise<Outcome> {
  const shown = (moduleId: ModuleId, releases: readonly Release[]): Outcome => {
    const answer = options.json
      ? [showAsJson(moduleId, releases)]
      : showLines(moduleId, releases, world.columns);
    return { answer, notes: [], problems: [] };
  };
  return await withModuleId(moduleIdText, async (moduleId) => {
    const { registry } = options;
    if (registry !== undefined) {
      return await withReadRegistry({ ...options, registry }, world, async (read) => {
        const { records } = await read.registries.read(read.registry, moduleId);
        return shown(moduleId, releasesOf(records));
      });
    }
    return withCatalogue(options, world, { mode: 'read', hasAddress: true }, (catalogue) => {
      const releases = releasesOf(recordsIn(catalogue, moduleId));
      return releases.length === 0 ? noModule(catalogue, moduleId) : shown(moduleId, releases);
    });
  });
}

/** The outcome for a module without a release. */
export function noModule(catalogue: Catalogue, moduleId: ModuleId): Outcome {
  return failed(registryProblem(unknownModule('this registry', moduleId, catalogue.modules())));
}

function releasesOf(records: ReleaseList['records']): Release[] {
  return Array.from(records, ({ version: text, ...fields }) => {
    const version = parseVersion(text);
    return version.ok ? [{ ...fields, version: version.value }] : [];
  })
    .flat()
    .toSorted((a, b) => compareVersions(b.version, a.version));
}

const HEADS = ['VERSION', 'PUBLISHED', 'PLATFORMS', 'STATE'];

function showLines(
  moduleId: ModuleId,
  releases: readonly Release[],
  width: number | undefined,
): string[] {
  const cells = releases.map((release) => [
    release.version.text,
    release.publishedAt === undefined ? 'unknown' : formatTime(release.publishedAt),
    platformsText(platformsOf(release)),
    stateText(release),
  ]);
  const linesOf = columnsOf(HEADS, cells, width);
  const title = `${moduleId}  ${countOf(releases.length, 'release')}`;
  return [title, ...linesOf(HEADS), ...cells.flatMap(linesOf)];
}

/** The platforms of the files; undefined if the release lists none, and so runs on every platform. */
function platformsOf({ artifacts }: Release): string[] | undefined {
  return artifacts?.map(({ platform }) => platform).toSorted();
}

function platformsText(platforms: readonly string[] | undefined): string {
  if (!platforms) return 'all';
  return platforms.length === 0 ? 'none' : platforms.join(', ');
}

function stateText({ yanked, deprecated }: Release): string {
  const states = [
    ['yanked', yanked],
    ['deprecated', deprecated],
  ] as const;
  return states
    .flatMap(([state, reason]) =>
      reason === undefined ? [] : [reason === '' ? state : `${state}: ${excerpt(reason)}`],
    )
    .join('; ');
}

function showAsJson(moduleId: ModuleId, releases: readonly Release[]): string {
  return jsonLine({
    schema: 'modreg/registry-show@1',
    module_id: moduleId,
    releases: releases.map((release) => ({
      version: release.version.text,
      published_at: release.publishedAt === undefined ? null : formatTime(release.publishedAt),
      platforms: platformsOf(release) ?? null,
      yanked: release.yanked ?? null,
      deprecated: release.deprecated ?? null,
    })),
  });
}
