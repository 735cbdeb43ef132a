import type { ModuleId, Result } from '../core/index.ts';
import { DEFAULT_TERMS } from '../core/machine/update-policy.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { commandRegistries } from '../host/command-registries.ts';
import type { RegistryOptions } from '../host/registry-choice.ts';
import { systemClock } from '../registry/clock.ts';
import { withAbsoluteUrls } from '../registry/formats/hosted-artifact.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { ReleaseList } from '../registry/registry.ts';
import { uninterrupted } from '../server/fleet/slices.ts';
import { describedRelease } from './described-release.ts';
import { withFleet } from './fleet-options.ts';
import { moduleIdIn, versionIn, type NamedRelease } from './named-release.ts';
import type { TypedRelease } from './remote-rollouts.ts';
import { askedAmong, effectsOf, type MachinesWithEffect } from './what-if.ts';

/** What a release would do to the machines of a fleet. */
export interface FleetWhatIf extends NamedRelease {
  readonly isPublished: boolean;
  readonly effects: readonly MachinesWithEffect[];
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
  return await withFleet(options, world, async (client, registry) => {
    const [states, list] = await Promise.all([client.states(id), releasesOf(id, options, world)]);
    const now = world.clock();
    // Without a file, it runs everywhere.
    const added = { publishedAt: now, ...release.value, version: text };
    const { isPublished, ...whatIf } = askedAmong(
      list?.records ?? [],
      withAbsoluteUrls(added, listAt(registry, id)),
      now,
    );
    if (isPublished && release.value) return { ok: false, error: publishedAlready(id, text) };
    const effects = uninterrupted(effectsOf(states, whatIf, systemClock));
    return { ok: true, value: { moduleId: id, version: text, isPublished, effects } };
  });
}

/** The list of the module; undefined if the registry does not have the module. */
async function releasesOf(
  moduleId: ModuleId,
  options: Pick<RegistryOptions, 'registry' | 'json'>,
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
