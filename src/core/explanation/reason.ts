import { wordFor, type Decision } from '../decision/decision.ts';
import { wordsOf, type Words } from '../text/time-words.ts';
import { decisionWords } from './decision-words.ts';

/** Why a decision is as it is, as data. Decisions with the same code and the same facts have the same reason, whatever its times are (D65). */
export interface Reason extends Words {
  /** For programs: `up-to-date`, `upgrade`, `window-closed`, `no-match`, `registry-timeout`. */
  readonly code: string;
}

export function reasonOf(decision: Decision): Reason {
  return { code: reasonCode(decision), ...wordsOf(decisionWords(decision)) };
}

/** The code why it is stuck, the first reason of a hold, or the word for the decision. */
export function reasonCode(decision: Decision): string {
  const [hold] = decision.kind === 'hold' ? decision.because : [];
  return codeOf(decision) ?? hold?.reason ?? wordFor(decision);
}

/** The code of the reason why a decision is stuck; the registry's error if there is no list. */
export function codeOf(decision: Decision): string | undefined {
  if (decision.kind !== 'stuck') return undefined;
  return decision.code === 'no-list' ? decision.error.kind : decision.code;
}
