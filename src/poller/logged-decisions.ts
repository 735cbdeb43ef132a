import { describeDecision, SUBSYSTEM_MODULES, type Plan, type PlanRow } from '../core/index.ts';
import { wordFor } from '../core/decision/decision.ts';
import { targetText, untilOf, requirementText } from '../core/explanation/plan-words.ts';
import { excerpt } from '../core/text/quote.ts';
import type { LoggedDecision } from '../store/index.ts';
import { keyOf } from '../store/target.ts';

/** A plan as `modreg status` shows it. `needs` has what modules wait for that is due, by their keys. */
export function loggedDecisions(
  { modules, subsystems }: Plan,
  needs: ReadonlyMap<string, string | undefined>,
): LoggedDecision[] {
  return [
    ...modules.map((row) => {
      const { name, moduleId } = row;
      const { reason, ...rest } = logged(row);
      const need = needs.get(keyOf({ kind: 'module', name }));
      const waits = need === undefined ? '' : `; waits for ${excerpt(need)}, which it needs`;
      const said = { ...rest, reason: `${reason}${waits}` };
      return { kind: 'module', name, moduleId, ...said, ...asked(row) } as const;
    }),
    ...subsystems.flatMap((row) => {
      const { target } = row;
      if (target.option === 'disable_subsystem') return [];
      const { name, option, releaseChannel } = target;
      const constraint = option === 'release_channel' ? { constraint: releaseChannel } : asked(row);
      const moduleId = SUBSYSTEM_MODULES[name];
      return [{ kind: 'subsystem', name, moduleId, ...logged(row), ...constraint } as const];
    }),
  ];
}

function asked({ decision }: PlanRow): Pick<LoggedDecision, 'constraint'> {
  return { constraint: requirementText(decision.input.requirement) };
}

function logged({
  decision,
  latest,
}: PlanRow): Omit<LoggedDecision, 'kind' | 'name' | 'moduleId' | 'constraint'> {
  return {
    target: targetText(decision),
    latest: latest?.text,
    decision: wordFor(decision),
    reason: describeDecision(decision),
    until: untilOf(decision),
  };
}
