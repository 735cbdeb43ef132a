import { shownDecision } from '../../core/explanation/shown-decision.ts';
import { excerpt } from '../../core/text/quote.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { isJsonObject, type JsonObject } from '../../registry/formats/json-object.ts';
import { reportedFailing } from '../../site/failing-words.ts';
import { refusalWords } from '../../site/refusal-words.ts';
import { wrongClockWords } from '../../site/machine-clock.ts';
import { fleetMachines } from '../../site/fleet-machines.ts';
import type { FleetOptions } from '../../site/fleet-options.ts';
import { unknownNames } from '../../site/unknown-names.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

export interface MachinesOptions extends FleetOptions, AnswerOptions {
  readonly module?: string;
  readonly version?: string;
  readonly group?: string;
  readonly stuck?: true;
  readonly failing?: true;
  readonly quiet?: true;
  readonly silent?: true;
  readonly retired?: true;
  readonly limit?: string;
}

const MOST_MACHINES = 100_000;

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
  const found = await fleetMachines({ ...options, limit }, options, world);
  const isEmpty = found.ok && found.value.machines.length === 0;
  const asked = isEmpty ? { group: options.group, moduleId: options.module } : {};
  const problems = await unknownNames(asked, options, world);
  return outcomeOf(found, ({ machines, unreported, unreportedLeftOut: leftOut, hasMore }) => {
    const more = {
      ...(unreported.length > 0 && { unreported }),
      ...(leftOut > 0 && { unreported_left_out: leftOut }),
      has_more: hasMore,
    };
    const json = { schema: 'modreg/fleet-machines@1', machines, ...more };
    if (options.json) return { answer: [jsonLine(json)], problems };
    const notes = hasMore ? [`note: there are more: --limit is ${limit}`] : [];
    if (leftOut > 0) notes.push(`note: ${leftOut} more refuse documents and have never reported`);
    return { answer: linesOf([...machines, ...unreported], world), notes, problems };
  });
}

const HEADS = ['MACHINE', 'SEEN', 'STATE', 'MODULE', 'DEPLOYED', 'DECISION'];

function linesOf(machines: readonly JsonObject[], world: World): string[] {
  if (machines.length === 0) return ['no machine matches'];
  const rows = machines.flatMap((machine) => {
    const { id, seen_at: seen = 'never', heard_at: heard, presence } = machine;
    const { is_duplicate: isDuplicate, modules, retired } = machine;
    const known = Array.isArray(modules) ? modules.filter(isJsonObject) : [];
    const cells = known.map(cellsOf);
    const none = isDuplicate === true ? 'two machines with this id' : 'nothing is reported';
    // An earlier registry does not say it.
    const present = typeof presence === 'string' ? excerpt(presence) : '-';
    const wrong = wrongClockIn(machine, world.clock());
    const state = wrong === undefined ? present : `${present}, clock ${wrong}`;
    const first = [excerpt(String(id)), excerpt(String(heard ?? seen)), state];
    if (isJsonObject(retired)) {
      const { at, by } = retired;
      return [[...first, '', '', `retired ${excerpt(String(at))} by ${excerpt(String(by))}`]];
    }
    const [top = ['', '', none], ...others] = [...refusalCells(machine), ...cells];
    return [[...first, ...top], ...others.map((rest) => ['', '', ''].concat(rest))];
  });
  const format = columnsOf(HEADS, rows, world.columns);
  return [...format(HEADS), ...rows.flatMap(format)];
}

/** What it refuses of the documents of its site. An earlier registry does not say it. */
function refusalCells({ refuses }: JsonObject): string[][] {
  if (!isJsonObject(refuses)) return [];
  const { revision, code, detail } = refuses;
  const words = refusalWords({ code: String(code), detail: String(detail) });
  return [['', '', `refuses revision ${Number(revision)}: ${words}`]];
}

/** How far the clock is off; undefined if it agrees, or the registry does not say it. */
function wrongClockIn({ clock }: JsonObject, now: number): string | undefined {
  if (!isJsonObject(clock) || typeof clock['ahead_ms'] !== 'number') return undefined;
  return wrongClockWords({ aheadMs: clock['ahead_ms'] }, now);
}

function cellsOf({
  module_id: id,
  deployed,
  decision,
  reason,
  held_over_a_week: isHeldLong,
  failing,
}: JsonObject): string[] {
  const since = isHeldLong === true ? ' for over a week' : '';
  const words = reportedFailing(failing);
  const fails = words === undefined ? '' : `; ${words}`;
  const because = typeof reason === 'string' ? `: ${excerpt(reason)}` : '';
  return [
    excerpt(String(id)),
    excerpt(String(deployed)),
    `${excerpt(shownDecision(String(decision)))}${since}${because}${fails}`,
  ];
}
