import { parseModuleId, type Result } from '../core/index.ts';
import { nameOf, namespaceOf } from '../core/releases/module-id.ts';
import { GROUP_FORM, isGroup } from '../core/rollout/group.ts';
import { quote } from '../core/text/quote.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import type { FleetClient } from '../registry/fleet-client.ts';
import {
  fleetCountsAnswer,
  fleetFailures,
  moduleOutcomes,
  type FleetCounts,
  type FleetFailures,
  type ModuleOutcomes,
} from '../registry/fleet-documents.ts';
import { isJsonObject, type JsonObject } from '../registry/formats/json-object.ts';
import { checkedAnswer } from './checked-answer.ts';
import { withFleet, type FleetOptions } from './fleet-options.ts';
import { moduleIdIn, versionIn } from './named-release.ts';
import { unknownAt } from './unknown-release.ts';

/** Which machines are asked for. An absent field restricts nothing. */
interface WantedMachines {
  readonly module?: string | undefined;
  readonly version?: string | undefined;
  readonly group?: string;
  readonly stuck?: true;
  /** Those on which something fails. */
  readonly failing?: true;
  /** Those that are not heard (D218): for longer than their interval, or for as long as the registry says. */
  readonly quiet?: true;
  readonly silent?: true;
  /** Those that are retired, which are listed nowhere else. */
  readonly retired?: true;
  /** The most that are listed. */
  readonly limit: number;
}

/** Machines as the registry describes them. */
export interface FoundMachines {
  readonly machines: readonly JsonObject[];
  /** Those that refuse documents and have never reported (D480), where all machines are asked for. */
  readonly unreported: readonly JsonObject[];
  /** How many more of those there are. */
  readonly unreportedLeftOut: number;
  readonly hasMore: boolean;
}

/** Counts machines by module, version and decision. */
export async function fleetCounts(
  options: FleetOptions,
  world: World,
): Promise<Result<FleetCounts, Problem>> {
  return await withFleet(options, world, async (client) => {
    return { ok: true, value: checkedAnswer(await client.read(''), fleetCountsAnswer) };
  });
}

/** What failed in the last milliseconds, and what is tried again now, of all modules or those of a namespace (D369). */
export async function failuresOfFleet(
  { namespace, module, version, sinceMs }: WantedFailures,
  options: FleetOptions,
  world: World,
): Promise<Result<FleetFailures, Problem>> {
  const problem = namespaceProblem(namespace, module) ?? problemOf({ module, version });
  if (problem) return { ok: false, error: problem };
  return await withFleet(options, world, async (client) => {
    const query = new URLSearchParams({ seconds: `${Math.ceil(sinceMs / 1000)}` });
    if (module !== undefined) query.set('module', module);
    if (version !== undefined) query.set('version', version);
    if (namespace !== undefined) query.set('namespace', namespace);
    const answer = checkedAnswer(await client.read(`/failures?${query.toString()}`), fleetFailures);
    if (namespace === undefined) return { ok: true, value: answer };
    // An earlier registry does not know this parameter, and answers all.
    const failures = answer.failures.filter(({ module_id: id }) => id.startsWith(`${namespace}:`));
    return { ok: true, value: { ...answer, failures } };
  });
}

interface WantedFailures extends Pick<WantedMachines, 'module' | 'version'> {
  readonly namespace?: string | undefined;
  readonly sinceMs: number;
}

function namespaceProblem(
  namespace: string | undefined,
  module: string | undefined,
): Problem | undefined {
  if (namespace === undefined) return undefined;
  if (module !== undefined) return usage('--namespace and a module id: name one of both');
  if (parseModuleId(`${namespace}:x`).ok) return undefined;
  return usage(`--namespace: ${quote(namespace)} is not the namespace of a module, such as acme`);
}

/** What became of a module on the machines of a registry. */
export async function outcomesOfModule(
  { module, version, sinceMs }: { module: string; version: string | undefined; sinceMs: number },
  options: FleetOptions,
  world: World,
): Promise<Result<ModuleOutcomes, Problem>> {
  const moduleId = moduleIdIn(module);
  if (!moduleId.ok) return moduleId;
  const fault = problemOf({ version });
  if (fault) return { ok: false, error: fault };
  return await withFleet(options, world, async (client, registry) => {
    const query = new URLSearchParams({ seconds: `${Math.ceil(sinceMs / 1000)}` });
    if (version !== undefined) query.set('version', version);
    const of = `${namespaceOf(moduleId.value)}/${nameOf(moduleId.value)}`;
    const answer = await client.read(`/modules/${of}/outcomes?${query.toString()}`);
    const value = checkedAnswer(answer, moduleOutcomes);
    const isEmpty = value.outcomes.length === 0;
    const unknown = isEmpty && (await unknownAt(registry.href, { module, version }, world));
    return unknown ? { ok: false, error: unknown } : { ok: true, value };
  });
}

