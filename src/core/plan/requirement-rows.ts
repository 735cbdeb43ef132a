import type { AfterActions } from '../decision/after-actions.ts';
import type { Decision } from '../decision/decision.ts';
import type { Warning } from '../decision/warning.ts';
import { isAsked } from '../releases/machine-facts.ts';
import type { ModuleId } from '../releases/module-id.ts';
import { afterActions, type RequiredRow } from './requirement-outlook.ts';
import { requirementWarnings } from './requirement-warnings.ts';
import { SUBSYSTEM_MODULES, type SubsystemTarget } from './subsystem.ts';

interface Row {
  readonly decision: Decision;
  readonly warnings: readonly Warning[];
  readonly afterActions?: AfterActions | undefined;
}

interface Rows<Module, Subsystem> {
  readonly modules: readonly Module[];
  readonly subsystems: readonly Subsystem[];
}

/** The rows of a plan, as the releases of other rows see them. */
export function requiredRows({
  modules,
  subsystems,
}: Rows<
  Pick<RequiredRow, 'name' | 'moduleId' | 'decision'>,
  { readonly target: SubsystemTarget; readonly decision: Decision }
>): RequiredRow[] {
  const entries = modules.map(({ name, moduleId, decision }): RequiredRow => {
    return { name, moduleId, isSubsystem: false, decision };
  });
  const systems = subsystems.flatMap(({ target, decision }): RequiredRow[] => {
    if (target.option === 'disable_subsystem') return [];
    const { name } = target;
    return [{ name, moduleId: SUBSYSTEM_MODULES[name], isSubsystem: true, decision }];
  });
  return [...entries, ...systems];
}

/** The rows of a plan with what other rows mean for what their releases require (D88). Most machines require nothing. */
export function withRequirements<
  Module extends Row & { readonly name: string; readonly moduleId: ModuleId },
  Subsystem extends Row & { readonly target: SubsystemTarget },
>({ modules, subsystems }: Rows<Module, Subsystem>): Rows<Module, Subsystem> {
  const all: readonly Row[] = [...modules, ...subsystems];
  if (!all.some(({ decision }) => isAsked(decision.input.eligibility.machine)))
    return { modules, subsystems };
  const rows = requiredRows({ modules, subsystems });
  const withThem = <One extends Row>(row: One): One => {
    const required = rows.find(({ decision }) => decision === row.decision);
    if (!required) return row;
    const after = afterActions(required, rows);
    const warnings = [...row.warnings, ...requirementWarnings(required, rows, after)];
    return { ...row, warnings, ...(after && { afterActions: after }) };
  };
  return { modules: modules.map(withThem), subsystems: subsystems.map(withThem) };
}
