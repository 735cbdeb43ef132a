import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  compareVersions,
  parseModuleId,
  parseVersion,
  type ModuleId,
  type ReleaseRecord,
  type Version,
} from '../../core/index.ts';
import { namespaceOf } from '../../core/releases/module-id.ts';
import { machinePath } from '../../host/machine-path.ts';
import type { RemoteRegistry } from '../../registry/remote-registry.ts';
import { noRetries } from '../../registry/retry-budget.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import type { OpenRegistry } from '../../registries/open-registries.ts';
import { sampleCatalogue, sampleModules } from '../../registry/sample-catalogue.ts';
import type { ReadableCatalogue } from '../../server/catalogue/readable-catalogue.ts';
import { lapseOf } from '../../server/tokens/token.ts';
import { commandRegistries, type CommandRegistries } from '../../host/command-registries.ts';
import { readTerms } from '../../host/registry-choice.ts';
import type { World } from '../../base/world.ts';
import type { Place } from './typed-line.ts';

/** How long a registry may take, since a person waits. */
const DEADLINE_MS = 1000;
/** A saved list that was confirmed no longer ago than this needs no request. */
const FRESH_MS = 600_000;
/** The commands that use the built-in samples if no registry is named. */
const WITH_SAMPLES: ReadonlySet<string> = new Set(['resolve', 'compare']);

const LIMITS = { answerMs: DEADLINE_MS, totalMs: DEADLINE_MS, retryWithinMs: 0 };

/** A release, as far as it matters for what is offered. */
export interface OfferedRelease {
  readonly version: Version;
  readonly isYanked: boolean;
  readonly isFloor: boolean;
  readonly isDeprecated: boolean;
}

/** The ids and names of the tokens in a registry's file that can be revoked. */
export async function tokensFor(
  db: string | undefined,
  world: World,
): Promise<readonly { readonly value: string; readonly description?: string }[]> {
  const tokens = await inCatalogue(db, world, (catalogue) => catalogue.tokens());
  const valid = tokens.filter((token) => lapseOf(token, world.clock())?.kind !== 'revoked');
  return valid.flatMap(({ id, name }) => [{ value: id, description: name }, { value: name }]);
}

/** Where the values come from. */
type Source =
  | { readonly kind: 'file'; readonly db: string | undefined }
  | {
      readonly kind: 'registry';
      readonly registry: OpenRegistry;
      readonly registries: CommandRegistries;
    }
  | { readonly kind: 'samples' | 'none' };

/** The modules of the registry that the line and the environment name. If `word` has a namespace, only those in it. */
export async function modulesFor(place: Place, world: World): Promise<readonly ModuleId[]> {
  const [namespace, name] = place.word.split(':');
  return await using(place, world, async (source) => {
    switch (source.kind) {
      case 'none':
        return [];
      case 'samples':
        return sampleModules();
      case 'file':
        return await inCatalogue(source.db, world, (catalogue) => catalogue.modules());
      case 'registry':
        return await modulesIn(source.registry, name === undefined ? undefined : namespace, world);
    }
  });
}

/** The releases of a module in that registry, the newest first. */
export async function releasesFor(
  moduleId: ModuleId,
  place: Place,
  world: World,
): Promise<readonly OfferedRelease[]> {
  const records = await using(place, world, async (source): Promise<Iterable<ReleaseRecord>> => {
    switch (source.kind) {
      case 'none':
        return [];
      case 'samples':
        return (await sampleCatalogue.read(moduleId)).records;
      case 'file': {
        const { recordsIn } = await import('../../site/catalogue-records.ts');
        return await inCatalogue(source.db, world, (catalogue) => [
          ...recordsIn(catalogue, moduleId),
        ]);
      }
      case 'registry':
        return (await source.registries.read(source.registry, moduleId)).records;
    }
  });
  return Array.from(records, ({ version: text, yanked, deprecated, floor }) => {
    const version = parseVersion(text);
    if (!version.ok) return [];
    const marks = { isYanked: yanked !== undefined, isDeprecated: deprecated !== undefined };
    return [{ version: version.value, ...marks, isFloor: floor === true }];
  })
    .flat()
    .toSorted((a, b) => compareVersions(b.version, a.version));
}

