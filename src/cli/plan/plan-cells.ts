import { reportedText } from '../../core/explanation/decision-words.ts';
import type { Decision, Deployed } from '../../core/index.ts';
import type { ModulePlan } from '../../core/plan/plan.ts';
import { excerpt, quote } from '../../core/text/quote.ts';

/** The code of the reason why a decision is stuck; the registry's error if there is no list. */
export function codeOf(decision: Decision): string | undefined {
  if (decision.kind !== 'stuck') return undefined;
  return decision.code === 'no-list' ? decision.error.kind : decision.code;
}

/** The module_id, followed by the name of the entry if that is not the conventional one. */
export function labelOf({ name, moduleId }: Pick<ModulePlan, 'name' | 'moduleId'>): string {
  return name === moduleId.replace(':', '_') ? moduleId : `${moduleId} (${excerpt(name)})`;
}

/** The deployed version. Reported text that is not a version is quoted, since it may be blank. */
export function deployedCell(deployed: Deployed): string {
  const text = reportedText(deployed) ?? deployed.kind;
  return deployed.kind === 'other' ? quote(text) : text;
}
