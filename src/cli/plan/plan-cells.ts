import { reportedText } from '../../core/explanation/decision-words.ts';
import type { Decision, Deployed, ModulePlan } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';

/** The word for what stands in the way; that of the registry where it gave no list. */
export function codeOf(decision: Decision): string | undefined {
  if (decision.kind !== 'stuck') return undefined;
  return decision.code === 'no-list' ? decision.error.kind : decision.code;
}

/** The module_id, with the name of the entry where that is not the usual one. */
export function labelOf({ name, moduleId }: Pick<ModulePlan, 'name' | 'moduleId'>): string {
  return name === moduleId.replace(':', '_') ? moduleId : `${moduleId} (${excerpt(name)})`;
}

/** What is no version is quoted, since it may be blank. */
export function deployedCell(deployed: Deployed): string {
  const runs = reportedText(deployed) ?? deployed.kind;
  return deployed.kind === 'other' ? quote(runs) : runs;
}
