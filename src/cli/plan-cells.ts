import {
  formatConstraint,
  type Decision,
  type Deployed,
  type ModulePlan,
  type Replacement,
  type Wanted,
} from '../core/index.ts';
import { replacementText } from '../core/decision/decision.ts';
import { deployedText } from '../core/deployed.ts';
import { excerpt } from '../core/quote.ts';
import { describeAddress } from '../core/explanation/decision-words.ts';

/** The constraint as written, or the address that is pinned; undefined where nothing is asked for. */
export function wantedText(wanted: Wanted): string | undefined {
  if (wanted.kind === 'local' || wanted.kind === 'disabled') return undefined;
  return wanted.kind === 'pin-url' ? describeAddress(wanted.url) : formatConstraint(wanted);
}

/** What runs, undefined where nothing does or nobody knows. An address is shown without its query. */
export function shownText(deployed: Deployed): string | undefined {
  return deployed.kind === 'url' ? describeAddress(deployed.url) : deployedText(deployed);
}

/** What is to replace what runs, now or later. */
export function replacementOf(decision: Decision): Replacement | undefined {
  if (decision.kind === 'hold') return decision.replacement;
  return decision.kind === 'replace' ? decision : undefined;
}

/** What should run: what runs where that stays, undefined where there is no answer. */
export function targetText(decision: Decision): string | undefined {
  const replacement = replacementOf(decision);
  if (replacement) {
    const text = replacementText(replacement);
    return 'url' in replacement.to ? describeAddress(text) : text;
  }
  const isAnswered = decision.kind === 'keep' && wantedText(decision.question.wanted) !== undefined;
  return isAnswered ? shownText(decision.question.deployed) : undefined;
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
