import type { ModuleId, Release, Result } from '../core/index.ts';
import { namespaceOf } from '../core/releases/module-id.ts';
import { registryProblem, usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { unknownModule } from '../registry/unknown-module.ts';
import type { ModuleSummary } from '../server/catalogue/catalogue-results.ts';
import type { ReadableCatalogue } from '../server/catalogue/readable-catalogue.ts';
import { withCatalogue } from './catalogue-options.ts';
import { newestFirst, recordsIn } from './catalogue-records.ts';
import { moduleIdIn } from './named-release.ts';
import { countsIn, withReadRegistry, type ReadOptions } from './remote-lists.ts';

/** A namespace; other text must be a module id. */
const NAMESPACE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const READ = { mode: 'read', hasAddress: true } as const;

/** A module with how many releases it has. Over the network, its generation is not known. */
export type CountedModule = Pick<ModuleSummary, 'moduleId' | 'count'> & Partial<ModuleSummary>;

type Counted = Result<readonly CountedModule[], Problem>;

/** All modules of a registry, those of a namespace, or one. */
export async function listModules(
  named: string | undefined,
  options: ReadOptions,
  world: World,
): Promise<Counted> {
  const { registry } = options;
  const isModule = named !== undefined && !NAMESPACE.test(named);
  const moduleId = isModule ? moduleIdIn(named) : undefined;
  if (moduleId?.ok === false) return moduleId;
  if (registry !== undefined) {
    return await listedOver(named, moduleId?.value, { ...options, registry }, world);
  }
  return withCatalogue(options, world, READ, (catalogue): Counted => {
    if (!moduleId) return { ok: true, value: catalogue.summaries(named) };
    const { value: id } = moduleId;
    const value = catalogue.summaries(namespaceOf(id)).filter((one) => one.moduleId === id);
    return value.length === 0 ? noModule(catalogue, id) : { ok: true, value };
  });
}

/** The same of the registry at an address, which says the modules; their lists have the releases. */
async function listedOver(
  namespace: string | undefined,
  moduleId: ModuleId | undefined,
  options: ReadOptions & { readonly registry: string },
  world: World,
): Promise<Counted> {
  return await withReadRegistry(options, world, async (read): Promise<Counted> => {
    if (moduleId) {
      const { records } = await read.registries.read(read.registry, moduleId);
      return { ok: true, value: [{ moduleId, count: records.length }] };
    }
    const value = await countsIn(read, namespace);
    if (value) return { ok: true, value };
    const message = 'this registry does not list its modules: name one, such as acme:lidar';
    return { ok: false, error: usage(message) };
  });
}

/** A module with its releases, the newest first. */
export interface ModuleReleases {
  readonly moduleId: ModuleId;
  readonly releases: readonly Release[];
}

/** The releases of a module. */
export async function listReleases(
  moduleText: string,
  options: ReadOptions,
  world: World,
): Promise<Result<ModuleReleases, Problem>> {
  const named = moduleIdIn(moduleText);
  if (!named.ok) return named;
  const { value: moduleId } = named;
  const { registry } = options;
  if (registry !== undefined) {
    return await withReadRegistry({ ...options, registry }, world, async (read) => {
      const { records } = await read.registries.read(read.registry, moduleId);
      return { ok: true, value: { moduleId, releases: newestFirst(records) } };
    });
  }
  return withCatalogue(options, world, READ, (catalogue): Result<ModuleReleases, Problem> => {
    const releases = newestFirst(recordsIn(catalogue, moduleId));
    if (releases.length === 0) return noModule(catalogue, moduleId);
    return { ok: true, value: { moduleId, releases } };
  });
}

/** Why a module without a release is not listed. */
function noModule(catalogue: ReadableCatalogue, moduleId: ModuleId): Result<never, Problem> {
  const error = unknownModule('this registry', moduleId, catalogue.modules());
  return { ok: false, error: registryProblem(error) };
}
