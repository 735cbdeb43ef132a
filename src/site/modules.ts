import { parseModuleId, type ModuleId, type Release } from '../core/index.ts';
import type { Rollout } from '../core/rollout/rollout.ts';
import { isPrerelease } from '../core/version/version.ts';
import { systemClock } from '../registry/clock.ts';
import type { NamedRollout } from '../server/catalogue/catalogue-rollouts.ts';
import { statesAfter } from '../server/fleet/fleet-queries.ts';
import {
  deployedVersions,
  reportedModuleIds,
  type DeployedVersions,
} from '../server/fleet/deployed-versions.ts';
import { newestFirst, recordsIn } from './catalogue-records.ts';
import { groupedEffects, type GroupedEffects } from './effect-groups.ts';
import { versionIn, type NamedRelease } from './named-release.ts';
import { unknownReference, type Answer, type SiteFiles } from './site-files.ts';
import { askedAmong, effectsOf } from './what-if.ts';

const MODULES_OF_PAGE = 50;
/** So many releases of a module are listed. */
const MOST_RELEASES = 100;

export interface ModulePage {
  readonly modules: readonly ListedModule[];
  readonly next: string | undefined;
}

export interface ListedModule extends DeployedVersions {
  readonly moduleId: string;
  /** The newest release that is neither yanked nor a prerelease; undefined if there is none. */
  readonly latest: string | undefined;
  /** The rollouts that are running or halted. */
  readonly rollouts: readonly (NamedRelease & Pick<Rollout, 'status' | 'percent' | 'groups'>)[];
}

export interface ShownModule extends ListedModule {
  readonly moduleId: ModuleId;
  /** The newest first. */
  readonly releases: readonly ListedRelease[];
  readonly releaseCount: number;
}

export interface ListedRelease {
  readonly version: string;
  readonly publishedAt: number | undefined;
  /** Undefined if it is not yanked. */
  readonly yanked: string | undefined;
  /** Its rollout if it ever had one. */
  readonly rollout: Pick<Rollout, 'status' | 'percent' | 'groups'> | undefined;
}

/** What a release would do, as `modreg fleet what-if` says. */
export interface WhatIf extends GroupedEffects {
  readonly isPublished: boolean;
}

/** The modules of a registry and of its machines. */
export interface SiteModules {
  /** Those after this id. */
  modules(after: string): Answer<ModulePage>;
  module(moduleId: ModuleId): Answer<ShownModule>;
  whatIf(release: NamedRelease): Promise<Answer<WhatIf>>;
}

export function modulesOf(files: SiteFiles): SiteModules {
  return {
    modules: (after) => modulePage(files, after),
    module: (moduleId) => shownModule(files, moduleId),
    whatIf: async (release) => await whatIf(files, release),
  };
}

/** Modules in the order of their ids: those of the registry, and those that machines reported. */
function modulePage(files: SiteFiles, after: string): Answer<ModulePage> {
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
  return rollouts.flatMap(({ moduleId, version, rollout: { status, percent, groups } }) =>
    status === 'running' || status === 'halted'
      ? [{ moduleId, version, status, percent, groups }]
      : [],
  );
}

function newestOf(releases: readonly Release[]): string | undefined {
  return releases.find(({ version, yanked }) => yanked === undefined && !isPrerelease(version))
    ?.version.text;
}

function latestOf(files: SiteFiles, id: string): string | undefined {
  const moduleId = parseModuleId(id);
  return moduleId.ok
    ? newestOf(newestFirst(recordsIn(files.catalogue, moduleId.value)))
    : undefined;
}

function shownModule(files: SiteFiles, moduleId: ModuleId): Answer<ShownModule> {
  const reported = files.fleet.read((sql) => deployedVersions(sql, moduleId));
  const releases = newestFirst(recordsIn(files.catalogue, moduleId));
  if (releases.length === 0 && reported.deployedOf === 0) {
    const message = `nothing was ever published for ${moduleId}, and no machine reports it`;
    return unknownReference(message);
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
async function whatIf(
  files: SiteFiles,
  { moduleId, version: text }: NamedRelease,
): Promise<Answer<WhatIf>> {
  const version = versionIn(text);
  if (!version.ok) return version;
  const now = files.now();
  // A release that is not published is taken as one for all platforms.
  const added = { version: version.value.text, publishedAt: now };
  const records = recordsIn(files.catalogue, moduleId);
  const { isPublished, ...asked } = askedAmong(records, added, now);
  const effects = await files.fleet.readInSlices((sql) =>
    effectsOf(statesAfter(sql, moduleId, 0), asked, systemClock),
  );
  return { ok: true, value: { isPublished, ...groupedEffects(effects, now) } };
}
