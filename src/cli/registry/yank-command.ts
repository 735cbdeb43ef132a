import { parseVersion, type ModuleId } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Catalogue } from '../../server/index.ts';
import { readReason } from '../../server/published-release.ts';
import { jsonLine } from '../output/answer-json.ts';
import { parseProblem, type Outcome } from '../problem.ts';
import type { World } from '../world.ts';
import { describeEffects, yankEffects } from './yank-effect.ts';
import { failed, withCatalogue, withModuleId, type CatalogueOptions } from './catalogue-options.ts';

/** `modreg registry yank <module_id> <version>`; `unyank` if `reason` is null. */
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
      const effects = reason === null ? [] : yankEffects(catalogue, moduleId, version);
      const json = jsonLine({
        schema: 'modreg/registry-yank@1',
        module_id: moduleId,
        version,
        yanked: reason,
        on_yank: effects.map(({ constraint, to }) => ({ constraint, ...to })),
      });
      const state = reason === null ? 'not yanked' : `yanked${reason && `: ${excerpt(reason)}`}`;
      const before = result === 'unchanged' ? ' already' : '';
      const line = `${moduleId} ${version} is${before} ${state}`;
      const lines = [line, ...describeEffects(effects, version)];
      return { answer: options.json ? [json] : lines, notes: [], problems: [] };
    }
  }
}
