import { describeDecision, SUBSYSTEM_MODULES, type Plan, type PlanRow } from '../core/index.ts';
import { wordFor } from '../core/decision/decision.ts';
import { targetText, untilOf, wantedText } from '../core/explanation/plan-words.ts';
import type { LoggedDecision } from '../store/index.ts';

/** A plan as `modreg status` shows it. */
export function loggedDecisions({ modules, subsystems }: Plan): LoggedDecision[] {
  return [
    ...modules.map((row) => {
      const { name, moduleId } = row;
      return { kind: 'module', name, moduleId, ...logged(row), ...asked(row) } as const;
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
  return { constraint: wantedText(decision.question.wanted) };
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
