import type { ModuleId, Result } from '../core/index.ts';
import { excerpt } from '../core/text/quote.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { namedRegistry } from '../host/registry-choice.ts';
import { isJsonObject, type JsonObject } from '../registry/formats/json-object.ts';
import type { RegistryWriter } from '../registry/registry-writer.ts';
import { checkedAnswer } from './checked-answer.ts';
import { noRegistry, withFleet, type FleetOptions } from './fleet-options.ts';
import { moduleIdIn, versionIn } from './named-release.ts';
import { refusalProblem, withWriter } from './remote-registry.ts';
import { rolloutAnswer, type RolloutAnswer } from './rollout-answer.ts';

/** A module_id and a version, as texts. */
export type TypedRelease = readonly [moduleId: string, version: string];

type Rollout = Promise<Result<RolloutAnswer, Problem>>;

/** The rollouts of a registry, as it describes them. */
export interface ListedRollouts {
  readonly moduleId: ModuleId | undefined;
  readonly rollouts: readonly JsonObject[];
  readonly damaged: readonly JsonObject[];
}

/** The rollouts of a module, or of all. */
export async function listRollouts(
  moduleText: string | undefined,
  options: FleetOptions,
  world: World,
): Promise<Result<ListedRollouts, Problem>> {
  const moduleId = moduleText === undefined ? undefined : moduleIdIn(moduleText);
  if (moduleId?.ok === false) return moduleId;
  return await withFleet(options, world, async (client) => {
    const read = await client.read('/rollouts');
    const id = moduleId?.value;
    const listed = (name: 'rollouts' | 'damaged'): JsonObject[] => {
      const list = Array.isArray(read[name]) ? read[name].filter(isJsonObject) : [];
      return list.filter((one) => id === undefined || one['module_id'] === id);
    };
    const value = { moduleId: id, rollouts: listed('rollouts'), damaged: listed('damaged') };
    return { ok: true, value };
  });
}

/** The rollout of a release. */
export async function rolloutAt(typed: TypedRelease, options: FleetOptions, world: World): Rollout {
  return await withRelease(typed, options, world, (ask) => ask());
}

/** Starts the rollout of a yanked release. */
export async function startRollout(
  typed: TypedRelease,
  terms: { readonly soak_ms?: number; readonly first?: readonly string[] },
  options: FleetOptions,
  world: World,
): Rollout {
  return await withRelease(typed, options, world, (ask) => ask({ event: 'start', ...terms }));
}

/** The body of a request about a rollout, which is known as it is now. */
export type Change = (known: RolloutAnswer) => Result<object, Problem>;

/** The change whose body does not depend on what is known. */
export function asking(value: object): Change {
  return () => ({ ok: true, value });
}

/** Reads a rollout and changes it. If it has changed in between, the registry refuses that. */
export async function changeRollout(
  typed: TypedRelease,
  change: Change,
  options: FleetOptions,
  world: World,
): Rollout {
  return await withRelease(typed, options, world, async (ask) => {
    const known = await ask();
    if (!known.ok) return known;
    const body = change(known.value);
    return body.ok ? await ask({ ...body.value, after: known.value.sequence }) : body;
  });
}

/** Resumes or raises a rollout for a person who saw this number of failures. */
export function acknowledging(failures: number, change: object): Change {
  return ({ machines: { failed, silent }, module_id: id, version }) => {
    const seen = failed + silent;
    if (failures === seen) {
      return { ok: true, value: { ...change, acknowledged: { failed, silent } } };
    }
    const message = `--failures is ${failures}, but ${seen} machines failed or became silent`;
    const hint = `look at them with modreg rollout status ${excerpt(id)} ${excerpt(version)}, then pass --failures ${seen}`;
    return { ok: false, error: { severity: 'error', kind: 'rollout-conflict', message, hint } };
  };
}

/** Asks about the rollout of a release, or changes it. */
type Ask = (change?: object) => Rollout;

async function withRelease(
  [moduleText, versionText]: TypedRelease,
  options: FleetOptions,
  world: World,
  work: (ask: Ask) => Rollout,
): Rollout {
  const version = versionIn(versionText);
  if (!version.ok) return version;
  const registry = namedRegistry(options, world);
  if (registry === undefined) return { ok: false, error: noRegistry('has the rollout') };
  const moduleId = moduleIdIn(moduleText);
  if (!moduleId.ok) return moduleId;
  const { text } = version.value;
  return await withWriter({ registry }, world, async (writer) => {
    return await work((change) => asked(writer, [moduleId.value, text], change));
  });
}

async function asked(
  writer: RegistryWriter,
  [moduleId, version]: readonly [ModuleId, string],
  change: object | undefined,
): Rollout {
  const result = await writer.rollout(moduleId, version, change && JSON.stringify(change));
  if (result.kind !== 'done') return { ok: false, error: refusalProblem(result) };
  return { ok: true, value: checkedAnswer(result.json, rolloutAnswer) };
}
