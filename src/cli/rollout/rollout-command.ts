import { parseVersion, type ModuleId } from '../../core/index.ts';
import { isJsonObject, type JsonObject } from '../../registry/formats/json-object.ts';
import type { RegistryWriter } from '../../registry/registry-writer.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { checkedAnswer } from '../../site/checked-answer.ts';
import { withFleet, type FleetOptions } from '../../site/fleet-options.ts';
import { wholeNumber } from '../base/number-option.ts';
import { jsonLine } from '../base/answer-json.ts';
import { failed, parseProblem, usage, type Outcome } from '../../base/problem.ts';
import { withModuleId } from '../../site/catalogue-options.ts';
import { namedRegistry } from '../../host/registry-choice.ts';
import { readSoak } from '../../site/release-options.ts';
import { refusalProblem, withWriter } from '../../site/remote-registry.ts';
import type { World } from '../../base/world.ts';
import { isRolloutAnswer, type RolloutAnswer } from '../../site/rollout-answer.ts';
import { damagedRollout } from '../../site/damaged-rollout.ts';
import { startedLine, statusLines } from './rollout-words.ts';

/** The release of a command, as typed. */
type Typed = readonly [moduleId: string, version: string];

export interface RolloutOptions extends FleetOptions {
  readonly soak?: string;
  readonly reason?: string;
  readonly failures?: string;
  readonly to?: string;
}

/** The body of a request, or why there is none. `known` is the rollout now. */
type Change = (known: RolloutAnswer) => object | Outcome;

/** `modreg rollout start`: starts the rollout of a yanked release. */
export async function startCommand(
  typed: Typed,
  options: RolloutOptions,
  world: World,
): Promise<Outcome> {
  const soak = readSoak(options.soak);
  if (!soak.ok) return failed(soak.error);
  return await withRelease(typed, options, world, async (writer, moduleId, version) => {
    const body = JSON.stringify({ event: 'start', ...soak.value });
    const result = await writer.rollout(moduleId, version, body);
    if (result.kind !== 'done') return failed(refusalProblem(result));
    return answered(result.json, options, (rollout) => [startedLine(rollout)]);
  });
}

/** `modreg rollout status`: one rollout, or a line for each of a module, or of all. */
export async function statusCommand(
  [moduleId, version]: readonly [string | undefined, string | undefined],
  options: RolloutOptions,
  world: World,
): Promise<Outcome> {
  if (moduleId === undefined) return await listedRollouts(undefined, options, world);
  if (version === undefined) {
    return await withModuleId(moduleId, async (id) => await listedRollouts(id, options, world));
  }
  return await withRelease([moduleId, version], options, world, async (writer, id, text) => {
    const result = await writer.rollout(id, text);
    if (result.kind !== 'done') return failed(refusalProblem(result));
    return answered(result.json, options, statusLines);
  });
}

/** The rollouts of a module, or of all. */
async function listedRollouts(
  moduleId: ModuleId | undefined,
  options: RolloutOptions,
  world: World,
): Promise<Outcome> {
  return await withFleet(options, world, async (client) => {
    const read = await client.read('/rollouts');
    const listed = (name: 'rollouts' | 'damaged'): JsonObject[] => {
      const list = Array.isArray(read[name]) ? read[name].filter(isJsonObject) : [];
      return list.filter((one) => moduleId === undefined || one['module_id'] === moduleId);
    };
    const [rollouts, damaged] = [listed('rollouts'), listed('damaged')];
    const json = jsonLine({ schema: 'modreg/rollouts@1', rollouts, damaged });
    const none = `no release${moduleId === undefined ? '' : ` of ${moduleId}`} is or was in a rollout`;
    const lines = rollouts.length + damaged.length === 0 ? [none] : rollouts.map(listedLine);
    const problems = damaged.map(({ module_id: id, version }) =>
      damagedRollout({ moduleId: String(id), version: String(version) }),
    );
    return { answer: options.json ? [json] : lines, notes: [], problems };
  });
}

function listedLine({ module_id: id, version, status, percent, yanked }: JsonObject): string {
  const release = `${excerpt(String(id))} ${excerpt(String(version))}`;
  const isYanked = typeof yanked === 'string';
  return `${release}: ${excerpt(String(status))} at ${Number(percent)} %${isYanked ? ', yanked' : ''}`;
}

