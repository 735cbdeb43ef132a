import {
  compareVersions,
  indexReleases,
  parseModuleId,
  parseVersion,
  type ModuleId,
  type Result,
} from '../../core/index.ts';
import { isPrerelease, type Version } from '../../core/version/version.ts';
import type { PageProblem } from '../../page/page-problem.ts';
import type {
  ListedModule,
  ListedRelease,
  ModulePage,
  PagedSite,
  ShownModule,
  WhatIf,
} from '../../page/site/paged-site.ts';
import { systemClock } from '../../registry/clock.ts';
import type { NamedRollout } from '../../server/catalogue/catalogue-rollouts.ts';
import { statesAfter } from '../../server/fleet/fleet-queries.ts';
import { deployedVersions, reportedModuleIds } from '../../server/fleet/deployed-versions.ts';
import { groupedEffects } from '../../site/effect-groups.ts';
import { effectsOf } from '../../site/what-if.ts';
import { recordsIn } from '../../site/catalogue-records.ts';
import { refused, unusableFile, usingFiles, type SiteFiles } from './site-files.ts';

const MODULES_OF_PAGE = 50;
/** So many releases of a module are listed. */
const MOST_RELEASES = 100;
/** So many machines of a group are named. */
const MOST_NAMED = 3;

type Read<T> = Result<T, PageProblem[]>;

/** The modules of a registry and of its machines, for its page. */
export function modulesOnPage(files: SiteFiles): Pick<PagedSite, 'modules' | 'module' | 'whatIf'> {
  return {
    modules: (after) => usingFiles(() => modulePage(files, after)),
    module: (moduleId) => usingFiles(() => shownModule(files, moduleId)),
    async whatIf({ moduleId, version }) {
      try {
        return await whatIf(files, moduleId, version);
      } catch (error) {
        return unusableFile(error);
      }
    },
  };
}

/** Modules in the order of their ids: those of the registry, and those that machines reported. */
function modulePage(files: SiteFiles, after: string): Read<ModulePage> {
  const rollouts = rolloutsByModule(files);
  const limit = MODULES_OF_PAGE + 1;
  const reported = files.fleet.read((sql) => reportedModuleIds(sql, after, limit));
  const published = files.catalogue.modules().filter((id) => id > after);
  const following = [...new Set([...published, ...reported])].toSorted();
  const shown = following.slice(0, MODULES_OF_PAGE);
  return {
    ok: true,
    value: {
      modules: shown.map((id) => ({
        moduleId: id,
        latest: latestOf(files, id),
        ...files.fleet.read((sql) => deployedVersions(sql, id)),
        rollouts: openRollouts(rollouts.get(id)),
      })),
      next: following.length > shown.length ? shown.at(-1) : undefined,
    },
  };
}

function rolloutsByModule({ catalogue }: SiteFiles): ReadonlyMap<string, NamedRollout[]> {
  return Map.groupBy(catalogue.rollouts.all().rollouts, ({ moduleId }) => String(moduleId));
}

function openRollouts(rollouts: readonly NamedRollout[] = []): ListedModule['rollouts'] {
  return rollouts.flatMap(({ moduleId, version, rollout: { status, percent } }) =>
    status === 'running' || status === 'halted' ? [{ moduleId, version, status, percent }] : [],
  );
}

interface ParsedRelease extends Pick<ListedRelease, 'publishedAt' | 'yanked'> {
  readonly version: Version;
}

/** The releases of a module, the newest first. */
function releasesOf({ catalogue }: SiteFiles, moduleId: ModuleId): ParsedRelease[] {
  return Array.from(recordsIn(catalogue, moduleId), ({ version: text, publishedAt, yanked }) => {
    const version = parseVersion(text);
    return version.ok ? [{ version: version.value, publishedAt, yanked }] : [];
  })
    .flat()
    .toSorted((a, b) => compareVersions(b.version, a.version));
}

function newestOf(releases: readonly ParsedRelease[]): string | undefined {
  return releases.find(({ version, yanked }) => yanked === undefined && !isPrerelease(version))
    ?.version.text;
}

function latestOf(files: SiteFiles, id: string): string | undefined {
  const moduleId = parseModuleId(id);
  return moduleId.ok ? newestOf(releasesOf(files, moduleId.value)) : undefined;
}

function shownModule(files: SiteFiles, moduleId: ModuleId): Read<ShownModule> {
  const reported = files.fleet.read((sql) => deployedVersions(sql, moduleId));
  const releases = releasesOf(files, moduleId);
  if (releases.length === 0 && reported.deployedOf === 0) {
    const message = `nothing was ever published for ${moduleId}, and no machine reports it`;
    return refused('UNKNOWN_REFERENCE', message);
  }
  const rollouts = rolloutsByModule(files).get(moduleId) ?? [];
  const byVersion = new Map(rollouts.map(({ version, rollout }) => [version, rollout]));
  return {
    ok: true,
    value: {
      moduleId,
      latest: newestOf(releases),
      ...reported,
      rollouts: openRollouts(rollouts),
      releaseCount: releases.length,
      releases: releases.slice(0, MOST_RELEASES).map((release) => {
        const { text: version } = release.version;
        const { publishedAt, yanked } = release;
        return { version, publishedAt, yanked, rollout: byVersion.get(version) };
      }),
    },
  };
}

/** As `modreg fleet what-if` decides it, in slices: other pages are shown meanwhile (T268). */
async function whatIf(files: SiteFiles, moduleId: ModuleId, text: string): Promise<Read<WhatIf>> {
  const version = parseVersion(text);
  if (!version.ok) return refused('BAD_VERSION', version.error.message);
  const now = files.now();
  const { text: asked } = version.value;
  const records = [...recordsIn(files.catalogue, moduleId)];
  const isPublished = records.some((record) => record.version === asked);
  // A release that is not published is taken as one for all platforms.
  if (!isPublished) records.push({ version: asked, publishedAt: now });
  const isStaged = records.some(({ rollout }) => rollout !== undefined);
  const index = indexReleases(records);
  const effects = await files.fleet.readInSlices((sql) =>
    effectsOf(statesAfter(sql, moduleId, 0), { index, version: asked, now, isStaged }, systemClock),
  );
  const { machines, included, notComputed, groups } = groupedEffects(effects, now);
  const shown = groups.map(({ machines: ids, when, deployed, constraint, what }) => {
    const first = ids.slice(0, MOST_NAMED);
    return { when, deployed, constraint, what, count: ids.length, machines: first };
  });
  return { ok: true, value: { isPublished, machines, included, notComputed, groups: shown } };
}
