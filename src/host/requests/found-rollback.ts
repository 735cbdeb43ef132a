import {
  compareVersions,
  describeDecision,
  parseConstraint,
  type Constraint,
  type Decision,
  type Result,
  type Version,
} from '../../core/index.ts';
import type { ListError } from '../../core/decision/module-list.ts';
import { reportedText } from '../../core/explanation/decision-words.ts';
import { describeRefused } from '../../core/explanation/words.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { RolledBack } from '../../core/releases/eligibility-policy.ts';
import { mismatch } from '../../core/version/constraint.ts';
import type { SavedLists } from '../../registry/saved-lists.ts';
import type { MachineState } from '../../store/machine-state.ts';
import { currentInput } from '../restored-input.ts';
import type { Problem } from '../../base/problem.ts';
import { intendedRollback, type IntendedRollback } from './intended-rollback.ts';
import { labelFor, targetOf } from '../machine-row.ts';
import { hintForUnknown } from './unknown-deployed.ts';

/** A rollback whose consequences are known, or one for which no release list is saved. */
export type FoundRollback =
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
  /** The version that the operator named; undefined for the one before the deployed one (D390). */
  readonly wanted: Version | undefined;
}

/** What a rollback of a module does, to the version that an operator named or to the previous one (D390), or why it cannot be rolled back. */
export function foundRollback(
  row: LoggedDecision,
  { state, saved, now, until, wanted }: Circumstances,
): Result<FoundRollback, Problem[]> {
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
    const hint = deployed.kind === 'unknown' ? hintForUnknown(targetOf(row)) : undefined;
    return refusal({ kind: 'deployed-unknown', message, hint });
  }
  const from = deployed.version;
  if (wanted && compareVersions(wanted, from) >= 0) {
    const message = `--to: ${wanted.text} is not lower than ${from.text}, which is deployed as ${label}; nothing was changed`;
    return refusal({ kind: 'usage', message, hint: 'name a lower version, or pin this one' });
  }
  const without = { constraint, state, now, wanted };
  const input = currentInput(targetOf(row), state, saved, { now });
  if (!input.ok) return withoutList(row, from, { ...without, error: undefined });
  const { list } = input.value;
  if ('error' in list) return withoutList(row, from, { ...without, error: list.error });
  const intended = intendedRollback(from, list.index, { input: input.value, until, wanted });
  if (!('refusal' in intended)) return { ok: true, value: intended };
  return wanted
    ? notThere(row, { from, wanted }, whyNot(wanted, intended.refusal))
    : noTarget(row, from, lowerReleases(intended.refusal, from));
}

/** The rollback to the previous version if the releases are not known. `error` is why the last decision had no list. */
function withoutList(
  row: LoggedDecision,
  from: Version,
  {
    constraint,
    state,
    now,
    wanted,
    error,
  }: Pick<Circumstances, 'state' | 'now' | 'wanted'> & {
    readonly constraint: Constraint;
    readonly error: ListError | undefined;
  },
): Result<FoundRollback, Problem[]> {
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
  if (wanted && wanted.text !== previous.text) {
    const because = `its release list is not known here, so only ${previous.text} may be named, which was deployed before`;
    return notThere(row, { from, wanted }, because);
  }
  const waitsFor = error?.kind === 'not-saved' ? undefined : error?.message;
  return { ok: true, value: { rolledBack: { from, to: previous }, waitsFor } };
}

function noTarget(
  row: LoggedDecision,
  from: Version,
  because: readonly string[],
): Result<never, Problem[]> {
  const message = `${labelFor(row)} cannot be rolled back from ${from.text}: no lower release may be selected; nothing was changed`;
  return refusal({ kind: 'no-match', message, because, hint: 'pin the version that should run' });
}

/** The version that an operator named is not what a rollback would select. */
function notThere(
  row: LoggedDecision,
  { from, wanted }: { readonly from: Version; readonly wanted: Version },
  because: string,
): Result<never, Problem[]> {
  const message = `${labelFor(row)} cannot be rolled back from ${from.text} to ${wanted.text}; nothing was changed`;
  const hint = 'pin the version that should run';
  return refusal({ kind: 'no-match', message, because: [because], hint });
}

/** Why `wanted` is not selected: it is not published, it is refused, or the decision prefers another one. */
function whyNot(wanted: Version, decision: Decision): string {
  const { resolution } = decision;
  const { text } = wanted;
  if (resolution && !resolution.input.index.find(wanted))
    return `${text} is not in its release list`;
  const found = [...(resolution?.refused() ?? [])].find(
    (one) => one.reason !== 'not-a-version' && one.release.version.text === text,
  );
  if (!resolution || !found || found.reason === 'older') return describeDecision(decision);
  return `${text}: ${describeRefused(found, resolution.input.constraint)}`;
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

function refusal(
  problem: Pick<Problem, 'message' | 'hint' | 'because'> & {
    readonly kind: 'usage' | 'deployed-unknown' | 'no-match';
  },
): Result<never, Problem[]> {
  return { ok: false, error: [{ severity: 'error', ...problem }] };
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
