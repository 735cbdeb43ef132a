import { describeDecision, type Result } from '../../core/index.ts';
import { wordFor } from '../../core/decision/decision.ts';
import { decisionWords, describeAddress } from '../../core/explanation/decision-words.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import { keyOf } from '../../core/plan/target.ts';
import { changeWords, summarizeDecision } from '../../core/explanation/plan-words.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { passing, readable, say, type Said } from '../../core/text/time-words.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn, type MachineState } from '../../store/machine-state.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import { jsonLine } from '../base/answer-json.ts';
import { changeAsJson } from '../plan/plan-json.ts';
import { rollbackOf, type Rollback } from './found-rollback.ts';
import { labelFor, rowNamed, targetOf } from '../../host/machine-row.ts';
import { usingFile } from '../../host/open-state.ts';
import { timesOn } from '../../host/time-zones.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

export interface RollbackOptions {
  readonly json?: true;
  readonly for?: string;
}

/**
 * `modreg rollback <module>`: the previous version replaces the deployed one. The versions above it that are in the saved
 * list are refused until the rollback ends (D32). What the command prints is what the planner decides.
 */
export function rollbackCommand(named: string, options: RollbackOptions, world: World): Outcome {
  const term = options.for === undefined ? undefined : parseDuration(options.for);
  if (term && !(term.ok && term.value > 0)) {
    const message = `--for: ${term.ok ? 'a rollback that lasts no time does nothing' : term.error}`;
    return failed({ severity: 'error', kind: 'usage', message });
  }
  const done = usingFile(world, 'write', (file): Outcome => {
    const rollback = prepareRollback(named, { termMs: term?.value }, { file, world });
    if (!rollback.ok) return failed(rollback.error);
    const { row, from, lines, json } = rollback.value;
    const rolledBack = rollback.value.rollBack();
    if (!rolledBack.ok) return failed(rolledBack.error);
    if (options.json) return { answer: [json], notes: [], problems: [] };
    const notes = [`note: modreg quarantine lift ${row.moduleId} ${from} undoes this`];
    return { answer: lines, notes, problems: [] };
  });
  return done.ok ? done.value : failed(done.error);
}

/** A rollback, before it is made. */
export interface PreparedRollback {
  readonly row: LoggedDecision;
  /** The deployed version. */
  readonly from: string;
  /** The version that replaces it. */
  readonly to: string;
  /** What the rollback does, for a person. */
  readonly lines: readonly string[];
  /** The same as `modreg/rollback@1`. */
  readonly json: string;
  /** Makes the rollback. The error: another version is deployed by now. */
  readonly rollBack: () => Result<void, Problem>;
}

/** What a rollback that lasts `termMs` does, or why the target cannot be rolled back (D32). Nothing is written. */
export function prepareRollback(
  named: string,
  { termMs }: { readonly termMs: number | undefined },
  { file, world }: { readonly file: MachineFile; readonly world: World },
): Result<PreparedRollback, Problem> {
  const state = machineStateIn(file);
  const entry = rowNamed(named, state.decisions());
  if (!entry.ok) return entry;
  const row = entry.value;
  const now = world.clock();
  const until = termMs === undefined ? undefined : now + termMs;
  const found = rollbackOf(row, { state, saved: savedListsIn(file), now, until });
  if (!found.ok) return found;
  const { rolledBack } = found.value;
  const open = openActionOf(row, state);
  const lines = linesOf(row, found.value, { until, open });
  const times = timesOn(state, world)(row.moduleId);
  return {
    ok: true,
    value: {
      row,
      from: rolledBack.from.text,
      to: rolledBack.to.text,
      lines: lines.map((line) => readable(line, times)),
      json: asJson(row, found.value, { until, open }),
      rollBack: () =>
        state.rollBack(targetOf(row), rolledBack, { at: now, until })
          ? { ok: true, value: undefined }
          : { ok: false, error: replacedMeanwhile(row) },
    },
  };
}

function openActionOf(row: LoggedDecision, state: MachineState): OpenAction | undefined {
  const key = keyOf(row);
  return state.memory().open.find(({ action }) => keyOf(action.target) === key);
}

function linesOf(
  row: LoggedDecision,
  rollback: Rollback,
  { until, open }: { readonly until: number | undefined; readonly open: OpenAction | undefined },
): Said[] {
  const { from, to } = rollback.rolledBack;
  const end = until === undefined ? '' : say`, until ${passing(until)}`;
  const isWaiting = 'waitsFor' in rollback && rollback.waitsFor !== undefined;
  const when = isWaiting ? 'once its release list can be read' : 'at the next decision';
  const head = say`${labelFor(row)} rolls back from ${from.text} to ${to.text} ${when}${end}`;
  const first =
    open?.state === 'delivered'
      ? [
          `  first    the agent ends ${open.action.from ?? 'none'} → ${describeAddress(open.action.to)}, which it has`,
        ]
      : [];
  if ('decision' in rollback) {
    const { decision, afterwards, next } = rollback;
    return [
      head,
      ...first,
      say`  because  ${decisionWords(decision)}`,
      say`  then     ${summarizeDecision(afterwards)}: ${decisionWords(afterwards)}`,
      ...(next ? [say`  next     ${changeWords(next)}`] : []),
    ];
  }
  return [
    head,
    ...first,
    ...(rollback.waitsFor === undefined ? [] : [`  waits    ${rollback.waitsFor}`]),
    `  its release list is not known here, so every version above ${to.text} and up to ${from.text} is refused; a higher one may replace ${to.text}`,
  ];
}

function asJson(
  { name, moduleId }: LoggedDecision,
  rollback: Rollback,
  { until, open }: { readonly until: number | undefined; readonly open: OpenAction | undefined },
): string {
  const { from, to, refused } = rollback.rolledBack;
  const known = 'decision' in rollback ? rollback : undefined;
  return jsonLine({
    schema: 'modreg/rollback@1',
    name,
    module_id: moduleId,
    from: from.text,
    to: to.text,
    refused: refused ? [...refused] : null,
    until: until === undefined ? null : formatTime(until),
    afterwards: known
      ? { decision: wordFor(known.afterwards), reason: describeDecision(known.afterwards) }
      : null,
    next_change: known?.next ? changeAsJson(known.next) : null,
    first: open?.state === 'delivered' ? open.action.id : null,
    waits_for: ('waitsFor' in rollback ? rollback.waitsFor : undefined) ?? null,
  });
}

function replacedMeanwhile(row: LoggedDecision): Problem {
  const message = `${labelFor(row)} was replaced in the meantime; nothing was changed`;
  return {
    severity: 'error',
    kind: 'locked',
    message,
    hint: 'modreg status shows the deployed version',
  };
}
