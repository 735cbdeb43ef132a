import {
  compareVersions,
  describeChange,
  describeDecision,
  parseConstraint,
  type Constraint,
  type Result,
} from '../../core/index.ts';
import type { RolledBack } from '../../core/releases/eligibility-policy.ts';
import { mismatch } from '../../core/version/constraint.ts';
import { wordFor } from '../../core/decision/decision.ts';
import { reportedText } from '../../core/explanation/decision-words.ts';
import { summarizeDecision } from '../../core/explanation/plan-words.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { SavedLists } from '../../registry/index.ts';
import { machineStateIn, type MachineState } from '../../store/machine-state.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import { currentInput } from '../history/restored-input.ts';
import { jsonLine } from '../output/answer-json.ts';
import { changeAsJson } from '../plan/plan-json.ts';
import { failed } from '../registry/catalogue-options.ts';
import { intendedRollback, type IntendedRollback } from './intended-rollback.ts';
import { labelFor, rowNamed, targetOf } from './machine-row.ts';
import { usingFile } from './open-state.ts';
import type { Outcome, Problem } from '../problem.ts';
import type { World } from '../world.ts';

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
  if (term?.ok === false) {
    return failed({ severity: 'error', kind: 'usage', message: `--for: ${term.error}` });
  }
  const done = usingFile(world, 'write', (file): Outcome => {
    const state = machineStateIn(file);
    const row = rowNamed(named, state.decisions());
    if (!row.ok) return failed(row.error);
    const now = world.clock();
    const until = term && now + term.value;
    const found = rollbackOf(row.value, { state, saved: savedListsIn(file), now, until });
    if (!found.ok) return failed(found.error);
    const { rolledBack } = found.value;
    if (!state.rollBack(targetOf(row.value), rolledBack, { at: now, until }))
      return failed(replacedMeanwhile(row.value));
    const answer = options.json
      ? [asJson(row.value, found.value, until)]
      : linesOf(row.value, found.value, until);
    const lift = `modreg quarantine lift ${row.value.moduleId} ${rolledBack.from.text}`;
    return { answer, notes: options.json ? [] : [`note: ${lift} undoes this`], problems: [] };
  });
  return done.ok ? done.value : failed(done.error);
}

/** A rollback whose consequences are known, or one for which no release list is saved. */
type Rollback = IntendedRollback | { readonly rolledBack: RolledBack };

interface Circumstances {
  readonly state: MachineState;
  readonly saved: SavedLists;
  readonly now: number;
  readonly until: number | undefined;
}

/** What a rollback of a module does, or why it cannot be rolled back. */
function rollbackOf(
  row: LoggedDecision,
  { state, saved, now, until }: Circumstances,
): Result<Rollback, Problem> {
  const label = labelFor(row);
  const constraint = constraintOf(row);
  if (constraint?.kind === 'patch') {
    const message = `${label} is pinned to ${row.constraint}, so no other version may replace it`;
    return refusal({ kind: 'usage', message, hint: 'pin the version that should run' });
  }
  if (!constraint) {
    const message = `${label} is not decided by a constraint, so it cannot be rolled back: ${row.reason}`;
    return refusal({ kind: 'usage', message });
  }
  const { deployed, previous, quarantine } = state.memory().of(targetOf(row));
  if (deployed.kind !== 'version') {
    const found = reportedText(deployed) ?? deployed.kind;
    const message = `${label}: the deployed version is ${found}; only a version can be rolled back`;
    return refusal({ kind: 'deployed-unknown', message });
  }
  const from = deployed.version;
  const input = currentInput(targetOf(row), state, saved, now);
  if (input.ok && 'index' in input.value.list) {
    const { index } = input.value.list;
    const intended = intendedRollback(from, index, { input: input.value, until });
    if (!('refusal' in intended)) return { ok: true, value: intended };
    const message = `${label} cannot be rolled back from ${from.text}: no release may replace it; nothing was changed`;
    const because = [describeDecision(intended.refusal)];
    return refusal({ kind: 'no-match', message, because });
  }
  const isRefused = quarantine.some(
    ({ version, until: end = Infinity }) => version === previous?.text && now < end,
  );
  const isOther = !previous || mismatch(constraint, previous) !== undefined;
  return {
    ok: true,
    value: { rolledBack: { from, to: isRefused || isOther ? undefined : previous } },
  };
}

function linesOf(row: LoggedDecision, rollback: Rollback, until: number | undefined): string[] {
  const { from, to } = rollback.rolledBack;
  const end = until === undefined ? '' : `, until ${formatTime(until)}`;
  const subject = `${labelFor(row)} rolls back from ${from.text}`;
  const when = "at the poller's next decision";
  if ('decision' in rollback) {
    const { decision, afterwards, next } = rollback;
    return [
      `${subject} to ${to?.text} ${when}${end}`,
      `  because  ${describeDecision(decision)}`,
      `  then     ${summarizeDecision(afterwards)}: ${describeDecision(afterwards)}`,
      ...(next ? [`  next     ${describeChange(next)}`] : []),
    ];
  }
  if (!to) {
    return [
      `${subject} ${when}${end}, to the best release that may be selected instead, if there is one: no previous version may be selected`,
      `  its release list is not saved here, so only ${from.text} is refused`,
    ];
  }
  const isBelow = compareVersions(to, from) < 0;
  const refused = isBelow
    ? `every version above ${to.text} and up to ${from.text} is refused; a higher one may replace ${to.text}`
    : `only ${from.text} is refused`;
  return [
    `${subject} to ${to.text} ${when}${end}`,
    `  its release list is not saved here, so ${refused}`,
  ];
}

function asJson(
  { name, moduleId }: LoggedDecision,
  rollback: Rollback,
  until: number | undefined,
): string {
  const { from, to, refused } = rollback.rolledBack;
  const known = 'decision' in rollback ? rollback : undefined;
  return jsonLine({
    schema: 'modreg/rollback@1',
    name,
    module_id: moduleId,
    from: from.text,
    to: to?.text ?? null,
    refused: refused ? [...refused] : null,
    until: until === undefined ? null : formatTime(until),
    afterwards: known
      ? { decision: wordFor(known.afterwards), reason: describeDecision(known.afterwards) }
      : null,
    next_change: known?.next ? changeAsJson(known.next) : null,
  });
}

function refusal(
  problem: Pick<Problem, 'message' | 'hint' | 'because'> & {
    readonly kind: 'usage' | 'deployed-unknown' | 'no-match';
  },
): Result<never, Problem> {
  return { ok: false, error: { severity: 'error', ...problem } };
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

/** The constraint that the poller read last; undefined if it read an address or no constraint. */
function constraintOf({ kind, constraint = '' }: LoggedDecision): Constraint | undefined {
  // The decision on a subsystem is logged with the name of its release channel.
  if (kind === 'subsystem' && (constraint === 'stable' || constraint === 'latest')) {
    return { kind: constraint === 'stable' ? 'latest' : 'latest-with-prerelease' };
  }
  const parsed = parseConstraint(constraint);
  return parsed.ok ? parsed.value : undefined;
}
