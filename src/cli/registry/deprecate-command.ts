import { excerpt } from '../../core/text/quote.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { deprecateRelease, type Deprecation } from '../../site/deprecate.ts';
import { withNearest } from '../../site/unknown-release.ts';
import type { ChangeOptions } from '../../site/remote-registry.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { changedFileNotes } from './changed-file-notes.ts';
import { readMarked } from './marked-release.ts';

/** `modreg registry deprecate <module_id> <version>`; `undeprecate` if `reason` is null. */
export async function deprecateCommand(
  named: readonly [moduleId: string, version: string],
  reason: string | null,
  options: ChangeOptions & AnswerOptions,
  world: World,
): Promise<Outcome> {
  const read = readMarked(named, reason);
  if (!read.ok) return failed(read.error);
  const deprecation = read.value;
  const done = await deprecateRelease(deprecation, options, world);
  const typed = { module: deprecation.moduleId, version: deprecation.version };
  return outcomeOf(await withNearest(done, typed, options, world), (isNew) => ({
    answer: [options.json ? asJson(deprecation) : lineOf(deprecation, isNew)],
    notes: changedFileNotes(options, world),
    problems: [],
  }));
}

function asJson({ moduleId, version, reason }: Deprecation): string {
  const schema = 'modreg/registry-deprecate@1';
  return jsonLine({ schema, module_id: moduleId, version, deprecated: reason });
}

function lineOf({ moduleId, version, reason }: Deprecation, isNew: boolean): string {
  const state =
    reason === null ? 'not deprecated' : `deprecated${reason && `: ${excerpt(reason)}`}`;
  return `${moduleId} ${version} is${isNew ? '' : ' already'} ${state}`;
}
