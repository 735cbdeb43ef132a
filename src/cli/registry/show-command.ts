import type { Release } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { textLines } from '../../core/text/text-lines.ts';
import { countOf } from '../../base/count.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { listReleases, type ModuleReleases } from '../../site/module-lists.ts';
import { readNoted, type NotedRelease } from '../../site/release-notes.ts';
import type { ReadOptions } from '../../site/remote-lists.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { outcomeOf } from '../base/outcome.ts';

/** `modreg registry show <module_id> [version]`: shows the releases of a module, the newest first, or one with its notes. */
export async function showCommand(
  [module, version]: readonly [module: string, version: string | undefined],
  options: ReadOptions,
  world: World,
): Promise<Outcome> {
  if (version !== undefined) {
    const found = await readNoted([module, version], options, world);
    return outcomeOf(found, (one) => ({
      answer: options.json ? [notedAsJson(one)] : notedLines(one, world.columns),
    }));
  }
  return outcomeOf(await listReleases(module, options, world), (found) => ({
    answer: options.json ? [showAsJson(found)] : showLines(found, world.columns),
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

/** The notes as they are, but for what would move a cursor: nothing interprets their Markdown. */
function notedLines(
  { moduleId, release, notes }: NotedRelease,
  width: number | undefined,
): string[] {
  const [, ...lines] = showLines({ moduleId, releases: [release] }, width);
  return [
    `${moduleId}  ${release.version.text}`,
    ...lines,
    '',
    ...(notes === null ? ['no release notes'] : textLines(notes)),
  ];
}

function notedAsJson({ moduleId, release, notes }: NotedRelease): string {
  const schema = 'modreg/registry-show@1';
  return jsonLine({
    schema,
    module_id: moduleId,
    releases: [{ ...releaseAsJson(release), notes }],
  });
}

function showAsJson({ moduleId, releases }: ModuleReleases): string {
  return jsonLine({
    schema: 'modreg/registry-show@1',
    module_id: moduleId,
    releases: releases.map(releaseAsJson),
  });
}

function releaseAsJson(release: Release): object {
  return {
    version: release.version.text,
    published_at: release.publishedAt === undefined ? null : formatTime(release.publishedAt),
    platforms: platformsOf(release) ?? null,
    yanked: release.yanked ?? null,
    deprecated: release.deprecated ?? null,
    ...(release.requires && { requires: release.requires }),
    ...(release.floor && { floor: true }),
  };
}
