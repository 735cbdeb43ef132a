import { parseModuleId, parseVersion } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { isJsonObject, type JsonObject } from '../../registry/formats/json-object.ts';
import type { FleetClient } from '../../registry/fleet-client.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { failed, parseProblem, usage, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { withFleet, type FleetOptions } from '../../site/fleet-options.ts';

export interface MachinesOptions extends FleetOptions {
  readonly module?: string;
  readonly version?: string;
  readonly stuck?: true;
  readonly limit?: string;
}

const MOST_MACHINES = 100_000;
const OF_PAGE = 1000;

/** `modreg fleet machines`: lists machines, with their modules that match. */
export async function fleetMachinesCommand(
  options: MachinesOptions,
  world: World,
): Promise<Outcome> {
  const { limit: limitText = '100' } = options;
  const limit = Number(limitText);
  if (!/^[1-9]\d{0,5}$/.test(limitText) || limit > MOST_MACHINES) {
    const found = `--limit: ${excerpt(limitText)}`;
    return failed(usage(`${found} is not a number from 1 to ${MOST_MACHINES}`));
  }
  const wrong = problemOf(options);
  if (wrong) return failed(wrong);
  return await withFleet(options, world, async (client) => {
    const machines = await listed(client, options, limit + 1);
    const shown = machines.slice(0, limit);
    const hasMore = machines.length > limit;
    if (options.json) {
      const json = { schema: 'modreg/fleet-machines@1', machines: shown, has_more: hasMore };
      return { answer: [jsonLine(json)], notes: [], problems: [] };
    }
    const notes = hasMore ? [`note: there are more: --limit is ${limit}`] : [];
    return { answer: linesOf(shown, world), notes, problems: [] };
  });
}

/** What a machine reports in place of a version. */
const NO_VERSION: ReadonlySet<string> = new Set(['none', 'unknown']);

/** Why no machine could match. */
function problemOf({ module, version }: MachinesOptions): Problem | undefined {
  const moduleId = module === undefined ? undefined : parseModuleId(module);
  if (moduleId?.ok === false) return parseProblem(moduleId.error);
  if (version === undefined || NO_VERSION.has(version)) return undefined;
  const parsed = parseVersion(version);
  return parsed.ok ? undefined : parseProblem(parsed.error);
}

/** At most `most` machines, page by page. */
async function listed(
  client: FleetClient,
  { module, version, stuck }: MachinesOptions,
  most: number,
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  let after = '';
  while (found.length < most) {
    const limit = Math.min(OF_PAGE, most - found.length);
    const query = new URLSearchParams({ after, limit: `${limit}` });
    if (module !== undefined) query.set('module', module);
    if (version !== undefined) query.set('version', version);
    if (stuck) query.set('stuck', 'true');
    const { machines, next } = await client.read(`/machines?${query.toString()}`);
    const page = Array.isArray(machines) ? machines.filter(isJsonObject) : [];
    found.push(...page);
    // An earlier registry has no `next`, and ends a page only at the limit.
    const isLast = next === undefined ? page.length < limit : typeof next !== 'string';
    if (isLast || page.length === 0) break;
    after = String(page.at(-1)?.['id']);
  }
  return found;
}

const HEADS = ['MACHINE', 'SEEN', 'MODULE', 'DEPLOYED', 'DECISION'];

function linesOf(machines: readonly JsonObject[], { columns: width }: World): string[] {
  if (machines.length === 0) return ['no machine matches'];
  const rows = machines.flatMap((machine) => {
    const { id, seen_at: seen, is_duplicate: isDuplicate, modules } = machine;
    const known = Array.isArray(modules) ? modules.filter(isJsonObject) : [];
    const cells = known.map(cellsOf);
    const none = isDuplicate === true ? 'two machines with this id' : 'nothing is reported';
    const first = [excerpt(String(id)), excerpt(String(seen))];
    const [top = ['', '', none], ...others] = cells;
    return [[...first, ...top], ...others.map((rest) => ['', ''].concat(rest))];
  });
  const format = columnsOf(HEADS, rows, width);
  return [...format(HEADS), ...rows.flatMap(format)];
}

function cellsOf({ module_id: id, deployed, decision, reason }: JsonObject): string[] {
  const because = typeof reason === 'string' ? `: ${excerpt(reason)}` : '';
  return [excerpt(String(id)), excerpt(String(deployed)), `${excerpt(String(decision))}${because}`];
}
