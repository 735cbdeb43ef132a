import type { Plan, PlanRow } from './plan.ts';
import { afterActions, type RequiredRow } from './requirement-outlook.ts';
import { requirementWarnings } from './requirement-warnings.ts';
import { SUBSYSTEM_MODULES } from './subsystem.ts';

type Rows = Pick<Plan, 'modules' | 'subsystems'>;

/** The rows of a plan with what other rows mean for what their releases require (D88). Most machines require nothing. */
export function withRequirements({ modules, subsystems }: Rows): Rows {
  if (![...modules, ...subsystems].some(requires)) return { modules, subsystems };
  const entries = modules.map(({ name, moduleId, decision }): RequiredRow => {
    return { name, moduleId, isSubsystem: false, decision };
  });
  const systems = subsystems.flatMap(({ target, decision }): RequiredRow[] => {
    if (target.option === 'disable_subsystem') return [];
    const { name } = target;
    return [{ name, moduleId: SUBSYSTEM_MODULES[name], isSubsystem: true, decision }];
  });
  const rows = [...entries, ...systems];
  const withThem = <Row extends PlanRow>(row: Row): Row => {
    const required = rows.find(({ decision }) => decision === row.decision);
    if (!required) return row;
    const after = afterActions(required, rows);
    const warnings = [...row.warnings, ...requirementWarnings(required, rows, after)];
    return { ...row, warnings, ...(after && { afterActions: after }) };
  };
  return { modules: modules.map(withThem), subsystems: subsystems.map(withThem) };
}

/** Whether a release that was looked at requires something, or what is deployed does. */
function requires({ decision }: PlanRow): boolean {
  const { asked } = decision.input.eligibility.machine ?? {};
  return asked !== undefined && asked.deployed.size + asked.tags.size > 0;
}
