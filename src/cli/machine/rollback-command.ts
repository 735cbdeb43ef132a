import {
  compareVersions,
  describeChange,
  describeDecision,
  parseConstraint,
  type Constraint,
  type Decision,
  type Result,
  type Version,
} from '../../core/index.ts';
import type { ListError } from '../../core/decision/decision.ts';
import type { RolledBack } from '../../core/releases/eligibility-policy.ts';
import { mismatch } from '../../core/version/constraint.ts';
import { wordFor } from '../../core/decision/decision.ts';
import { describeAddress, reportedText } from '../../core/explanation/decision-words.ts';
import { describeRefused } from '../../core/explanation/words.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import { keyOf } from '../../core/plan/target.ts';
import { summarizeDecision } from '../../core/explanation/plan-words.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { withReadableTimes } from '../../core/text/time-words.ts';
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
import { timesOn } from './time-zones.ts';
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
  if (term && !(term.ok && term.value > 0)) {
    const message = `--for: ${term.ok ? 'a rollback that lasts no time does nothing' : term.error}`;
    return failed({ severity: 'error', kind: 'usage', message });
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
    const open = openActionOf(row.value, state);
    const answer = options.json
      ? [asJson(row.value, found.value, { until, open })]
      : linesOf(row.value, found.value, { until, open }).map((line) =>
          withReadableTimes(line, timesOn(state, world)(row.value.moduleId)),
        );
    const lift = `modreg quarantine lift ${row.value.moduleId} ${rolledBack.from.text}`;
    return { answer, notes: options.json ? [] : [`note: ${lift} undoes this`], problems: [] };
  });
  return done.ok ? done.value : failed(done.error);
}

/** A rollback whose consequences are known, or one for which no release list is saved. */
type Rollback =
  | IntendedRollback
  | {
      readonly rolledBack: RolledBack & { readonly to: Version };
      /** Why the poller has no list, so that it does nothing until it has one. */
      readonly waitsFor: string | undefined;
    };

interface Circumstances {
  readonly state: MachineState;
  readonly saved: SavedLists;
  readonly now: number;
  readonly until: number | undefined;
}

function openActionOf(row: LoggedDecision, state: MachineState): OpenAction | undefined {
  const key = keyOf(row);
  return state.memory().open.find(({ action }) => keyOf(action.target) === key);
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
  const { deployed } = state.memory().of(targetOf(row));
  if (deployed.kind !== 'version') {
    const found = reportedText(deployed) ?? deployed.kind;
    const message = `${label}: the deployed version is ${found}; only a version can be rolled back`;
    return refusal({ kind: 'deployed-unknown', message });
  }
  const from = deployed.version;
  const input = currentInput(targetOf(row), state, saved, now);
  if (!input.ok) return withoutList(row, from, { constraint, state, now, error: undefined });
  const { list } = input.value;
  if ('error' in list) return withoutList(row, from, { constraint, state, now, error: list.error });
  const intended = intendedRollback(from, list.index, { input: input.value, until });
  return 'refusal' in intended
    ? noTarget(row, from, lowerReleases(intended.refusal, from))
    : { ok: true, value: intended };
}

/** The rollback to the previous version if the releases are not known. `error` is why the last decision had no list. */
function withoutList(
  row: LoggedDecision,
  from: Version,
  {
    constraint,
    state,
    now,
    error,
  }: Pick<Circumstances, 'state' | 'now'> & {
    readonly constraint: Constraint;
    readonly error: ListError | undefined;
  },
): Result<Rollback, Problem> {
  const { previous, quarantine } = state.memory().of(targetOf(row));
  const isRefused = quarantine.some(
    ({ version, until = Infinity }) => version === previous?.text && now < until,
  );
  const isFit = previous && !isRefused && mismatch(constraint, previous) === undefined;
  if (!isFit || compareVersions(previous, from) > 0) {
    const because =
      'its release list is not known here, and no lower previous version may be selected';
    return noTarget(row, from, [because]);
  }
  const waitsFor = error?.kind === 'not-saved' ? undefined : error?.message;
  return { ok: true, value: { rolledBack: { from, to: previous }, waitsFor } };
}

function noTarget(
  row: LoggedDecision,
  from: Version,
  because: readonly string[],
): Result<never, Problem> {
  const message = `${labelFor(row)} cannot be rolled back from ${from.text}: no lower release may be selected; nothing was changed`;
  return refusal({ kind: 'no-match', message, because, hint: 'pin the version that should run' });
}

/** Why lower releases that the constraint accepts are refused; the decision in words if there are none. */
function lowerReleases(decision: Decision, from: Version): string[] {
  const { resolution } = decision;
  if (!resolution) return [describeDecision(decision)];
  const { constraint } = resolution.input;
  const lower = [...resolution.refused()].flatMap((refused) =>
    refused.reason !== 'not-a-version' && compareVersions(refused.release.version, from) < 0
      ? [`${refused.release.version.text}: ${describeRefused(refused, constraint)}`]
      : [],
  );
  return lower.length === 0 ? ['no lower release is published'] : lower.slice(0, NAMED);
}

const NAMED = 3;

function linesOf(
  row: LoggedDecision,
  rollback: Rollback,
  { until, open }: { readonly until: number | undefined; readonly open: OpenAction | undefined },
): string[] {
  const { from, to } = rollback.rolledBack;
  const end = until === undefined ? '' : `, until ${formatTime(until)}`;
  const isWaiting = 'waitsFor' in rollback && rollback.waitsFor !== undefined;
  const when = isWaiting ? 'once its release list can be read' : 'at the next decision';
  const head = `${labelFor(row)} rolls back from ${from.text} to ${to.text} ${when}${end}`;
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
      `  because  ${describeDecision(decision)}`,
      `  then     ${summarizeDecision(afterwards)}: ${describeDecision(afterwards)}`,
      ...(next ? [`  next     ${describeChange(next)}`] : []),
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
