import type { PlanRow } from '../../core/index.ts';
import type { SubsystemPlan } from '../../core/plan/plan.ts';
import { isConfiguredSubsystem, isReportedSubsystem } from '../../core/plan/subsystem-row.ts';
import { replacementOf } from '../../core/decision/decision.ts';
import { headlineText } from '../../core/explanation/headline.ts';
import { decisionWords } from '../../core/explanation/decision-words.ts';
import { failureWords } from '../../core/plan/open-action-words.ts';
import {
  afterActionsWords,
  changeWords,
  targetText,
  requirementText,
} from '../../core/explanation/plan-words.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import { keyOf } from '../../core/plan/target.ts';
import { untilLiftedWords } from '../../core/plan/remedy.ts';
import { rowState } from '../../core/plan/row-state.ts';
import { yankedStaysWords } from '../../core/plan/yanked-stays.ts';
import { rowWord } from '../../core/plan/waiting-for-age.ts';
import { excerpt } from '../../core/text/quote.ts';
import { describeTime, joined, readable, type TimeContext } from '../../core/text/time-words.ts';
import { columnsOf, leastWidth } from '../base/columns.ts';
import { URGENCIES } from '../base/urgencies.ts';
import { countOf } from '../../base/count.ts';
import type { Outcome, StateWord } from '../../base/problem.ts';
import { timeZoneIn, timeZoneOf } from '../../config/time-zone.ts';
import { deployedCell, labelOf } from '../../core/explanation/plan-cells.ts';
import { commandName, remedyLines, rowRemedies } from '../../host/remedies.ts';
import { currentHeadline, describeFailing, type Failing } from '../../host/recent-failures.ts';
import { downloadedWords } from '../../host/downloaded.ts';
import { describeListsOf, type Planned } from '../../host/plan/machine-plan.ts';
import { completeReasons, isShortened } from './complete-reasons.ts';
import { describeStops, summaryOf } from './plan-summary.ts';

/** A line, and what it says of a state. */
interface StateLine {
  readonly text: string;
  readonly state: StateWord | undefined;
}

/** The lines that show a plan to a person, and the states that they say. */
export function planTable(
  planned: Planned,
  columns: number | undefined,
): Pick<Outcome, 'answer' | 'states'> {
  const lines = planLines(planned, columns);
  return {
    answer: lines.map(({ text }) => text),
    states: new Map(lines.flatMap(({ text, state }) => (state ? [[text, state]] : []))),
  };
}

function planLines(planned: Planned, columns: number | undefined): StateLine[] {
  const { modules, subsystems } = rowsIn(planned);
  const { now, documents } = planned;
  const times = { now, timeZone: timeZoneIn(documents.policy) };
  const terms = { times, columns, isRecorded: planned.isHere && !planned.isNew };
  return [
    ...stateless(...headOf(planned, columns), ''),
    ...table('MODULE', modules, terms),
    ...stateless(...(modules.length > 0 ? [''] : [])),
    ...table('SUBSYSTEM', subsystems, terms),
    ...stateless(
      ...(subsystems.length > 0 ? [''] : []),
      ...unreportedLine(planned.plan.subsystems),
      ...summaryOf(planned),
      ...remediesOf(planned, [...modules, ...subsystems]),
      'Nothing was changed.',
    ),
  ];
}

function rowsIn(planned: Planned): Readonly<Record<'modules' | 'subsystems', readonly Row[]>> {
  const { plan, downloaded } = planned;
  const open = new Map(planned.open.map((one) => [keyOf(one.action.target), one]));
  const modules = plan.modules.map((row): Row => {
    const key = keyOf({ kind: 'module', name: row.name });
    return {
      label: labelOf(row),
      name: commandName(row),
      requirement: requirementText(row.decision.input.requirement),
      row,
      downloaded: downloaded.get(key),
      open: open.get(key),
      failing: planned.failing.get(row.name),
    };
  });
  const subsystems = plan.subsystems.filter(isReportedSubsystem).map((row): Row => {
    const { name } = row.target;
    const key = keyOf({ kind: 'subsystem', name });
    return {
      label: name,
      name,
      requirement: requirementOfSubsystem(row),
      row,
      downloaded: downloaded.get(key),
      open: open.get(key),
      failing: undefined,
    };
  });
  return { modules, subsystems };
}

/** What a person can do here (D468). Where this machine has no state, only its registry can be looked at. */
function remediesOf({ isHere, isNew, attempt }: Planned, rows: readonly Row[]): string[] {
  const found = rows.flatMap(({ name, row, open, failing }) => {
    const one = rowRemedies(row, { name, open, isFailing: failing !== undefined });
    const isStale = row.warnings.some(({ kind }) => kind === 'stale-list');
    return one.length === 0 && isStale ? [{ remedy: 'registry', name } as const] : one;
  });
  const lines = remedyLines(
    found.filter(({ remedy }) => (isHere && !isNew) || remedy === 'registry'),
  );
  const isOfRegistry = found.some(({ remedy }) => remedy === 'registry');
  // Its lists were not read for this plan, nor by the process that polls (D419).
  if (!isOfRegistry || attempt === undefined) return lines;
  return [
    `The process that polls for this machine reads the registry again: ${attempt}.`,
    ...lines,
  ];
}

function stateless(...lines: readonly string[]): StateLine[] {
  return lines.map((text) => ({ text, state: undefined }));
}

