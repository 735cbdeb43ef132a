import type { ModuleSummary } from '../../server/catalogue-results.ts';
import { jsonLine } from '../output/answer-json.ts';
import { countOf } from '../output/count.ts';
import type { Outcome } from '../problem.ts';
import type { World } from '../world.ts';
import { withCatalogue, type CatalogueOptions } from './catalogue-options.ts';

/** `modreg registry list`: shows the published modules. */
export function listCommand(
  namespace: string | undefined,
  options: CatalogueOptions,
  world: World,
): Outcome {
  return withCatalogue(options, world, { mode: 'read' }, (catalogue) => {
    const modules = catalogue.summaries(namespace);
    return {
      answer: options.json ? [listAsJson(modules)] : listLines(modules),
      notes: [],
      problems: [],
    };
  });
}

function listLines(modules: readonly ModuleSummary[]): string[] {
  const width = Math.max(0, ...modules.map(({ moduleId }) => moduleId.length));
  const lines = modules.map(({ moduleId, count }) => {
    return `${moduleId.padEnd(width)}  ${countOf(count, 'release')}`;
  });
  return lines.length === 0 ? ['no modules'] : lines;
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
