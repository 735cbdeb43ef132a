import { excerpt } from '../../core/text/quote.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { ChangeOptions } from '../../site/remote-registry.ts';
import type { SigningOptions } from '../../site/signing.ts';
import { withNearest } from '../../site/unknown-release.ts';
import { yankRelease, type Yank, type Yanked } from '../../site/yank.ts';
import type { YankEffect } from '../../site/yank-effect.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { readMarked } from './marked-release.ts';
import { changedFileNotes } from './changed-file-notes.ts';

/** `modreg registry yank <module_id> <version>`; `unyank` if `reason` is null. */
export async function yankCommand(
  [moduleIdText, versionText]: readonly [string, string],
  reason: string | null,
  options: ChangeOptions & SigningOptions & AnswerOptions,
  world: World,
): Promise<Outcome> {
  const named = readMarked([moduleIdText, versionText], reason);
  if (!named.ok) return failed(named.error);
  const yank = named.value;
  const done = await yankRelease(yank, options, world);
  const typed = { module: moduleIdText, version: yank.version };
  return outcomeOf(await withNearest(done, typed, options, world), (yanked) => ({
    answer: options.json ? [yankAsJson(yank, yanked)] : yankLines(yank, yanked),
    notes: changedFileNotes(options, world),
    problems: yanked.problems,
  }));
}

function yankAsJson({ moduleId, version, reason }: Yank, { effects }: Yanked): string {
  return jsonLine({
    schema: 'modreg/registry-yank@1',
    module_id: moduleId,
    version,
    yanked: reason,
    on_yank: effects.map(({ constraint, to }) => ({ constraint, ...to })),
  });
}

function yankLines({ moduleId, version, reason }: Yank, { isNew, effects }: Yanked): string[] {
  const state = reason === null ? 'not yanked' : `yanked${reason && `: ${excerpt(reason)}`}`;
  const line = `${moduleId} ${version} is${isNew ? '' : ' already'} ${state}`;
  return [line, ...describeEffects(effects, version)];
}

/** One line for each value of `on_yank`. */
function describeEffects(effects: readonly YankEffect[], version: string): string[] {
  const describe = (value: 'keep' | 'replace'): string =>
    effects
      .map(({ constraint, to }) =>
        to[value] === version ? `${constraint} keeps it` : `${constraint} moves to ${to[value]}`,
      )
      .join(', ');
  if (effects.length === 0) return [];
  const rollouts = effects.flatMap(({ inRollout: found }) =>
    found ? `${found.version} (${found.stage})` : [],
  );
  return [
    `  machines with ${version}, by the policy field on_yank:`,
    `    keep (default)  ${describe('keep')}`,
    `    replace         ${describe('replace')}`,
    `    a pin to ${version} keeps it in either case`,
    ...[...new Set(rollouts)].map(
      (of) => `    machines in the rollout of ${of} may have that instead`,
    ),
  ];
}