/** `modreg rollout halt`: no further machine installs the release. */
export async function haltCommand(
  typed: Typed,
  options: RolloutOptions,
  world: World,
): Promise<Outcome> {
  const { reason = '' } = options;
  return await changed(typed, options, world, () => ({ event: 'halt', reason }));
}

/** `modreg rollout retract`: ends the rollout, and no further machine upgrades to the release. */
export async function retractCommand(
  typed: Typed,
  options: RolloutOptions,
  world: World,
): Promise<Outcome> {
  const { reason = '' } = options;
  return await changed(typed, options, world, () => ({ event: 'retract', reason }));
}

const MOST_FAILURES = 9_999_999;
const NO_FAILURES =
  '--failures is missing: pass how many machines failed or became silent, as modreg rollout status shows it';

/** `modreg rollout resume`: goes on with a halted rollout, and names the number of failures that were seen. */
export async function resumeCommand(
  typed: Typed,
  options: RolloutOptions,
  world: World,
): Promise<Outcome> {
  const { failures: text } = options;
  if (text === undefined) return failed(usage(NO_FAILURES));
  const typedFailures = wholeNumber('--failures', text, MOST_FAILURES);
  if (!typedFailures.ok) return failed(typedFailures.error);
  return await changed(typed, options, world, ({ machines, ...rollout }) => {
    const seen = machines.failed + machines.silent;
    if (typedFailures.value !== seen) {
      const message = `--failures is ${typedFailures.value}, but ${seen} machines failed or became silent`;
      const hint = `look at them with modreg rollout status ${excerpt(rollout.module_id)} ${excerpt(rollout.version)}, then pass --failures ${seen}`;
      return failed({ severity: 'error', kind: 'rollout-conflict', message, hint });
    }
    const { failed: failures, silent } = machines;
    return { event: 'resume', acknowledged: { failed: failures, silent } };
  });
}

/** `modreg rollout raise`: takes the next step now, or one up to a percentage. */
export async function raiseCommand(
  typed: Typed,
  options: RolloutOptions,
  world: World,
): Promise<Outcome> {
  const { to } = options;
  if (to !== undefined && !/^([1-9]\d?|100)$/.test(to)) {
    return failed(usage(`--to is ${quote(to)}, expected a whole number from 1 to 100`));
  }
  const percent = to === undefined ? undefined : Number(to);
  return await changed(typed, options, world, () => ({ event: 'raise', percent }));
}

/** Reads a rollout and changes it. If it has changed in between, the registry refuses that. */
async function changed(
  typed: Typed,
  options: RolloutOptions,
  world: World,
  change: Change,
): Promise<Outcome> {
  return await withRelease(typed, options, world, async (writer, moduleId, version) => {
    const before = await writer.rollout(moduleId, version);
    if (before.kind !== 'done') return failed(refusalProblem(before));
    const known = checkedAnswer(before.json, isRolloutAnswer);
    const body = change(known);
    if (isOutcome(body)) return body;
    const after = known.sequence;
    const result = await writer.rollout(moduleId, version, JSON.stringify({ ...body, after }));
    if (result.kind !== 'done') return failed(refusalProblem(result));
    return answered(result.json, options, statusLines);
  });
}

function isOutcome(body: object): body is Outcome {
  return Object.hasOwn(body, 'problems');
}

async function withRelease(
  [moduleText, versionText]: Typed,
  options: RolloutOptions,
  world: World,
  work: (writer: RegistryWriter, moduleId: ModuleId, version: string) => Promise<Outcome>,
): Promise<Outcome> {
  const version = parseVersion(versionText);
  if (!version.ok) return failed(parseProblem(version.error));
  const registry = namedRegistry(options, world);
  if (registry === undefined) {
    const hint = 'name it with --registry, or MODREG_REGISTRY';
    const message = 'no registry is named that has the rollout';
    return failed({ severity: 'error', kind: 'no-registry', message, hint });
  }
  return await withModuleId(
    moduleText,
    async (moduleId) =>
      await withWriter(
        { registry },
        world,
        async (writer) => await work(writer, moduleId, version.value.text),
      ),
  );
}

function answered(
  json: JsonObject,
  options: RolloutOptions,
  lines: (rollout: RolloutAnswer) => string[],
): Outcome {
  const answer = options.json
    ? [jsonLine({ schema: 'modreg/rollout@1', ...json })]
    : lines(checkedAnswer(json, isRolloutAnswer));
  return { answer, notes: [], problems: [] };
}
