import { parseModuleId, type ModuleId, type Release, type ReleaseRecord } from '../core/index.ts';
import type { Rollout } from '../core/rollout/rollout.ts';
import { requiredText } from '../core/explanation/requirement-words.ts';
import { describeDeprecated } from '../core/explanation/words.ts';
import { excerpt } from '../core/text/quote.ts';
import { isPrerelease } from '../core/version/version.ts';
import { systemClock } from '../registry/clock.ts';
import type { NamedRollout } from '../server/catalogue/catalogue-rollouts.ts';
import type { ModuleOutcomes } from '../registry/fleet-documents.ts';
import { moduleOutcomes } from '../server/fleet/module-outcomes.ts';
import { statesAfter } from '../server/fleet/fleet-queries.ts';
import {
  deployedVersions,
  reportedModuleIds,
  type DeployedVersions,
} from '../server/fleet/deployed-versions.ts';
import type { Statements } from '../sqlite/statements.ts';
import type { Slices } from '../server/fleet/slices.ts';
import { newestFirst, recordsIn } from './catalogue-records.ts';
import { groupedEffects, type GroupedEffects } from './effect-groups.ts';
import { versionIn, type NamedRelease } from './named-release.ts';
import { unknownReference, type Answer, type SiteFiles } from './site-files.ts';
import {
  dependentReleases,
  reportedVersions,
  requiredModules,
  type AskedRelease,
  type Dependent,
  type DependentReleases,
  type OtherModules,
  type ReportedVersions,
} from './other-modules.ts';
import { askedAmong, effectsOf, type MachinesWithEffect } from './what-if.ts';

const MODULES_OF_PAGE = 50;
/** So many releases of a module are listed. */
const MOST_RELEASES = 100;
/** So far back outcomes are shown. */
const OUTCOMES_MS = 30 * 86_400_000;

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
  /** `floor`, `deprecated: use 1.4`, `requires platform-server >=2`. */
  readonly marks: readonly string[];
  readonly hasNotes: boolean;
  /** Its rollout if it ever had one. */
  readonly rollout: Pick<Rollout, 'status' | 'percent' | 'groups'> | undefined;
}

/** What a release would do, as `modreg fleet what-if` says. */
export interface WhatIf extends GroupedEffects {
  readonly isPublished: boolean;
}

export type { ModuleOutcomes };

/** The modules of a registry and of its machines. */
export interface SiteModules {
  /** Those after this id. */
  modules(after: string): Answer<ModulePage>;
  module(moduleId: ModuleId): Answer<ShownModule>;
  whatIf(release: NamedRelease): Promise<Answer<WhatIf>>;
  /** The notes of a release; null if it has none (D379). */
  notes(release: NamedRelease): Answer<string | null>;
  /** What became of a module on the machines in the last 30 days (D367); why not, of one that is neither published nor reported (D490). */
  outcomes(moduleId: ModuleId): Promise<Answer<ModuleOutcomes>>;
}

export function modulesOf(files: SiteFiles): SiteModules {
  return {
    modules: (after) => modulePage(files, after),
    module: (moduleId) => shownModule(files, moduleId),
    whatIf: async (release) => await whatIf(files, release),
    notes: (release) => notesOf(files, release),
    outcomes: async (moduleId) => {
      const search = { moduleId, since: files.now() - OUTCOMES_MS };
      const value = await files.fleet.readInSlices((sql) => moduleOutcomes(sql, search));
      if (value.outcomes.length > 0) return { ok: true, value };
      const module = shownModule(files, moduleId);
      return module.ok ? { ok: true, value } : module;
    },
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
        const rollout = byVersion.get(version);
        const hasNotes = release.hasNotes === true;
        return { version, publishedAt, yanked, marks: marksOf(release), hasNotes, rollout };
      }),
    },
  };
}

function notesOf(
  { catalogue }: SiteFiles,
  { moduleId, version }: NamedRelease,
): Answer<string | null> {
  const value = catalogue.notes.of(moduleId, version);
  if (value !== undefined) return { ok: true, value };
  return unknownReference(`${moduleId} has no version ${excerpt(version)}`);
}

/** Of a release, besides whether it is yanked (D123). */
function marksOf({ floor, deprecated, requires = {} }: Release): string[] {
  const required = Object.entries(requires).flatMap(([of, ranges]) =>
    ranges.map((range) => requiredText({ of, range })),
  );
  return [
    ...(floor ? ['floor'] : []),
    ...(deprecated === undefined ? [] : [describeDeprecated(deprecated)]),
    ...(required.length > 0 ? [`requires ${required.join(', ')}`] : []),
  ];
}

async function whatIf(
  files: SiteFiles,
  { moduleId, version: text }: NamedRelease,
): Promise<Answer<WhatIf>> {
  const version = versionIn(text);
  if (!version.ok) return version;
  // A release that is not published is taken as one for all platforms.
  const added = { version: version.value.text };
  const { isPublished, effects, now } = await effectsIn(files, moduleId, added);
  const grouped = groupedEffects(effects, { version: added.version, now });
  return { ok: true, value: { isPublished, ...grouped } };
}

/** As `modreg fleet what-if` decides it, in slices: other pages are shown meanwhile (T268). */
export async function effectsIn(
  files: SiteFiles,
  moduleId: ModuleId,
  release: ReleaseRecord,
): Promise<{ isPublished: boolean; effects: MachinesWithEffect[]; now: number }> {
  const now = files.now();
  const added = { publishedAt: now, ...release };
  const records = recordsIn(files.catalogue, moduleId);
  const { isPublished, ...asked } = askedAmong(records, added, now);
  const effects = await files.fleet.readInSlices(function* (sql) {
    const others = yield* otherModules(files, sql, { ...asked, moduleId });
    const states = statesAfter(sql, moduleId, 0);
    return yield* effectsOf(states, { ...asked, others }, systemClock);
  });
  return { isPublished, effects, now };
}

/** What machines run of what the release requires, and of what requires its module. */
function* otherModules(
  { catalogue }: SiteFiles,
  sql: Statements,
  asked: AskedRelease & { readonly moduleId: ModuleId },
): Slices<OtherModules> {
  const required = new Map<string, ReportedVersions>();
  for (const [of, id] of requiredModules(asked)) {
    required.set(of, yield* reportedVersions(statesAfter(sql, id, 0)));
  }
  const dependents: Dependent[] = [];
  for (const id of catalogue.modules()) {
    const found = id === asked.moduleId ? undefined : dependentsIn(catalogue, id, asked.moduleId);
    if (found) {
      dependents.push({ ...found, reported: yield* reportedVersions(statesAfter(sql, id, 0)) });
    }
    yield;
  }
  return { required, dependents };
}

/** Most lists require nothing, and are not read. */
function dependentsIn(
  catalogue: SiteFiles['catalogue'],
  id: ModuleId,
  of: ModuleId,
): DependentReleases | undefined {
  const text = catalogue.document(id)?.bytes;
  if (!text || !Buffer.from(text).includes('"requires"')) return undefined;
  return dependentReleases(id, newestFirst(recordsIn(catalogue, id)), of);
}
