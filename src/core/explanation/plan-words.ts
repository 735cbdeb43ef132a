import { expectArgument, expectMembers, NUMBER, ofKind, TEXT } from '../text/argument.ts';
import { formatConstraint } from '../version/constraint.ts';
import { replacementOf, wordFor, type Decision, type Requirement } from '../decision/decision.ts';
import type { ChangeCause, NextChange } from '../decision/next-change.ts';
import type { Warning } from '../decision/warning.ts';
import type { AfterActions } from '../decision/after-actions.ts';
import { excerpt, quote } from '../text/quote.ts';
import { joined, passing, say, textOf, type Said } from '../text/time-words.ts';
import { shownDecision } from './shown-decision.ts';
import {
  DECISION,
  decisionWords,
  describeAddress,
  describeTarget,
  reportedText,
} from './decision-words.ts';
import { editWords, requiredText } from './requirement-words.ts';
import {
  describeDeprecated,
  describeYanked,
  floorsWords,
  inBrackets,
  rolloutWords,
  sameAsWords,
  siteWords,
} from './words.ts';

const UNSIGNED_YANK = '; it stays, because its author did not sign the yank';

/** A decision in a few words: `upgrade to 1.2.9`, `upgrade to 1.2.9 waits`, `up to date`. */
export function summarizeDecision(decision: Decision): string {
  const replacement = replacementOf(decision);
  if (!replacement) return shownDecision(wordFor(decision));
  const { direction } = replacement;
  const preposition = direction === 'install' || direction === 'restart' ? 'of' : 'to';
  const change = `${direction} ${preposition} ${describeTarget(replacement)}`;
  return decision.kind === 'hold' ? `${change} waits` : change;
}

const CAUSES: Readonly<Record<ChangeCause, string>> = {
  'release-published': 'a release is published',
  'release-of-age': 'a release reaches the minimum age',
  'quarantine-ends': 'a quarantine ends',
  'window-opens': 'the maintenance window opens',
  'window-closes': 'the maintenance window closes',
  'blackout-begins': 'a blackout begins',
  'blackout-ends': 'the blackout ends',
  'cooldown-ends': 'the restart cooldown ends',
  'ceiling-ends': 'another restart is allowed',
  'operator-hold-ends': 'the hold of an operator ends',
  'upgrade-request-counts': 'the request of an operator begins to count',
  'upgrade-request-ends': 'the request of an operator ends',
  'longest-hold-ends': 'it has been held for longest_hold',
  'restart-counts': 'a restart that was recorded in the future begins to count',
  'list-too-old': 'the saved list becomes too old',
  'list-unconfirmed': 'the list was not confirmed for an hour, which a release in rollout needs',
};

const NEXT_CHANGE = { at: NUMBER, because: TEXT, becomes: DECISION };
const WARNING = ofKind('a Warning of a PlanRow');

/**
 * Describes in one line when a decision changes, to what, and why.
 *
 * @example
 * ```ts
 * import { describeChange, type PlanRow } from 'modreg';
 *
 * export function next({ nextChange }: PlanRow): string {
 *   return nextChange ? describeChange(nextChange) : 'no change is scheduled';
 * }
 * ```
 */
export function describeChange(change: NextChange): string {
  expectMembers('describeChange()', 'change', change, NEXT_CHANGE);
  return textOf(changeWords(change));
}

/** The same, with its time as data. */
export function changeWords({ at, because, becomes }: NextChange): Said {
  return say`${passing(at)}: ${summarizeDecision(becomes)}, as ${CAUSES[because]}`;
}