/** What is planned, in as many lines as its parts need. */
function headOf(planned: Planned, columns = Infinity): string[] {
  const { path, plan, documents, now, isAsOf } = planned;
  const timeZone = timeZoneIn(documents.policy);
  const lists = describeListsOf(planned);
  const parts = [
    countOf(plan.modules.length, 'module'),
    ...(isAsOf ? [`as of ${describeTime(now, { now, timeZone })}`] : []),
    ...(lists === undefined ? [] : [lists]),
  ];
  const lines: string[] = [];
  let line = excerpt(path);
  for (const part of parts) {
    if (`${line}   ${part}`.length <= columns) line += `   ${part}`;
    else {
      lines.push(line);
      line = part;
    }
  }
  return [...lines, line];
}

/** The name of a release channel, or the requirement of a pin. The channel `latest` is not the constraint `latest`. */
function requirementOfSubsystem({ target, decision }: SubsystemPlan): string | undefined {
  return target.option === 'release_channel'
    ? target.releaseChannel
    : requirementText(decision.input.requirement);
}

interface Row {
  readonly label: string;
  /** As commands take it. */
  readonly name: string;
  readonly requirement: string | undefined;
  readonly row: PlanRow;
  readonly downloaded: string | undefined;
  readonly open: OpenAction | undefined;
  /** What is deployed, if it ends again and again. */
  readonly failing: Failing | undefined;
}

const HEADS = ['CONSTRAINT', 'DEPLOYED', 'TARGET', 'LATEST', 'DECISION', 'WHY'];

interface TableTerms {
  readonly times: TimeContext;
  readonly columns: number | undefined;
  /** Whether the machine has recorded decisions on its modules, so that `modreg why` has them. */
  readonly isRecorded: boolean;
}

function table(
  head: string,
  rows: readonly Row[],
  { times, columns, isRecorded }: TableTerms,
): StateLine[] {
  if (rows.length === 0) return [];
  const heads = [head, ...HEADS];
  const cells = rows.map((row) => cellsOf(row, timesOf(row, times)));
  const least = leastWidth(heads, cells);
  if (columns !== undefined && least > columns) {
    const shortened = rows.filter((row) => isShortened(row, times.now));
    return stateless(
      ...rows.flatMap((row) => headlineRow(row, timesOf(row, times))),
      ...completeReasons(shortened, isRecorded ? undefined : least),
    );
  }
  const line = columnsOf(heads, cells, columns);
  return [
    ...stateless(...line(heads)),
    ...rows.flatMap((row, place) => [
      ...line(cells[place] ?? []).map((text) => ({ text, state: stateWordOf(row) })),
      ...stateless(...detailsOf(row, timesOf(row, times))),
    ]),
  ];
}

/** What matters most about a row, where its columns do not fit (D352). */
function headlineRow(shown: Row, times: TimeContext): string[] {
  const { label, requirement, row, open, failing } = shown;
  const { decision } = row;
  const said = currentHeadline(row, { open, failing });
  const target = replacementOf(decision) && targetText(decision);
  const versions = [deployedCell(decision.input.deployed), target].filter(
    (one) => one !== undefined,
  );
  return [
    `  ${label}   ${requirement ?? '-'}   ${versions.join(' → ')}`,
    `      ${headlineText(said, times.now)}`,
    ...detailsOf({ ...shown, failing: undefined }, times),
  ];
}

function timesOf({ row: { decision } }: Row, times: TimeContext): TimeContext {
  return { ...times, timeZone: timeZoneOf(decision.input.timing) ?? times.timeZone };
}

function cellsOf({ label, requirement, row, open }: Row, times: TimeContext): string[] {
  const { decision, latest } = row;
  return [
    label,
    requirement ?? '-',
    deployedCell(decision.input.deployed),
    targetText(decision) ?? '-',
    latest?.text ?? '-',
    rowWord(row),
    readable(joined([failureWords(open), decisionWords(decision)], '; '), times),
  ];
}

/** What the row says of its state; undefined for what is due or under way. */
function stateWordOf({ row, open, failing }: Row): StateWord | undefined {
  const urgency = URGENCIES[rowState(row, { open, isFailing: failing !== undefined })];
  return urgency && { word: rowWord(row), urgency };
}

function detailsOf({ label, row, downloaded, failing }: Row, times: TimeContext): string[] {
  const { stops, nextChange, afterActions } = row;
  // What fails is started again meanwhile, which the line about that says.
  const lifted = failing ? undefined : untilLiftedWords(row);
  const stays = failing ? undefined : yankedStaysWords(row);
  return [
    ...(stops.length > 0 ? [`stops ${describeStops(stops)}`] : []),
    ...(downloaded === undefined ? [] : [downloadedWords(downloaded)]),
    ...(failing ? [describeFailing(label, failing.version, failing)] : []),
    ...(afterActions ? [`then ${afterActionsWords(afterActions)}`] : []),
    ...(nextChange ? [`next ${readable(changeWords(nextChange), times)}`] : []),
    ...(lifted === undefined ? [] : [`next ${lifted}`]),
    ...(stays === undefined ? [] : [`next ${stays}`]),
  ].map((detail) => `      ${detail}`);
}

function unreportedLine(subsystems: readonly SubsystemPlan[]): string[] {
  const names = subsystems.flatMap((row) =>
    isReportedSubsystem(row) || !isConfiguredSubsystem(row) ? [] : row.target.name,
  );
  return names.length === 0
    ? []
    : [`${names.join(' and ')}: the deployed version is not known, so nothing is done.`];
}
