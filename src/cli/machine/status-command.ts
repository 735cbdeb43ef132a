import { describeDuration, parseDuration } from '../../core/text/duration.ts';
import { describeAddress, reportedText } from '../../core/explanation/decision-words.ts';
import { failureWords } from '../../core/plan/open-action-words.ts';
import { isSettled } from '../../core/explanation/shown-decision.ts';
import { describeYanked } from '../../core/explanation/words.ts';
import { requestWords, upgradeRequestWords } from '../../core/explanation/requester-words.ts';
import { excerpt } from '../../core/text/quote.ts';
import { describeTime, joined, readable, type Said } from '../../core/text/time-words.ts';
import { isInForce } from '../../core/decision/upgrade-request.ts';
import { crashLoopEnd } from '../../core/plan/crash-loop.ts';
import type { RememberedRequest } from '../../core/plan/machine-memory.ts';
import { loggedWords, type LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { stateOf } from '../../core/plan/row-state.ts';
import { remedyBy } from '../../core/plan/remedy.ts';
import { shownWord } from '../../core/plan/waiting-for-age.ts';
import { keyOf } from '../../core/plan/target.ts';
import { downloadedWords } from '../../host/downloaded.ts';
import { describeFailing } from '../../host/recent-failures.ts';
import { columnsOf, leastWidth } from '../base/columns.ts';
import { URGENCIES } from '../base/urgencies.ts';
import { deployedCell } from '../../core/explanation/plan-cells.ts';
import { openActionOf, openLine } from '../../host/open-action.ts';
import { deployedYank, isReported, isUnfit, labelFor, targetOf } from '../../host/machine-row.ts';
import { NO_STATE } from '../../host/open-state.ts';
import { failed, usage, type Outcome, type StateWord } from '../../base/problem.ts';
import { HOLDS_HEAD, holdsTable } from './holds-table.ts';
import { QUARANTINE_HEAD, quarantineTable } from './quarantine-table.ts';
import { attemptWords } from '../../host/next-attempt.ts';
import { LAST_ROUND_MS, statusOn, type Status } from '../../host/status/machine-status.ts';
import { commandName, remedyLines, type NamedRemedy } from '../../host/remedies.ts';
import { statusDocument } from '../../host/status/status-document.ts';
import { jsonLine } from '../base/answer-json.ts';
import type { World } from '../../base/world.ts';

type DeployedYank = NonNullable<ReturnType<typeof deployedYank>>;

export interface StatusOptions {
  readonly json?: true;
  readonly exitCode?: true;
  readonly maxAge?: string;
}

/** `modreg status`: shows the deployed versions, their targets, and the poller's last decisions. */
export function statusCommand(options: StatusOptions, world: World): Outcome {
  const maxAge = options.maxAge === undefined ? undefined : parseDuration(options.maxAge);
  if (maxAge?.ok === false) return failed(usage(`--max-age: ${maxAge.error}`));
  const read = statusOn(world);
  if (!read.ok && !read.error.isAbsent) return failed(read.error);
  const status = read.ok ? read.value : undefined;
  const notes = read.ok ? read.value.waiting : [`note: ${read.error.message}; ${NO_STATE}`];
  const said = status
    ? linesOf(status, world.columns)
    : {
        answer: [
          'this machine has no state: neither modreg agent run nor modreg poll has run here',
        ],
      };
  const ending = options.exitCode && endingOf(status, maxAge?.value ?? LAST_ROUND_MS);
  return {
    ...(options.json ? { answer: [jsonLine(statusDocument(status, world.clock()))] } : said),
    notes: options.json ? [] : notes,
    problems: [],
    ending,
  };
}

/** What `--exit-code` reports. A machine that needs attention comes before one on which replacements are due. */
function endingOf(status: Status | undefined, maxAgeMs: number): Outcome['ending'] {
  if (!status) return 'attention';
  const { decisions, memory, poller, isRunning, now } = status;
  const kinds = new Set(decisions.filter((one) => isReported(one, memory)).map(shownWord));
  const isOld = !poller.round || now - poller.round.at > maxAgeMs;
  const isCrashing = crashLoopEnd(memory.starts, now) !== undefined;
  if (!isRunning || isOld || isCrashing || kinds.has('stuck')) return 'attention';
  const isDone = [...kinds].every(isSettled);
  return isDone && memory.open.length === 0 ? undefined : 'pending';
}

/** What is held for longer may wait for something that does not come. */
const LONG_HELD_MS = 7 * 86_400_000;

const HEADS = ['MODULE', 'CONSTRAINT', 'DEPLOYED', 'TARGET', 'LATEST', 'DECISION', 'WHY'];

function linesOf(status: Status, columns: number | undefined): Pick<Outcome, 'answer' | 'states'> {
  const { memory, times } = status;
  const rows = status.decisions.filter((one) => isReported(one, memory));
  const cells = rows.map((decision) => [
    labelFor(decision),
    decision.constraint ?? '-',
    deployedCell(memory.of(targetOf(decision)).deployed),
    decision.target ?? '-',
    decision.latest ?? '-',
    shownWord(decision),
    readable(
      joined([failureWords(openActionOf(decision, memory)), loggedWords(decision)], '; '),
      times(decision.moduleId),
    ),
  ]);
  const held = holdsTable(status.holds, { times: times(''), columns });
  const quarantined = quarantineTable(memory.quarantine, { times, columns });
  const table = tableOf(cells, columns);
  const answer = [
    roundLine(status),
    ...crashLoopLines(status),
    '',
    ...(cells.length === 0
      ? ['no module was decided on yet']
      : [...table.head, ...table.rows.flat()]),
    ...deployedLines(status),
    ...openLines(status, rows),
    ...requestLines(status),
    ...remediesOf(status, rows),
    ...(held.length === 0 ? [] : ['', HOLDS_HEAD, ...held]),
    ...(quarantined.length === 0 ? [] : ['', QUARANTINE_HEAD, ...quarantined]),
  ];
  const states = rows.flatMap((row, place) => {
    const urgency = urgencyOf(row, status);
    if (urgency === undefined) return [];
    const state: StateWord = { word: shownWord(row), urgency };
    return (table.rows[place] ?? []).map((line) => [line, state] as const);
  });
  return { answer, states: new Map(states) };
}

/** What a person can do (D468), and has not requested yet. The tables of holds and of quarantine say how they end. */
function remediesOf(status: Status, rows: readonly LoggedDecision[]): string[] {
  const { memory, failures, poller, now } = status;
  const found = rows.flatMap((row): NamedRemedy[] => {
    const { deployed, upgradeRequest } = memory.of(targetOf(row));
    const remedy = remedyBy({
      open: openActionOf(row, memory),
      isFailing: failures.has(row.name),
      code: row.because?.code,
      isRestart: row.target === reportedText(deployed),
      canGoBack: deployed.kind === 'version',
      isYanked: isSettled(shownWord(row)) && deployedYank(row, memory) !== undefined,
    });
    if (remedy === undefined || remedy === 'held') return [];
    if (remedy === 'waits' && upgradeRequest && isInForce(upgradeRequest, now)) return [];
    return [{ remedy, name: row.kind === 'module' ? commandName(row) : row.name }];
  });
  const trouble: NamedRemedy[] =
    poller.round?.trouble === undefined ? [] : [{ remedy: 'registry', name: '' }];
  const lines = remedyLines([...found, ...trouble]);
  return lines.length === 0 ? [] : ['', ...lines];
}

/** How urgent a decision is; undefined for what is due or under way. */
function urgencyOf(
  row: LoggedDecision,
  { memory, failures }: Status,
): StateWord['urgency'] | undefined {
  const state = stateOf({
    word: shownWord(row),
    open: openActionOf(row, memory),
    isFailing: failures.has(row.name),
    isUnfit: isUnfit(row, memory),
  });
  return URGENCIES[state];
}

/** The lines of a table, those of each row by themselves. */
interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The decisions as columns, or in two lines each where these do not fit. */
function tableOf(cells: readonly (readonly string[])[], columns: number | undefined): Table {
  if (columns === undefined || leastWidth(HEADS, cells) <= columns) {
    const line = columnsOf(HEADS, cells, columns);
    return { head: line(HEADS), rows: cells.map(line) };
  }
  const rows = cells.map(([label, constraint, deployed = '-', target = '-', , decision, why]) => [
    `  ${label}   ${constraint}   ${target === '-' || target === deployed ? deployed : `${deployed} → ${target}`}`,
    `      ${decision}: ${why}`,
  ]);
  return { head: [], rows };
}

function roundLine({ poller: { pid, round }, isRunning, now }: Status): string {
  const by = pid === undefined ? '' : ` by process ${pid}`;
  const who = pid === undefined ? 'a process' : `process ${pid}`;
  const head = isRunning ? `${who} polls for this machine` : 'no process polls for this machine';
  if (!round) return `${head}; no round was made yet`;
  const next = isRunning ? attemptWords(round, now) : undefined;
  const again = next === undefined ? '' : `; ${next}`;
  const trouble = round.trouble === undefined ? '' : `; ${round.trouble}${again}`;
  return `${head}; last round ${describeDuration(now - round.at)} ago${isRunning ? '' : by}${trouble}`;
}

function crashLoopLines({ memory, now, times }: Status): string[] {
  const until = crashLoopEnd(memory.starts, now);
  if (until === undefined) return [];
  return [
    `crash loop: no action until ${describeTime(until, times(''))}, because the agent started five times in ten minutes`,
  ];
}

/** The open actions; a row says that its action fails (D387). */
function openLines({ memory, now }: Status, rows: readonly LoggedDecision[]): string[] {
  const said = new Set(rows.map(keyOf));
  const lines = memory.open
    .filter(({ action, failures }) => failures === 0 || !said.has(keyOf(action.target)))
    .map((open) => openLine(open, now));
  return lines.length === 0 ? [] : ['', ...lines];
}

/** What has been held for long, or is downloaded, and the deployed versions that were yanked or do not stay up. */
function deployedLines({
  decisions,
  memory,
  failures,
  heldSince,
  downloaded,
  now,
}: Status): string[] {
  const lines = decisions.flatMap((row) => {
    const yank = deployedYank(row, memory);
    const failing = failures.get(row.name);
    const version = downloaded.get(keyOf(row));
    const heldMs = now - (heldSince.get(keyOf(row)) ?? now);
    return [
      ...(heldMs > LONG_HELD_MS ? [heldLine(row.name, heldMs)] : []),
      ...(version === undefined ? [] : [`${excerpt(row.name)}: ${downloadedWords(version)}`]),
      ...(yank ? [yankedLine(row, yank)] : []),
      ...(failing ? [describeFailing(row.name, failing.version, failing)] : []),
    ];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

function heldLine(name: string, heldMs: number): string {
  const shown = excerpt(name);
  return `${shown}: a replacement has been held for ${describeDuration(heldMs)}; modreg why ${shown} shows its reasons`;
}

/** Its reason, unless that of the decision says it, and what follows (D409). */
function yankedLine(row: LoggedDecision, { version, because, stays }: DeployedYank): string {
  const yanked = describeYanked(because);
  const why = row.reason.includes(yanked) ? 'yanked' : yanked;
  const next = stays === undefined ? '' : `; it ${stays}`;
  return `${excerpt(row.name)}: ${excerpt(version)} is ${why}${next}`;
}

/** The requests that no open action carries out and no row says, and the restarts that failed (D470). */
function requestLines({ decisions, memory, times, now }: Status): string[] {
  const open = new Set(memory.open.map(({ action }) => keyOf(action.target)));
  const lines = decisions.flatMap((row) => {
    const { restartRequest, upgradeRequest } = memory.of(targetOf(row));
    if (open.has(keyOf(row))) return [];
    const shown = (said: Said): string => readable(said, times(row.moduleId));
    const upgrades =
      upgradeRequest && isInForce(upgradeRequest, now) && !names(row, upgradeRequest)
        ? [`${describeAddress(upgradeRequest.to)} ${shown(upgradeRequestWords(upgradeRequest))}`]
        : [];
    const isSaid = restartRequest?.failure === undefined && names(row, restartRequest?.request);
    const restarts = restartRequest && !isSaid ? [restartLine(restartRequest, shown)] : [];
    return [...restarts, ...upgrades].map((line) => `${excerpt(row.name)}: ${line}`);
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Whether the reason of a decision has a request, by its time, which is data of both. An earlier modreg wrote only the sentence. */
function names(
  { because }: LoggedDecision,
  request: { readonly requestedAt: number } | undefined,
): boolean {
  return request !== undefined && (because?.times.includes(request.requestedAt) ?? false);
}

function restartLine(
  { request, failure }: RememberedRequest,
  shown: (said: Said) => string,
): string {
  const ended = failure === undefined ? '' : `, which failed: ${failure}`;
  return `${shown(requestWords(request))}${ended}`;
}
