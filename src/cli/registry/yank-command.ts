import { indexReleases, parseVersion, type ModuleId, type Secret } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { openRegistries } from '../../registries/open-registries.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import type { RegistryWriter } from '../../registry/registry-writer.ts';
import type { Catalogue } from '../../server/index.ts';
import { readReason } from '../../server/catalogue/published-release.ts';
import { jsonLine } from '../base/answer-json.ts';
import { failed, parseProblem, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { recordsIn } from '../../site/catalogue-records.ts';
import {
  changedFileNotes,
  databaseProblem,
  withCatalogue,
  withModuleId,
} from '../../site/catalogue-options.ts';
import { refusalProblem, withWriter, type ChangeOptions } from '../../site/remote-registry.ts';
import { tokensIn } from '../../host/registry-token.ts';
import { describeEffects, yankEffects, type YankEffect } from './yank-effect.ts';

/** A release, and the reason to yank it; null to unyank it. */
interface Yank {
  readonly moduleId: ModuleId;
  readonly version: string;
  readonly reason: string | null;
}

/** `modreg registry yank <module_id> <version>`; `unyank` if `reason` is null. */
export async function yankCommand(
  [moduleIdText, versionText]: readonly [string, string],
  reason: string | null,
  options: ChangeOptions,
  world: World,
): Promise<Outcome> {
  const version = parseVersion(versionText);
  if (!version.ok) return failed(parseProblem(version.error));
  const read = readReason({ reason: reason ?? '' });
  if (!read.ok) return failed(usage(`--reason: ${read.error[0]}`));
  return await withModuleId(moduleIdText, async (moduleId) => {
    const yank = { moduleId, version: version.value.text, reason };
    if (options.registry === undefined) return yankInFile(yank, options, world);
    return await withWriter(options, world, async (writer) => {
      return await yankOver(writer, yank, options, world);
    });
  });
}

function yankInFile(yank: Yank, options: ChangeOptions, world: World): Outcome {
  const { moduleId, version, reason } = yank;
  return withCatalogue(options, world, { mode: 'write', hasAddress: true }, (catalogue) => {
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
        const { effects, problems } = effectsIn(catalogue, yank);
        const notes = changedFileNotes(options, world);
        const outcome = yankedOutcome(yank, { isNew: result === 'done', effects }, options);
        return { ...outcome, notes, problems };
      }
    }
  });
}

/** The effects according to the list that the file now has; a problem if a row of the module is damaged. */
function effectsIn(
  catalogue: Catalogue,
  { moduleId, version, reason }: Yank,
): Pick<Outcome, 'problems'> & { readonly effects: readonly YankEffect[] } {
  try {
    const records = reason === null ? [] : recordsIn(catalogue, moduleId);
    const effects = reason === null ? [] : yankEffects(indexReleases(records), version);
    return { effects, problems: [] };
  } catch (error) {
    const problem = {
      ...databaseProblem(error),
      hint: `${moduleId} ${version} is yanked, but machines get no list of ${moduleId} until the row is repaired: modreg registry restore <folder> --replace restores a backup`,
    };
    return { effects: [], problems: [problem] };
  }
}

async function yankOver(
  writer: RegistryWriter,
  yank: Yank,
  options: ChangeOptions,
  world: World,
): Promise<Outcome> {
  const { moduleId, version, reason } = yank;
  const result = await writer.yank(moduleId, version, reason);
  if (result.kind !== 'done') return failed(refusalProblem(result));
  const effects = reason === null ? [] : await effectsOver(yank, options, world);
  return yankedOutcome(yank, { isNew: true, effects }, options);
}

/** The effects according to the list that the registry now serves; none if it cannot be read. */
async function effectsOver(
  { moduleId, version }: Yank,
  { registry }: ChangeOptions,
  world: World,
): Promise<YankEffect[]> {
  const tokens = tokensIn(world, registry);
  const token = (url: URL): Secret | undefined => {
    const read = tokens(url);
    return read.ok ? read.value.token : undefined;
  };
  const opened = openRegistries({ token }).open({ registry });
  if (!opened.ok) return [];
  try {
    const { records } = await opened.value.read(moduleId);
    return yankEffects(indexReleases(records), version);
  } catch (error) {
    // The release is yanked in any case, which is what the command says.
    if (error instanceof RegistryError) return [];
    throw error;
  }
}

function yankedOutcome(
  { moduleId, version, reason }: Yank,
  { isNew, effects }: { readonly isNew: boolean; readonly effects: readonly YankEffect[] },
  options: ChangeOptions,
): Outcome {
  const json = jsonLine({
    schema: 'modreg/registry-yank@1',
    module_id: moduleId,
    version,
    yanked: reason,
    on_yank: effects.map(({ constraint, to }) => ({ constraint, ...to })),
  });
  const state = reason === null ? 'not yanked' : `yanked${reason && `: ${excerpt(reason)}`}`;
  const line = `${moduleId} ${version} is${isNew ? '' : ' already'} ${state}`;
  const lines = [line, ...describeEffects(effects, version)];
  return { answer: options.json ? [json] : lines, notes: [], problems: [] };
}
