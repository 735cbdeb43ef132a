import type { Release } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { countOf } from '../../base/count.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { listReleases, type ModuleReleases } from '../../site/module-lists.ts';
import type { ReadOptions } from '../../site/remote-lists.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { outcomeOf } from '../base/outcome.ts';

/** `modreg registry show <module_id>`: shows the releases of a module, the newest first. */
export async function showCommand(
  moduleIdText: string,
  options: ReadOptions,
  world: World,
): Promise<Outcome> {
  return outcomeOf(await listReleases(moduleIdText, options, world), (module) => ({
    answer: options.json ? [showAsJson(module)] : showLines(module, world.columns),
  }));
}

const HEADS = ['VERSION', 'PUBLISHED', 'PLATFORMS', 'STATE'];

function showLines({ moduleId, releases }: ModuleReleases, width: number | undefined): string[] {
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

function stateText({ yanked, deprecated, requires, floor }: Release): string {
  const states = [
    ['yanked', yanked],
    ['deprecated', deprecated],
    ['floor', floor && ''],
  ] as const;
  const needed = Object.entries(requires ?? {}).flatMap(([of, ranges]) =>
    ranges.map((range) => `requires ${excerpt(of)} ${excerpt(range)}`),
  );
  return [
    ...states.flatMap(([state, reason]) =>
      reason === undefined ? [] : [reason === '' ? state : `${state}: ${excerpt(reason)}`],
    ),
    ...needed,
  ].join('; ');
}

function showAsJson({ moduleId, releases }: ModuleReleases): string {
  return jsonLine({
    schema: 'modreg/registry-show@1',
    module_id: moduleId,
    releases: releases.map((release) => ({
      version: release.version.text,
      published_at: release.publishedAt === undefined ? null : formatTime(release.publishedAt),
      platforms: platformsOf(release) ?? null,
      yanked: release.yanked ?? null,
      deprecated: release.deprecated ?? null,
      ...(release.requires && { requires: release.requires }),
      ...(release.floor && { floor: true }),
    })),
  });
}
