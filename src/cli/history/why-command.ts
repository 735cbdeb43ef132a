import type { Result } from '../../core/index.ts';
import { keyOf } from '../../core/plan/target.ts';
import { formatTime, parseTime } from '../../core/text/rfc3339.ts';
import { describeTime, readable, type TimeContext } from '../../core/text/time-words.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import { loggedWords, type LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { PastDecision } from '../../store/decision-history.ts';
import type { MachineState } from '../../store/machine-state.ts';
import { labelFor, rowNamed } from '../../host/machine-row.ts';
import { describeChange, describeFailures, openAsJson } from '../../host/open-action.ts';
import { withState } from '../../host/open-state.ts';
import { timesOn } from '../../host/time-zones.ts';
import { jsonLine } from '../base/answer-json.ts';
import { failed, parseProblem, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { lineOf, toldHistory, type ToldDecision } from './why-words.ts';

export interface WhyOptions {
  readonly at?: string;
  readonly json?: true;
}

/** `modreg why <module>`: shows the decisions about a module, and what made each replace the one before it. */
export function whyCommand(named: string, options: WhyOptions, world: World): Outcome {
  const asked = timeAsked(options, world);
  if (!asked.ok) return failed(asked.error);
  const at = asked.value;
  return withState(world, 'read', (state) => {
    const row = rowNamed(named, rowsOf(state));
    if (!row.ok) return failed(row.error);
    const history = state.history(row.value);
    const told = toldHistory(history);
    const past = at === undefined ? undefined : inForce(history, at);
    const found = at === undefined ? told : told.filter((one) => one.past === past);
    if (found.length === 0) return failed(noDecision(row.value, history, at));
    const times = timesOn(state, world)(row.value.moduleId);
    const open = state
      .memory()
      .open.find(({ action }) => keyOf(action.target) === keyOf(row.value));
    const failing = open && open.failures > 0 && at === undefined ? open : undefined;
    const answer = answerOf(row.value, found, { ...options, times, failing });
    return { answer, notes: [], problems: [] };
  });
}

/** The time of `--at`, which is not in the future; undefined without it. */
export function timeAsked({ at }: WhyOptions, world: World): Result<number | undefined, Problem> {
  if (at === undefined) return { ok: true, value: undefined };
  const time = parseTime(at);
  if (!time.ok) return { ok: false, error: parseProblem(time.error) };
  if (time.value <= world.clock()) return time;
  const message = `--at: ${formatTime(time.value)} is in the future; modreg plan shows what happens next`;
  return { ok: false, error: { severity: 'error', kind: 'usage', message } };
}

/** The targets of the machine, followed by those that only the history has. */
export function rowsOf(state: MachineState): readonly LoggedDecision[] {
  const rows = state.decisions();
  const keys = new Set(rows.map(keyOf));
  return [...rows, ...state.newestInHistory().filter((row) => !keys.has(keyOf(row)))];
}

/** The decision that was in force at `at`; undefined if the history begins later. */
export function inForce(history: readonly PastDecision[], at: number): PastDecision | undefined {
  return history.findLast(({ since }) => since <= at);
}

/** Why the history has no decision to show. */
export function noDecision(
  row: LoggedDecision,
  [oldest]: readonly PastDecision[],
  at: number | undefined,
): Problem {
  const severity = 'error';
  const kind = 'not-recorded';
  if (!oldest || at === undefined) {
    const message = `no decision about ${labelFor(row)} has been recorded yet`;
    const hint = 'each change of a decision is recorded; modreg status shows the last ones';
    return { severity, kind, message, hint };
  }
  const message = `no decision about ${labelFor(row)} is recorded for ${formatTime(at)}`;
  const hint = `the first one is of ${formatTime(oldest.since)}; decisions are kept for 90 days`;
  return { severity, kind, message, hint };
}

function answerOf(
  row: LoggedDecision,
  told: readonly ToldDecision[],
  {
    at,
    json,
    times,
    failing,
  }: WhyOptions & {
    readonly times: TimeContext;
    /** The action of the last decision, if it failed because of this machine. */
    readonly failing: OpenAction | undefined;
  },
): string[] {
  if (json) {
    const { name, moduleId } = row;
    const decisions = told.map(asJson);
    const action = openAsJson(failing);
    return [jsonLine({ schema: 'modreg/why@1', name, module_id: moduleId, decisions, action })];
  }
  const [first] = told;
  if (at === undefined || !first) {
    const lines = told.map((one) => lineOf(one, times));
    if (!failing) return lines;
    const last = `the ${describeChange(failing.action)} ${describeFailures(failing, times.now)}`;
    return [...lines, `${formatTime(times.now - (times.now % 1000))}  ${last}`];
  }
  return fullLines(row, first, times);
}

/** The decision in full. Its facts are those of the last time at which they changed. */
function fullLines(
  row: LoggedDecision,
  { past, event, causes }: ToldDecision,
  times: TimeContext,
): string[] {
  const { first } = past;
  const lines = [
    ['since', describeTime(past.since, times)],
    ['constraint', first.constraint ?? 'none'],
    ['deployed', first.deployed],
    ['decision', first.decision],
    ['target', first.target],
    ['why', readable(loggedWords(first), times)],
    ['until', first.until === undefined ? undefined : describeTime(first.until, times)],
    ['changed by', causes.length === 0 ? undefined : causes.join('; ')],
    ['newest', first.newest],
    ['list', first.list && `${first.list.address} (${first.list.digest})`],
  ] as const;
  return [
    `${labelFor(row)} ${event}`,
    ...lines.flatMap(([name, value]) =>
      value === undefined ? [] : [`  ${name.padEnd(10)}  ${value}`],
    ),
  ];
}

function asJson({ past, event, causes }: ToldDecision): object {
  const { since, first } = past;
  return {
    at: formatTime(since),
    event,
    constraint: first.constraint ?? null,
    deployed: first.deployed,
    target: first.target ?? null,
    decision: first.decision,
    reason: first.reason,
    until: first.until === undefined ? null : formatTime(first.until),
    causes,
    newest: first.newest ?? null,
    list_digest: first.list?.digest ?? null,
  };
}
