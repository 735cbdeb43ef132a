import type { Catalogue } from '../../server/index.ts';
import { parseVersion, type ModuleId } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { ModuleSummary } from '../../server/catalogue-results.ts';
import { readReason } from '../../server/published-release.ts';
import { jsonLine } from '../output/answer-json.ts';
import { parseProblem, type Outcome } from '../problem.ts';
import { failed, withCatalogue, withModuleId, type CatalogueOptions } from './catalogue-options.ts';
import type { World } from '../world.ts';

/** `modreg registry yank <module_id> <version>`, and back where `reason` is null. */
export function yankCommand(
  [moduleIdText, versionText]: readonly [string, string],
  reason: string | null,
  options: CatalogueOptions,
  world: World,
): Outcome {
  const version = parseVersion(versionText);
  if (!version.ok) return failed(parseProblem(version.error));
  const read = readReason({ reason: reason ?? '' });
  if (!read.ok)
    return failed({ severity: 'error', kind: 'usage', message: `--reason: ${read.error[0]}` });
  return withModuleId(moduleIdText, (moduleId) =>
    withCatalogue(options, world, { mode: 'write' }, (catalogue) =>
      yanked(catalogue, { moduleId, version: version.value.text, reason }, options),
    ),
  );
}

/** `modreg registry list`: the modules that there are. */
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

/** `modreg registry token create`: a token, printed this once. */
export function tokenCommand(options: CatalogueOptions, world: World): Outcome {
  return withCatalogue(options, world, { mode: 'create' }, (catalogue) => {
    const token = catalogue.createToken(world.clock());
    const json = jsonLine({ schema: 'modreg/registry-token@1', token });
    const notes = options.json ? [] : ['note: this is the only time that the token is shown'];
    return { answer: [options.json ? json : token], notes, problems: [] };
  });
}

function yanked(
  catalogue: Catalogue,
  { moduleId, version, reason }: { moduleId: ModuleId; version: string; reason: string | null },
  options: CatalogueOptions,
): Outcome {
  const result = catalogue.yank(moduleId, version, reason);
  switch (result) {
    case 'unknown-module':
      return failed({
        severity: 'error',
        kind: result,
        message: `nothing was ever published for ${moduleId}`,
      });
    case 'unknown-version':
      return failed({
        severity: 'error',
        kind: result,
        message: `${moduleId} has no version ${version}`,
      });
    case 'done':
    case 'unchanged': {
      const json = jsonLine({
        schema: 'modreg/registry-yank@1',
        module_id: moduleId,
        version,
        yanked: reason,
      });
      const state = reason === null ? 'not yanked' : `yanked${reason && `: ${excerpt(reason)}`}`;
      const before = result === 'unchanged' ? ' already' : '';
      const line = `${moduleId} ${version} is${before} ${state}`;
      return { answer: [options.json ? json : line], notes: [], problems: [] };
    }
  }
}

function listLines(modules: readonly ModuleSummary[]): string[] {
  const width = Math.max(0, ...modules.map(({ moduleId }) => moduleId.length));
  const lines = modules.map(({ moduleId, count }) => {
    return `${moduleId.padEnd(width)}  ${count} release${count === 1 ? '' : 's'}`;
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
