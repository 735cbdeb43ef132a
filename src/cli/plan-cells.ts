import type { Decision, ModulePlan } from '../core/index.ts';
import { excerpt } from '../core/quote.ts';

/** The word for what stands in the way; that of the registry where it gave no list. */
export function codeOf(decision: Decision): string | undefined {
  if (decision.kind !== 'stuck') return undefined;
  return decision.code === 'no-list' ? decision.error.kind : decision.code;
}

/** The module_id, with the name of the entry where that is not the usual one. */
export function labelOf({ name, moduleId }: Pick<ModulePlan, 'name' | 'moduleId'>): string {
  return name === moduleId.replace(':', '_') ? moduleId : `${moduleId} (${excerpt(name)})`;
}
