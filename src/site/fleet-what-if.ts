import type { ModuleId, ReleaseRecord, Result } from '../core/index.ts';
import { DEFAULT_TERMS } from '../core/machine/update-policy.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { commandRegistries } from '../host/command-registries.ts';
import type { RegistryOptions } from '../host/registry-choice.ts';
import { systemClock } from '../registry/clock.ts';
import { withAbsoluteUrls } from '../registry/formats/hosted-artifact.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { FleetClient } from '../registry/fleet-client.ts';
import type { ReleaseList } from '../registry/registry.ts';
import { retryBudget } from '../registry/retry-budget.ts';
import { uninterrupted } from '../server/fleet/slices.ts';
import { newestFirst } from './catalogue-records.ts';
import { describedRelease } from './described-release.ts';
import { withFleet } from './fleet-options.ts';
import { moduleIdIn, versionIn, type NamedRelease } from './named-release.ts';
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
import type { ReadRegistry } from './remote-lists.ts';
import type { TypedRelease } from './remote-rollouts.ts';
import { askedAmong, effectsOf, type MachinesWithEffect } from './what-if.ts';

/** What a release would do to the machines of a fleet. */
export interface FleetWhatIf extends NamedRelease {
  readonly isPublished: boolean;
  readonly effects: readonly MachinesWithEffect[];
  /** Why it is not known what requires the module; undefined if it is. */
  readonly unread: string | undefined;
}

/** `described` is a file with the release as it will be published. */
export async function fleetWhatIf(
  [moduleText, versionText]: TypedRelease,
  described: string | undefined,
  options: Pick<RegistryOptions, 'registry' | 'json'>,
  world: World,
): Promise<Result<FleetWhatIf, Problem>> {
  const version = versionIn(versionText);
  if (!version.ok) return version;
  const moduleId = moduleIdIn(moduleText);
  if (!moduleId.ok) return moduleId;
  const { text } = version.value;
  const { value: id } = moduleId;
  const release = describedRelease(described, id, text);
  if (!release.ok) return release;
  const whatIf = await whatIfOf({ moduleId: id, version: text }, release.value, options, world);
  const isTwice = whatIf.ok && whatIf.value.isPublished && release.value !== undefined;
  return isTwice ? { ok: false, error: publishedAlready(id, text) } : whatIf;
}

/** What `described` would do, or what the list has of that version. Without both, the release runs on every platform. */
export async function whatIfOf(
  { moduleId: id, version: text }: NamedRelease,
  described: ReleaseRecord | undefined,
  options: Pick<RegistryOptions, 'registry' | 'json'>,
  world: World,
): Promise<Result<FleetWhatIf, Problem>> {
  return await withFleet(options, world, async (client, registry) => {
    const [states, lists] = await Promise.all([client.states(id), listsOf(id, options, world)]);
    const now = world.clock();
    const added = { publishedAt: now, ...described, version: text };
    const { isPublished, ...asked } = askedAmong(
      lists.own?.records ?? [],
      withAbsoluteUrls(added, listAt(registry, id)),
      now,
    );
    const others = await otherModules(asked, lists.dependents, client);
    const effects = uninterrupted(effectsOf(states, { ...asked, others }, systemClock));
    const { unread } = lists;
    return { ok: true, value: { moduleId: id, version: text, isPublished, effects, unread } };
  });
}

/** What machines run of what the release requires, and of what requires its module. */
async function otherModules(
  asked: AskedRelease,
  dependents: readonly DependentReleases[],
  client: FleetClient,
): Promise<OtherModules> {
  const reportedOf = async (id: ModuleId): Promise<ReportedVersions> =>
    uninterrupted(reportedVersions(await client.states(id)));
  const required = new Map<string, ReportedVersions>();
  for (const [of, id] of requiredModules(asked)) required.set(of, await reportedOf(id));
  const found: Dependent[] = [];
  for (const one of dependents) {
    found.push({ ...one, reported: await reportedOf(one.moduleId) });
  }
  return { required, dependents: found };
}

interface Lists {
  /** Undefined if the registry does not have the module. */
  readonly own: ReleaseList | undefined;
  readonly dependents: readonly DependentReleases[];
  /** Why it is not known what requires the module; undefined if it is. */
  readonly unread: string | undefined;
}

/** The list of the module, and what the lists of others require of it. */
async function listsOf(
  moduleId: ModuleId,
  options: Pick<RegistryOptions, 'registry' | 'json'>,
  world: World,
): Promise<Lists> {
  const registries = commandRegistries({ ...options, isUnsaved: true }, world);
  try {
    const opened = registries.open(DEFAULT_TERMS);
    if (!opened.ok || !opened.value) return { own: undefined, dependents: [], unread: undefined };
    const read = { registry: opened.value, registries };
    const own = await ownList(moduleId, read);
    return { own, ...(await dependentsIn(moduleId, read)) };
  } finally {
    registries.close();
  }
}

async function ownList(
  moduleId: ModuleId,
  { registry, registries }: ReadRegistry,
): Promise<ReleaseList | undefined> {
  try {
    return await registries.read(registry, moduleId);
  } catch (error) {
    if (error instanceof RegistryError && error.kind === 'unknown-module') return undefined;
    throw error;
  }
}

/** What requires the module is asked for besides: what a release does is shown without it. */
async function dependentsIn(
  moduleId: ModuleId,
  { registry, registries }: ReadRegistry,
): Promise<Pick<Lists, 'dependents' | 'unread'>> {
  try {
    const ids = await registry.remote?.modules?.(undefined, { budget: retryBudget() });
    if (!ids) return { dependents: [], unread: 'the registry does not list its modules' };
    const others = ids.filter((id) => id !== moduleId);
    const lists = await registries.readAll(registry, others);
    const errors: string[] = [];
    const dependents = Array.from(lists, ([id, list]) => {
      if (list.ok) return dependentReleases(id, newestFirst(list.value.records), moduleId) ?? [];
      errors.push(list.error.message);
      return [];
    });
    return { dependents: dependents.flat(), unread: errors[0] };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { dependents: [], unread: error.message };
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