async function using<T>(
  place: Place,
  world: World,
  work: (source: Source) => Promise<T>,
): Promise<T> {
  const source = await sourceFor(place, world);
  try {
    return await work(source);
  } finally {
    if (source.kind === 'registry') source.registries.close();
  }
}

async function sourceFor({ path, operands, values }: Place, world: World): Promise<Source> {
  const registry = values.get('--registry');
  if (path.startsWith('registry ') && registry === undefined) {
    return { kind: 'file', db: values.get('--db') };
  }
  const config = path === 'add' ? machinePath(operands[1], world) : '';
  const policy = values.get('--policy') ?? policyBeside(config);
  const options = { ...(registry && { registry }), ...(policy && { policy }), machinePath: config };
  const terms = await readTerms(options);
  const requests = { limits: LIMITS };
  const registries = commandRegistries(
    { ...options, maxAgeMs: FRESH_MS, isUnsaved: true, json: true, requests },
    world,
  );
  const opened = terms.ok ? registries.open(terms.value) : undefined;
  if (!opened?.ok) return { kind: 'none' };
  if (opened.value) return { kind: 'registry', registry: opened.value, registries };
  return { kind: WITH_SAMPLES.has(path) ? 'samples' : 'none' };
}

function policyBeside(config: string): string | undefined {
  const path = join(dirname(config), 'policy.json');
  return config !== '' && existsSync(path) ? path : undefined;
}

async function inCatalogue<T>(
  db: string | undefined,
  world: World,
  work: (catalogue: ReadableCatalogue) => readonly T[],
): Promise<readonly T[]> {
  const { openCatalogue } = await import('../../site/catalogue-options.ts');
  const opened = openCatalogue(db === undefined ? {} : { db }, world, {
    mode: 'read',
    busyTimeoutMs: DEADLINE_MS,
  });
  if (!opened.ok) return [];
  try {
    return work(opened.value);
  } finally {
    opened.value.close();
  }
}

async function modulesIn(
  { address, remote }: OpenRegistry,
  namespace: string | undefined,
  world: World,
): Promise<readonly ModuleId[]> {
  if (address.kind === 'database') {
    return await inCatalogue(address.path, world, (catalogue) => catalogue.modules());
  }
  if (address.kind === 'folder') {
    const { modulesIn: modulesInFolder } = await import('../../registry/folder-registry.ts');
    return (await modulesInFolder(address.path)) ?? [];
  }
  if (!remote) return [];
  const saved = await savedModules(remote.address, world);
  const served = await servedModules(remote, namespace);
  return [...new Set([...saved, ...served])].toSorted();
}

/** The modules whose lists this machine has saved from the registry. */
async function savedModules(address: string, world: World): Promise<readonly ModuleId[]> {
  const { usingFile } = await import('../../host/open-state.ts');
  const { savedListTimes } = await import('../../store/saved-lists-table.ts');
  const lists = usingFile(world, 'read', savedListTimes);
  if (!lists.ok) return [];
  return lists.value.flatMap((list) => {
    const id = parseModuleId(list.moduleId);
    return id.ok && list.address === address ? [id.value] : [];
  });
}

/** The modules that a registry lists within the deadline; none if it lists none. */
async function servedModules(
  remote: RemoteRegistry,
  namespace: string | undefined,
): Promise<readonly ModuleId[]> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    const modules = await remote.modules?.(namespace, { budget: noRetries(), signal });
    return (modules ?? []).filter((id) => namespace === undefined || namespaceOf(id) === namespace);
  } catch (error) {
    // The saved lists are still an answer.
    if (error instanceof RegistryError || signal.aborted) return [];
    throw error;
  }
}
