import { shownDecision } from '../../core/explanation/shown-decision.ts';
import { excerpt } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { FleetCounts } from '../../registry/fleet-documents.ts';
import { fleetCounts } from '../../site/fleet-machines.ts';
import { blameWords } from '../../site/failing-words.ts';
import type { FleetOptions } from '../../site/fleet-options.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

/** `modreg fleet status`: counts machines by module, version and decision. */
export async function fleetStatusCommand(
  options: FleetOptions & AnswerOptions,
  world: World,
): Promise<Outcome> {
  return outcomeOf(await fleetCounts(options, world), (counts) => ({
    answer: options.json
      ? [jsonLine({ schema: 'modreg/fleet-status@1', ...counts })]
      : linesOf(counts, world),
  }));
}

/** The ids are not among the counts. */
const NAMING = `modreg fleet machines --limit 100000 | grep 'two machines' names them`;

function linesOf(counts: FleetCounts, { columns: width }: World): string[] {
  const { duplicates, missing_outcomes: missing, modules } = counts;
  const heads = ['MODULE', 'DEPLOYED', 'MACHINES', 'DECISIONS'];
  const rows = [...Map.groupBy(modules, (one) => `${one.module_id} ${one.deployed}`).values()].map(
    rowOf,
  );
  const format = columnsOf(heads, rows, width);
  const failures = counts.outcomes_in_24h.filter(({ result }) => result === 'failed');
  return [
    ...firstLines(counts),
    ...(counts.groups ?? []).map(
      ({ group, machines: some, seen_in_24h: heard }) =>
        `group ${excerpt(group)}: ${countOf(some, 'machine')}, ${heard} seen in 24 h`,
    ),
    ...(rows.length === 0 ? [] : ['', ...format(heads), ...rows.flatMap(format), '']),
    ...leftOut(counts.modules_left_out, 'modules on the fewest machines'),
    ...(counts.held_over_a_week ?? []).map(
      ({ module_id: id, deployed, machines: some }) =>
        `held for over a week: ${excerpt(id)} ${excerpt(deployed)}, ${countOf(some, 'machine')}`,
    ),
    ...(counts.failing_modules ?? []).map(
      ({ module_id: id, version, blame, machines: some }) =>
        `failing: ${excerpt(id)} ${excerpt(version)} on ${countOf(some, 'machine')}, ${blameWords(blame)}`,
    ),
    ...(counts.refusing_documents ?? []).map(refusingLine),
    ...failures.map(
      ({ module_id: id, version, outcomes }) =>
        `failed in 24 h: ${excerpt(id)} ${excerpt(version)}, ${countOf(outcomes, 'time')}`,
    ),
    ...leftOut(counts.outcomes_left_out, 'the rarest outcomes'),
    ...(duplicates === 0
      ? []
      : [
          `${countOf(duplicates, 'id')} used by two machines, which are not counted above; ${NAMING}`,
        ]),
    ...(missing === 0
      ? []
      : [`${countOf(missing, 'outcome')} dropped by machines before a report`]),
  ];
}

/** How many machines there are, and what is so of some. An earlier registry does not say all of it. */
function firstLines(counts: FleetCounts): string[] {
  const {
    machines,
    seen_in_24h: seen,
    retired = 0,
    failing = 0,
    refusing = 0,
    wrong_clocks: wrong = 0,
    without_pin: unpinned = 0,
  } = counts;
  const parts = `${presenceWords(counts)}${clause(failing, 'failing')}${clause(refusing, 'refusing documents')}${clause(wrong, 'with a wrong clock')}${clause(retired, 'retired')}`;
  const all = `${countOf(machines, 'machine')}, ${seen} seen in 24 h${parts}`;
  if (unpinned === 0) return [all];
  return [all, `${countOf(unpinned, 'machine')} without a pin: what they run needs no signature`];
}

/** `refusing documents: needs-signature, 2 machines: rover-1, rover-7`. */
function refusingLine({
  code,
  machines,
  first_machines: names,
}: NonNullable<FleetCounts['refusing_documents']>[number]): string {
  const left = machines - names.length;
  const more = left > 0 ? ` and ${left} more` : '';
  const named = names.map((name) => excerpt(name)).join(', ');
  return `refusing documents: ${excerpt(code)}, ${countOf(machines, 'machine')}: ${named}${more}`;
}

function clause(count: number, what: string): string {
  return count === 0 ? '' : `; ${count} ${what}`;
}

/** `; 2 quiet, 1 silent`: those that were not heard lately. An earlier registry does not know. */
function presenceWords({ presence }: FleetCounts): string {
  const { quiet = 0, silent = 0 } = presence ?? {};
  const words = [
    ...(quiet > 0 ? [`${quiet} quiet`] : []),
    ...(silent > 0 ? [`${silent} silent`] : []),
  ];
  return words.length === 0 ? '' : `; ${words.join(', ')}`;
}

function leftOut(count = 0, what: string): string[] {
  return count === 0 ? [] : [`${countOf(count, 'further count')} of ${what} left out`];
}

function rowOf(counts: FleetCounts['modules']): string[] {
  const [{ module_id: id, deployed } = { module_id: '', deployed: '' }] = counts;
  const byWord = Map.groupBy(counts, (one) => shownDecision(one.decision));
  const decisions = Array.from(byWord, ([word, some]) => `${excerpt(word)} ${machinesIn(some)}`);
  return [excerpt(id), excerpt(deployed), `${machinesIn(counts)}`, decisions.join(', ')];
}

function machinesIn(counts: FleetCounts['modules']): number {
  return counts.reduce((sum, { machines }) => sum + machines, 0);
}