const OF_PAGE = 1000;

/** The machines of a fleet, each with its modules that match. */
export async function fleetMachines(
  wanted: WantedMachines,
  options: FleetOptions,
  world: World,
): Promise<Result<FoundMachines, Problem>> {
  const wrong = problemOf(wanted);
  if (wrong) return { ok: false, error: wrong };
  return await withFleet(options, world, async (client) => {
    const { limit } = wanted;
    const found = await listed(client, wanted, limit + 1);
    const machines = found.machines.slice(0, limit);
    const unreported = found.unreported.slice(0, limit);
    const leftOut = found.unreportedLeftOut + found.unreported.length - unreported.length;
    const hasMore = found.machines.length > limit;
    return { ok: true, value: { machines, unreported, unreportedLeftOut: leftOut, hasMore } };
  });
}

/** What a machine reports in place of a version. */
const NO_VERSION: ReadonlySet<string> = new Set(['none', 'unknown']);

/** Why no machine could match. */
function problemOf({
  module,
  version,
  group,
  quiet,
  silent,
}: Omit<WantedMachines, 'limit'>): Problem | undefined {
  if (quiet && silent) return usage('--quiet and --silent: a machine is one of both');
  const moduleId = module === undefined ? undefined : moduleIdIn(module);
  if (moduleId?.ok === false) return moduleId.error;
  if (group !== undefined && !isGroup(group)) {
    return usage(`--group: ${quote(group)} is not ${GROUP_FORM}`);
  }
  if (version === undefined || NO_VERSION.has(version)) return undefined;
  const parsed = versionIn(version);
  return parsed.ok ? undefined : parsed.error;
}

function hasFailing({ modules }: JsonObject): boolean {
  return Array.isArray(modules) && modules.some((one) => isJsonObject(Object(one).failing));
}

/** At most `most` machines, page by page. */
async function listed(
  client: FleetClient,
  { module, version, group, stuck, failing, quiet, silent, retired }: WantedMachines,
  most: number,
): Promise<Omit<FoundMachines, 'hasMore'>> {
  const found: JsonObject[] = [];
  const neverReported: JsonObject[] = [];
  let leftOut = 0;
  const presence = silent ? 'silent' : quiet && 'quiet';
  let after = '';
  while (found.length < most) {
    const limit = Math.min(OF_PAGE, most - found.length);
    const query = new URLSearchParams({ after, limit: `${limit}` });
    if (module !== undefined) query.set('module', module);
    if (version !== undefined) query.set('version', version);
    if (group !== undefined) query.set('group', group);
    if (stuck) query.set('stuck', 'true');
    if (failing) query.set('failing', 'true');
    if (presence !== undefined) query.set(presence, 'true');
    if (retired) query.set('retired', 'true');
    const answer = await client.read(`/machines?${query.toString()}`);
    const { machines, unreported, unreported_left_out: more, next } = answer;
    if (Array.isArray(unreported)) neverReported.push(...unreported.filter(isJsonObject));
    if (typeof more === 'number') leftOut += more;
    const page = Array.isArray(machines) ? machines.filter(isJsonObject) : [];
    // An earlier registry does not know these parameters, and answers all.
    const wanted = page.filter(
      (machine) =>
        (!retired || isJsonObject(machine['retired'])) &&
        (!failing || hasFailing(machine)) &&
        (presence === undefined || machine['presence'] === presence) &&
        (group === undefined || machine['group'] === group),
    );
    found.push(...wanted);
    // An earlier registry has no `next`, and ends a page only at the limit.
    const isLast = next === undefined ? page.length < limit : typeof next !== 'string';
    if (isLast || page.length === 0) break;
    after = String(page.at(-1)?.['id']);
  }
  return { machines: found, unreported: neverReported, unreportedLeftOut: leftOut };
}
