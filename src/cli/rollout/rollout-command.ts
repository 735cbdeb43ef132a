import type { Result } from '../../core/index.ts';
import { describeStage } from '../../core/rollout/stage.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { JsonObject } from '../../registry/formats/json-object.ts';
import { namedRegistry } from '../../host/registry-choice.ts';
import { damagedRollout } from '../../site/damaged-rollout.ts';
import type { FleetOptions } from '../../site/fleet-options.ts';
import { readFirst, readSoak } from '../../site/release-options.ts';
import {
  acknowledging,
  asking,
  changeRollout,
  listRollouts,
  rolloutAt,
  startRollout,
  type Change,
  type TypedRelease,
} from '../../site/remote-rollouts.ts';
import type { RolloutAnswer } from '../../site/rollout-answer.ts';
import { withNearest } from '../../site/unknown-release.ts';
import { unknownNames } from '../../site/unknown-names.ts';
import { jsonLine } from '../base/answer-json.ts';
import { wholeNumber } from '../base/number-option.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { startedLine, statusLines } from './rollout-words.ts';

export interface RolloutOptions extends FleetOptions, AnswerOptions {
  readonly soak?: string;
  readonly first?: string;
  readonly reason?: string;
  readonly failures?: string;
  readonly to?: string;
}

/** `modreg rollout start`: starts the rollout of a yanked release. */
export async function startCommand(
  typed: TypedRelease,
  options: RolloutOptions,
  world: World,
): Promise<Outcome> {
  const soak = readSoak(options.soak);
  if (!soak.ok) return failed(soak.error);
  const first = readFirst(options.first);
  if (!first.ok) return failed(first.error);
  const terms = { ...soak.value, ...first.value };
  const started = await startRollout(typed, terms, options, world);
  return answered(await nearest(started, typed, options, world), options, (rollout) => [
    startedLine(rollout),
  ]);
}

/** `modreg rollout status`: one rollout, or a line for each of a module, or of all. */
export async function statusCommand(
  [moduleId, version]: readonly [string | undefined, string | undefined],
  options: RolloutOptions,
  world: World,
): Promise<Outcome> {
  if (moduleId === undefined || version === undefined) {
    return await listCommand(moduleId, options, world);
  }
  const typed = [moduleId, version] as const;
  const found = await rolloutAt(typed, options, world);
  return answered(await nearest(found, typed, options, world), options, statusLines);
}

async function listCommand(
  moduleText: string | undefined,
  options: RolloutOptions,
  world: World,
): Promise<Outcome> {
  const listed = await listRollouts(moduleText, options, world);
  const isEmpty = listed.ok && listed.value.rollouts.length + listed.value.damaged.length === 0;
  const unknown = await unknownNames(isEmpty ? { moduleId: moduleText } : {}, options, world);
  return outcomeOf(listed, ({ moduleId, rollouts, damaged }) => {
    const json = jsonLine({ schema: 'modreg/rollouts@1', rollouts, damaged });
    const none = `no release${moduleId === undefined ? '' : ` of ${moduleId}`} is or was in a rollout`;
    const lines = rollouts.length + damaged.length === 0 ? [none] : rollouts.map(listedLine);
    const problems = damaged.map(({ module_id: id, version }) =>
      damagedRollout({ moduleId: String(id), version: String(version) }),
    );
    return { answer: options.json ? [json] : lines, problems: [...problems, ...unknown] };
  });
}

function listedLine(rollout: JsonObject): string {
  const { module_id: id, version, status, percent, groups, yanked, machines, next } = rollout;
  const known = Array.isArray(groups) ? groups.map(String) : [];
  const stage = excerpt(describeStage({ percent: Number(percent), groups: known }));
  const release = `${excerpt(String(id))} ${excerpt(String(version))}`;
  const isYanked = typeof yanked === 'string';
  const { reason } = Object(next) as { readonly reason?: unknown };
  const state = reason === 'failing' ? 'failing' : excerpt(String(status));
  const counts = Object(machines) as Readonly<Record<string, unknown>>;
  const troubles = ['failed', 'silent'].flatMap((word) =>
    Number(counts[word]) > 0 ? [`${Number(counts[word])} ${word}`] : [],
  );
  if (isYanked) troubles.push('yanked');
  return [`${release}: ${state} at ${stage}`, ...troubles].join(', ');
}

const MOST_FAILURES = 9_999_999;
const NO_FAILURES =
  '--failures is missing: pass how many machines failed or became silent, as modreg rollout status shows it';

/** A change of a rollout that is there. */
export type ChangeName = 'halt' | 'resume' | 'raise' | 'retract';

/** `modreg rollout halt`, `resume`, `raise` and `retract`. */
export async function changeCommand(
  name: ChangeName,
  typed: TypedRelease,
  options: RolloutOptions,
  world: World,
): Promise<Outcome> {
  const change = changeOf(name, options);
  if (!change.ok) return failed(change.error);
  const changed = await changeRollout(typed, change.value, options, world);
  return answered(await nearest(changed, typed, options, world), options, statusLines);
}

function changeOf(
  event: ChangeName,
  { reason = '', to, failures: seen }: RolloutOptions,
): Result<Change, Problem> {
  if (event === 'halt' || event === 'retract')
    return { ok: true, value: asking({ event, reason }) };
  if (event === 'resume' && seen === undefined) return { ok: false, error: usage(NO_FAILURES) };
  if (to !== undefined && !/^([1-9]\d?|100)$/.test(to)) {
    const message = `--to is ${quote(to)}, expected a whole number from 1 to 100`;
    return { ok: false, error: usage(message) };
  }
  const change = { event, ...(to !== undefined && { percent: Number(to) }) };
  if (seen === undefined) return { ok: true, value: asking(change) };
  const failures = wholeNumber('--failures', seen, MOST_FAILURES);
  return failures.ok ? { ok: true, value: acknowledging(failures.value, change) } : failures;
}

/** With the nearest name, if the registry does not have the release. */
async function nearest(
  rollout: Result<RolloutAnswer, Problem>,
  [module, version]: TypedRelease,
  options: RolloutOptions,
  world: World,
): Promise<Result<RolloutAnswer, Problem>> {
  const registry = namedRegistry(options, world);
  if (registry === undefined) return rollout;
  return await withNearest(rollout, { module, version }, { registry }, world);
}

function answered(
  rollout: Result<RolloutAnswer, Problem>,
  { json }: AnswerOptions,
  lines: (rollout: RolloutAnswer) => string[],
): Outcome {
  return outcomeOf(rollout, (value) => ({
    answer: json ? [jsonLine({ schema: 'modreg/rollout@1', ...value })] : lines(value),
  }));
}
