import { formatConstraint, type Decision, type ModulePlan, type Wanted } from '../core/index.ts';
import { replacementOf } from '../core/decision/decision.ts';
import { excerpt } from '../core/quote.ts';
import {
  describeAddress,
  describeTarget,
  reportedText,
} from '../core/explanation/decision-words.ts';

/** The constraint as written, or the address that is pinned; undefined where nothing is asked for. */
export function wantedText(wanted: Wanted): string | undefined {
  if (wanted.kind === 'local' || wanted.kind === 'disabled') return undefined;
  return wanted.kind === 'pin-url' ? describeAddress(wanted.url) : formatConstraint(wanted);
}

/** What should run: what runs where that stays, undefined where there is no answer. */
export function targetText(decision: Decision): string | undefined {
  const replacement = replacementOf(decision);
  if (replacement) return describeTarget(replacement);
  const isAnswered = decision.kind === 'keep' && wantedText(decision.question.wanted) !== undefined;
  return isAnswered ? reportedText(decision.question.deployed) : undefined;
}

/** The word for what stands in the way; that of the registry where it gave no list. */
export function codeOf(decision: Decision): string | undefined {
  if (decision.kind !== 'stuck') return undefined;
  return decision.code === 'no-list' ? decision.error.kind : decision.code;
}

export function untilOf(decision: Decision): number | undefined {
  return 'until' in decision ? decision.until : undefined;
}

/** The module_id, with the name of the entry where that is not the usual one. */
export function labelOf({ name, moduleId }: Pick<ModulePlan, 'name' | 'moduleId'>): string {
  return name === moduleId.replace(':', '_') ? moduleId : `${moduleId} (${excerpt(name)})`;
}
