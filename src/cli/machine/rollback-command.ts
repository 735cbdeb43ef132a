import {
  compareVersions,
  parseConstraint,
  type Constraint,
  type Result,
} from '../../core/index.ts';
import type { RolledBack } from '../../core/releases/eligibility-policy.ts';
import { mismatch } from '../../core/version/constraint.ts';
import { reportedText } from '../../core/explanation/decision-words.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { MachineState } from '../../store/machine-state.ts';
import { jsonLine } from '../output/answer-json.ts';
import { failed } from '../registry/catalogue-options.ts';
import { labelFor, rowNamed, targetOf } from './machine-row.ts';
import { withState } from './open-state.ts';
import type { Outcome, Problem } from '../problem.ts';
import type { World } from '../world.ts';

/** `modreg rollback <module>`: the previous version replaces the deployed one, and stays until a newer release (D13, D32). */
export function rollbackCommand(
  named: string,
  { json }: { readonly json?: true },
  world: World,
): Outcome {
  return withState(world, 'write', (state) => {
    const row = rowNamed(named, state.decisions());
    if (!row.ok) return failed(row.error);
    const now = world.clock();
    const found = rollbackOf(row.value, state, now);
    if (!found.ok) return failed(found.error);
    const { from, to } = found.value;
    if (!state.rollBack(targetOf(row.value), found.value, now))
      return failed(replacedMeanwhile(row.value));
    const { name, moduleId } = row.value;
    if (json) {
      const document = { schema: 'modreg/rollback@1', name, module_id: moduleId };
      const answer = [jsonLine({ ...document, from: from.text, to: to?.text ?? null })];
      return { answer, notes: [], problems: [] };
    }
    const isStaying = to && compareVersions(to, from) < 0;
    const until = isStaying
      ? `, and stays there until a release above ${from.text} is published`
      : '';
    const destination = to
      ? `to ${to.text} at the poller's next decision${until}`
      : "at the poller's next decision, to the best release that may be selected instead, if there is one: no previous version may be selected";
    const answer = [`${labelFor(row.value)} rolls back from ${from.text} ${destination}`];
    const notes = [`note: modreg quarantine lift ${moduleId} ${from.text} undoes this`];
    return { answer, notes, problems: [] };
  });
}

/** The versions that a module rolls back from and to, or why it cannot roll back. */
function rollbackOf(
  row: LoggedDecision,
  state: MachineState,
  now: number,
): Result<RolledBack, Problem> {
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
  const isRefused = quarantine.some(
    ({ version, until = Infinity }) => version === previous?.text && now < until,
  );
  const isOther = !previous || mismatch(constraint, previous) !== undefined;
  const to = isRefused || isOther ? undefined : previous;
  return { ok: true, value: { from: deployed.version, to } };
}

function refusal(
  problem: Pick<Problem, 'message' | 'hint'> & { readonly kind: 'usage' | 'deployed-unknown' },
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
