import { formatConstraint } from '../version/constraint.ts';
import { replacementOf, wordFor, type Decision, type Requirement } from '../decision/decision.ts';
import type { ChangeCause, NextChange } from '../decision/next-change.ts';
import type { Warning } from '../decision/warning.ts';
import { quote } from '../text/quote.ts';
import { formatTime } from '../text/rfc3339.ts';
import {
  describeAddress,
  describeDecision,
  describeTarget,
  reportedText,
} from './decision-words.ts';
import { describeDeprecated, describeYanked } from './words.ts';

/** What a decision comes to, in few words: `upgrade to 1.2.9`, `hold`, `up-to-date`. */
export function summarizeDecision(decision: Decision): string {
  const replacement = replacementOf(decision);
  if (!replacement) return wordFor(decision);
  const { direction } = replacement;
  const whole = `${direction} ${direction === 'install' ? 'of' : 'to'} ${describeTarget(replacement)}`;
  return decision.kind === 'hold' ? `hold of the ${whole}` : whole;
}

const CAUSES: Readonly<Record<ChangeCause, string>> = {
  'release-published': 'a release is published',
  'release-of-age': 'a release comes of age',
  'quarantine-ends': 'a quarantine ends',
  'window-opens': 'the maintenance window opens',
  'window-closes': 'the maintenance window closes',
  'cooldown-ends': 'the restart cooldown ends',
  'ceiling-ends': 'another restart may be made',
  'restart-counts': 'a restart counts that was noted ahead of the clock',
  'list-too-old': 'the saved list grows too old',
};

/**
 * Says when a decision changes, to what, and why, in one line.
 *
 * @example
 * ```ts
 * import { describeChange, type PlanRow } from 'modreg';
 *
 * export function next({ nextChange }: PlanRow): string {
 *   return nextChange ? describeChange(nextChange) : 'nothing changes by itself';
 * }
 * ```
 */
export function describeChange({ at, because, becomes }: NextChange): string {
  return `${formatTime(at)}: ${summarizeDecision(becomes)}, as ${CAUSES[because]}`;
}

/**
 * Says what a warning is about, in one escaped line. `decision` is the one that it belongs to.
 *
 * @example
 * ```ts
 * import { describeWarning, type PlanRow } from 'modreg';
 *
 * export function warningsOf({ warnings, decision }: PlanRow): string[] {
 *   return warnings.map((warning) => describeWarning(warning, decision));
 * }
 * ```
 */
export function describeWarning(warning: Warning, decision: Decision): string {
  switch (warning.kind) {
    case 'ahead':
    case 'downgrade':
      return describeDecision(decision);
    case 'deployed-yanked':
      return `${warning.version.text} runs, and is ${describeYanked(warning.because)}`;
    case 'yanked':
      return `${warning.version.text} is ${describeYanked(warning.because)}; a pin may still name it`;
    case 'deprecated':
      return `${warning.version.text} is ${describeDeprecated(warning.because)}`;
    case 'deployed-not-a-version':
      return `what runs, ${quote(describeAddress(warning.text))}, is not a version`;
    case 'pin-not-published':
      return `${warning.version.text} runs, and is not published any more`;
    case 'stale-list':
      return `${warning.message}; decided by the list that was confirmed at ${formatTime(warning.confirmedAt)}`;
    case 'shadowed-pin':
      return `pin_url wins over the pin_version ${warning.version.text}`;
    case 'conflicting-constraints':
      return 'another entry has this module_id, and each is resolved by itself';
  }
}

/** The constraint as written, or the address that is pinned; undefined where nothing is asked for. */
export function requirementText(requirement: Requirement): string | undefined {
  if (requirement.kind === 'local' || requirement.kind === 'disabled') return undefined;
  return requirement.kind === 'pin-url'
    ? describeAddress(requirement.url)
    : formatConstraint(requirement);
}

/** What should run: what runs where that stays, undefined where there is no answer. */
export function targetText(decision: Decision): string | undefined {
  const replacement = replacementOf(decision);
  if (replacement) return describeTarget(replacement);
  const isAnswered =
    decision.kind === 'keep' && requirementText(decision.input.requirement) !== undefined;
  return isAnswered ? reportedText(decision.input.deployed) : undefined;
}

/** Until when it is held or quarantined, in milliseconds since the epoch, where that is known. */
export function untilOf(decision: Decision): number | undefined {
  if (decision.kind === 'hold') return decision.until;
  const isQuarantined = decision.kind === 'stuck' && decision.code === 'quarantined';
  return isQuarantined ? decision.failure.until : undefined;
}
