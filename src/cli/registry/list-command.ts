import { parseModuleId } from '../../core/index.ts';
import { namespaceOf } from '../../core/releases/module-id.ts';
import type { ModuleSummary } from '../../server/catalogue/catalogue-results.ts';
import type { Catalogue } from '../../server/index.ts';
import { jsonLine } from '../base/answer-json.ts';
import { countOf } from '../../base/count.ts';
import { failed, parseProblem, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { withCatalogue, withModuleId } from '../../site/catalogue-options.ts';
import { countsIn, withReadRegistry } from '../../site/remote-lists.ts';
import type { ChangeOptions } from '../../site/remote-registry.ts';
import { noModule } from './show-command.ts';

/** A namespace; other text must be a module id. */
const NAMESPACE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** `modreg registry list`: shows all modules, those of a namespace, or one. */
export async function listCommand(
  named: string | undefined,
  options: ChangeOptions,
  world: World,
): Promise<Outcome> {
  const { registry } = options;
  if (registry !== undefined) return await listOver(named, { ...options, registry }, world);
  const list = (work: (catalogue: Catalogue) => Outcome): Outcome =>
    withCatalogue(options, world, { mode: 'read', hasAddress: true }, work);
  if (named === undefined || NAMESPACE.test(named)) {
    return list((catalogue) => listed(catalogue.summaries(named), named, options));
  }
  return withModuleId(named, (id) =>
    list((catalogue) => {
      const modules = catalogue
        .summaries(namespaceOf(id))
        .filter(({ moduleId }) => moduleId === id);
      return modules.length === 0 ? noModule(catalogue, id) : listed(modules, named, options);
    }),
  );
}

/** The same of the registry at an address, which says the modules; their lists have the releases. */
async function listOver(
  named: string | undefined,
  options: ChangeOptions & { readonly registry: string },
  world: World,
): Promise<Outcome> {
  const id = named === undefined || NAMESPACE.test(named) ? undefined : parseModuleId(named);
  if (id?.ok === false) return failed(parseProblem(id.error));
  return await withReadRegistry(options, world, async (read) => {
    if (id) {
      const { records } = await read.registries.read(read.registry, id.value);
      return listed([{ moduleId: id.value, count: records.length }], named, options);
    }
    const modules = await countsIn(read, named);
    if (modules) return listed(modules, named, options);
    return failed(usage('this registry does not list its modules: name one, such as acme:lidar'));
  });
}

/** A module with how many releases it has. Over the network, its generation is not known. */
type Listed = Pick<ModuleSummary, 'moduleId' | 'count'> & Partial<ModuleSummary>;

function listed(
  modules: readonly Listed[],
  namespace: string | undefined,
  options: Pick<ChangeOptions, 'json'>,
): Outcome {
  const answer = options.json ? [listAsJson(modules)] : listLines(modules, namespace);
  return { answer, notes: [], problems: [] };
}

function listLines(modules: readonly Listed[], namespace: string | undefined): string[] {
  const width = Math.max(0, ...modules.map(({ moduleId }) => moduleId.length));
  const lines = modules.map(({ moduleId, count }) => {
    return `${moduleId.padEnd(width)}  ${countOf(count, 'release')}`;
  });
  const none = namespace === undefined ? 'no modules' : `no modules in the namespace ${namespace}`;
  return lines.length === 0 ? [none] : lines;
}

function listAsJson(modules: readonly Listed[]): string {
  return jsonLine({
    schema: 'modreg/registry-list@1',
    modules: modules.map(({ moduleId, generation, count }) => ({
      module_id: moduleId,
      generation: generation ?? null,
      count,
    })),
  });
}