/**
 * Describes a warning in one escaped line. `decision` is the decision that it belongs to.
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
  expectArgument('describeWarning()', 'warning', warning, WARNING);
  expectArgument('describeWarning()', 'decision', decision, DECISION);
  return textOf(warningWords(warning, decision));
}

/** The same, with its times as data. */
export function warningWords(warning: Warning, decision: Decision): Said {
  switch (warning.kind) {
    case 'ahead':
    case 'downgrade':
      return decisionWords(decision);
    case 'deployed-yanked':
      return `the deployed version ${warning.version.text} is ${describeYanked(warning.because)}${warning.isUnsigned ? UNSIGNED_YANK : ''}`;
    case 'yanked':
      return `${warning.version.text} is ${describeYanked(warning.because)}; a pin may still name it`;
    case 'deprecated':
      return `${warning.version.text} is ${describeDeprecated(warning.because)}`;
    case 'deployed-refused':
      return `the deployed version ${warning.version.text} is ${siteWords(warning)}; it stays until another release is selected`;
    case 'deployed-not-a-version':
      return `${quote(describeAddress(warning.text))} is deployed, but is not a version`;
    case 'pin-not-published':
      return say`${warning.version.text} is deployed: ${decisionWords(decision)}`;
    case 'stale-list':
      return say`${warning.message}; using the saved list that was confirmed at ${passing(warning.confirmedAt)}`;
    case 'shadowed-pin':
      return `pin_url takes precedence over pin_version ${warning.version.text}`;
    case 'unverified-download':
      return 'its pin_url has no #sha256=… digest, so the file is not verified';
    case 'rollout-bypassed':
      return say`the pin bypasses the rollout of ${warning.version.text}: ${rolloutWords(warning.against)}`;
    case 'floor-bypassed':
      return `${replacementName(decision)} passes ${floorsWords(warning.floors)}, which this machine does not run first`;
    case 'failed-in-another-entry':
      return `${warning.version.text} failed in entry ${excerpt(warning.entry)}${inBrackets(warning.because)}; it is kept here, where it works, and no other entry gets it`;
    case 'undecided':
      return `${warning.version.text} is undecided: ${sameAsWords(warning.sameAs)} failed in the same way${inBrackets(warning.because)}`;
    case 'requirement-unreachable':
      return `${warning.version.text} requires ${requiredText(warning)}, which nothing on this machine will meet: ${editWords(warning)}`;
    case 'breaks-requirement':
      return `${excerpt(warning.to)} does not meet what ${excerpt(warning.name)} ${warning.version.text} requires: ${requiredText(warning)}; it is kept there all the same`;
    case 'conflicting-constraints':
      return 'another entry has this module_id; each is resolved separately';
  }
}

/** What is decided once other actions of the same plan are done. */
export function afterActionsWords({ actions, becomes }: AfterActions): string {
  const done = actions.map(({ name, to }) => `${excerpt(name)} is ${excerpt(to)}`).join(' and ');
  return `${summarizeDecision(becomes)}, once ${done}`;
}

/** What comes after the decision of a row: by actions of the same plan, by time alone, or both; undefined if neither is known. */
export function nextWords({ afterActions, nextChange }: Outlook): Said | undefined {
  if (!afterActions && !nextChange) return undefined;
  return joined(
    [afterActions && afterActionsWords(afterActions), nextChange && changeWords(nextChange)],
    '; ',
  );
}

interface Outlook {
  readonly afterActions?: AfterActions | undefined;
  readonly nextChange: NextChange | undefined;
}

function replacementName(decision: Decision): string {
  const isPin = decision.input.requirement.kind === 'patch';
  return isPin ? 'the pin' : `the ${summarizeDecision(decision).replace(/ waits$/, '')}`;
}

/** The constraint as written, or the pinned address; undefined for a local module or a disabled subsystem. */
export function requirementText(requirement: Requirement): string | undefined {
  if (requirement.kind === 'local' || requirement.kind === 'disabled') return undefined;
  return requirement.kind === 'pin-url'
    ? describeAddress(requirement.url)
    : formatConstraint(requirement);
}

/** The version that should be deployed: the deployed one if it is kept; undefined if nothing is decided. */
export function targetText(decision: Decision): string | undefined {
  const replacement = replacementOf(decision);
  if (replacement) return describeTarget(replacement);
  const isKept =
    decision.kind === 'keep' && requirementText(decision.input.requirement) !== undefined;
  return isKept ? reportedText(decision.input.deployed) : undefined;
}

/** The end of the hold or quarantine, in milliseconds since the epoch; undefined if it has none or it is not known. */
export function untilOf(decision: Decision): number | undefined {
  if (decision.kind === 'hold') return decision.until;
  const isQuarantined = decision.kind === 'stuck' && decision.code === 'quarantined';
  return isQuarantined ? decision.failure.until : undefined;
}
