import { namespaceOf } from '../../core/releases/module-id.ts';
import type { ModuleSummary } from '../../server/catalogue/catalogue-results.ts';
import type { Catalogue } from '../../server/index.ts';
import { jsonLine } from '../output/answer-json.ts';
import { countOf } from '../output/count.ts';
import type { Outcome } from '../problem.ts';
import type { World } from '../world.ts';
import { withCatalogue, withModuleId, type CatalogueOptions } from './catalogue-options.ts';
import { noModule } from './show-command.ts';

/** A namespace; other text must be a module id. */
const NAMESPACE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** `modreg registry list`: shows all modules, those of a namespace, or one. */
export function listCommand(
  named: string | undefined,
  options: CatalogueOptions,
  world: World,
): Outcome {
  const list = (work: (catalogue: Catalogue) => Outcome): Outcome =>
    withCatalogue(options, world, { mode: 'read' }, work);
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

function listed(
  modules: readonly ModuleSummary[],
  namespace: string | undefined,
  options: CatalogueOptions,
): Outcome {
  const answer = options.json ? [listAsJson(modules)] : listLines(modules, namespace);
  return { answer, notes: [], problems: [] };
}

function listLines(modules: readonly ModuleSummary[], namespace: string | undefined): string[] {
  const width = Math.max(0, ...modules.map(({ moduleId }) => moduleId.length));
  const lines = modules.map(({ moduleId, count }) => {
    return `${moduleId.padEnd(width)}  ${countOf(count, 'release')}`;
  });
  const none = namespace === undefined ? 'no modules' : `no modules in the namespace ${namespace}`;
  return lines.length === 0 ? [none] : lines;
}

function listAsJson(modules: readonly ModuleSummary[]): string {
  return jsonLine({
    schema: 'modreg/registry-list@1',
    modules: modules.map(({ moduleId, generation, count }) => ({
      module_id: moduleId,
      generation,
      count,
    })),
  });
}
