import { indexReleases, parseVersion, type ModuleId } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { DEFAULT_TERMS } from '../../core/machine/update-policy.ts';
import { withAbsoluteUrls } from '../../registry/formats/hosted-artifact.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { systemClock } from '../../registry/clock.ts';
import type { ReleaseList } from '../../registry/registry.ts';
import { uninterrupted } from '../../server/fleet/slices.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { countOf } from '../../base/count.ts';
import { failed, parseProblem, type Outcome, type Problem } from '../../base/problem.ts';
import { withModuleId } from '../../site/catalogue-options.ts';
import { commandRegistries } from '../../host/command-registries.ts';
import type { World } from '../../base/world.ts';
import { withFleet, type FleetOptions } from '../../site/fleet-options.ts';
import { describedRelease } from './described-release.ts';
import { groupedEffects, type EffectGroup } from '../../site/effect-groups.ts';
import { effectsOf, type MachinesWithEffect } from '../../site/what-if.ts';

export interface WhatIfOptions extends FleetOptions {
  /** A file with the release as it will be published. */
  readonly release?: string;
}

/** `modreg fleet what-if <module_id> <version>`: shows which machines would get a release, when, and what stops. */
export async function whatIfCommand(
  moduleText: string,
  versionText: string,
  options: WhatIfOptions,
  world: World,
): Promise<Outcome> {
  const version = parseVersion(versionText);
  if (!version.ok) return failed(parseProblem(version.error));
  return await withModuleId(moduleText, async (moduleId) => {
    const described = describedRelease(options.release, moduleId, version.value.text);
    if (!described.ok) return failed(described.error);
    return await withFleet(options, world, async (client, registry) => {
      const [states, list] = await Promise.all([
        client.states(moduleId),
        releasesOf(moduleId, options, world),
      ]);
      const now = world.clock();
      const { text } = version.value;
      const records = list ? [...list.records] : [];
      const isPublished = records.some((record) => record.version === text);
      if (isPublished && described.value) return failed(publishedAlready(moduleId, text));
      if (!isPublished) {
        // Without a file, it runs everywhere.
        const added = { publishedAt: now, ...described.value, version: text };
        records.push(withAbsoluteUrls(added, listAt(registry, moduleId)));
      }
      const isStaged = records.some(({ rollout }) => rollout !== undefined);
      const whatIf = { index: indexReleases(records), version: text, now, isStaged };
      const effects = uninterrupted(effectsOf(states, whatIf, systemClock));
      const asked = { moduleId, version: text, isPublished };
      const answer = options.json ? [asJson(effects, asked)] : linesOf(effects, asked, world);
      return { answer, notes: [], problems: [] };
    });
  });
}

/** The list of the module; undefined if the registry does not have the module. */
async function releasesOf(
  moduleId: ModuleId,
  options: FleetOptions,
  world: World,
): Promise<ReleaseList | undefined> {
  const registries = commandRegistries({ ...options, isUnsaved: true }, world);
  try {
    const opened = registries.open(DEFAULT_TERMS);
    if (!opened.ok || !opened.value) return undefined;
    return await registries.read(opened.value, moduleId);
  } catch (error) {
    if (error instanceof RegistryError && error.kind === 'unknown-module') return undefined;
    throw error;
  } finally {
    registries.close();
  }
}

/** The address of the module's list, to which those of files that the registry hosts are relative. */
function listAt(registry: URL, moduleId: ModuleId): URL {
  return new URL(`/v1/modules/${moduleId.replace(':', '/')}`, registry);
}

function publishedAlready(moduleId: ModuleId, version: string): Problem {
  return {
    severity: 'error',
    kind: 'already-published',
    message: `${moduleId} ${version} is published, and --release describes a release that is not`,
    hint: 'leave --release out: what is published is asked about then',
  };
}

interface Asked {
  readonly moduleId: ModuleId;
  readonly version: string;
  readonly isPublished: boolean;
}

function asJson(
  effects: readonly MachinesWithEffect[],
  { moduleId, version, isPublished }: Asked,
): string {
  return jsonLine({
    schema: 'modreg/fleet-what-if@1',
    module_id: moduleId,
    version,
    is_published: isPublished,
    groups: effects.map(({ state, effect, machines }) => ({
      when: effect.kind,
      at: effect.kind === 'later' && effect.at !== undefined ? formatTime(effect.at) : null,
      direction: 'because' in effect ? null : effect.direction,
      deployed: state.deployed,
      constraint: state.constraint,
      platform: state.platform,
      stops: 'because' in effect ? [] : effect.stops,
      because: 'because' in effect ? effect.because : null,
      machines,
    })),
  });
}

/** So many machines of a line are named. */
const MOST_NAMED = 3;
const HEADS = ['WHEN', 'MACHINES', 'DEPLOYED', 'CONSTRAINT', 'WHAT'];

function linesOf(
  effects: readonly MachinesWithEffect[],
  { moduleId, version, isPublished }: Asked,
  world: World,
): string[] {
  const { machines, included, notComputed, groups } = groupedEffects(effects, world.clock());
  const rows = groups.map(rowOf);
  const format = columnsOf(HEADS, rows, world.columns);
  const name = `${moduleId} ${version}${isPublished ? '' : ' (not published)'}`;
  const unknown = notComputed === 0 ? '' : `; not computed for ${notComputed}`;
  const head = `${name}: ${included} of ${countOf(machines, 'machine')} would get it${unknown}`;
  return rows.length === 0 ? [head] : [head, '', ...format(HEADS), ...rows.flatMap(format)];
}

function rowOf({ when, deployed, constraint, what, machines }: EffectGroup): string[] {
  const named = machines.slice(0, MOST_NAMED).map((id) => excerpt(id));
  const rest = machines.length > MOST_NAMED ? ', …' : '';
  const found = `${machines.length}: ${named.join(', ')}${rest}`;
  return [when, found, excerpt(deployed), excerpt(constraint), what];
}
