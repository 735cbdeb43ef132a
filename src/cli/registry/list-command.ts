import { countOf } from '../../base/count.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { listModules, type CountedModule } from '../../site/module-lists.ts';
import type { ReadOptions } from '../../site/remote-lists.ts';
import { unknownNamespace } from '../../site/unknown-names.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf } from '../base/outcome.ts';

/** `modreg registry list`: shows all modules, those of a namespace, or one. */
export async function listCommand(
  named: string | undefined,
  options: ReadOptions,
  world: World,
): Promise<Outcome> {
  const found = await listModules(named, options, world);
  const isUnknown = named !== undefined && found.ok && found.value.length === 0;
  const problems = isUnknown ? await unknownNamespace(named, options, world) : [];
  return outcomeOf(found, (modules) => ({
    answer: options.json ? [listAsJson(modules)] : listLines(modules, named),
    problems,
  }));
}

function listLines(modules: readonly CountedModule[], namespace: string | undefined): string[] {
  const width = Math.max(0, ...modules.map(({ moduleId }) => moduleId.length));
  const lines = modules.map(({ moduleId, count }) => {
    return `${moduleId.padEnd(width)}  ${countOf(count, 'release')}`;
  });
  const none = namespace === undefined ? 'no modules' : `no modules in the namespace ${namespace}`;
  return lines.length === 0 ? [none] : lines;
}

function listAsJson(modules: readonly CountedModule[]): string {
  return jsonLine({
    schema: 'modreg/registry-list@1',
    modules: modules.map(({ moduleId, generation, count }) => ({
      module_id: moduleId,
      generation: generation ?? null,
      count,
    })),
  });
}
