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

/** `modreg rollback <module>`: what ran before takes the place of what runs, and stays. (D13) */
export function rollbackCommand(
  named: string,
  { json }: { readonly json?: true },
  world: World,
): Outcome {
  return withState(world, 'write', (state) => {
    const row = rowNamed(named, state);
    if (!row.ok) return failed(row.error);
    const now = world.clock();
    const asked = wayBack(row.value, state, now);
    if (!asked.ok) return failed(asked.error);
    const { from, to } = asked.value;
    if (!state.rollBack(targetOf(row.value), asked.value, now)) return failed(movedOn(row.value));
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
    const whither = to
      ? `to ${to.text} with the poller's next decision${until}`
      : "with the poller's next decision, to the best that may be chosen instead, if anything may: nothing that ran before does";
    const answer = [`${labelFor(row.value)} goes back from ${from.text} ${whither}`];
    const notes = [`note: modreg quarantine lift ${moduleId} ${from.text} ends that`];
    return { answer, notes, problems: [] };
  });
}

/** From what to what a module goes back, or why it does not. */
function wayBack(
  row: LoggedDecision,
  state: MachineState,
  now: number,
): Result<RolledBack, Problem> {
  const label = labelFor(row);
  const constraint = constraintOf(row);
  if (constraint?.kind === 'patch') {
    const message = `${label} is pinned to ${row.constraint}, and nothing else may take its place`;
    return refusal({ kind: 'usage', message, hint: 'pin the version that should run' });
  }
  if (!constraint) {
    const message = `${label} is not decided by a constraint, and there is no way back: ${row.reason}`;
    return refusal({ kind: 'usage', message });
  }
  const { deployed, previous, quarantine } = state.memory().of(targetOf(row));
  if (deployed.kind !== 'version') {
    const runs = reportedText(deployed) ?? deployed.kind;
    const message = `${label}: what is deployed is ${runs}, and a way back begins at a version`;
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

function movedOn(row: LoggedDecision): Problem {
  const message = `${labelFor(row)} was replaced meanwhile, and is left as it is`;
  return { severity: 'error', kind: 'locked', message, hint: 'modreg status shows what runs' };
}

/** What the poller read last; undefined where that is an address, or nothing. */
function constraintOf({ kind, constraint = '' }: LoggedDecision): Constraint | undefined {
  // The decision on a subsystem is logged with the word of its channel.
  if (kind === 'subsystem' && (constraint === 'stable' || constraint === 'latest')) {
    return { kind: constraint === 'stable' ? 'latest' : 'latest-with-prerelease' };
  }
  const parsed = parseConstraint(constraint);
  return parsed.ok ? parsed.value : undefined;
}
