import { formatConstraint, isInBranch, type Constraint } from '../version/constraint.ts';
import {
  replacementText,
  type Decision,
  type DecideInput,
  type Replacement,
  type StaleList,
  type Stuck,
  type Against,
  type Failure,
} from '../decision/decision.ts';
import { deployedText, type Deployed } from '../decision/deployed.ts';
import { describeDuration } from '../text/duration.ts';
import { excerpt, quote } from '../text/quote.ts';
import type { Resolution } from '../releases/resolve.ts';
import { formatTime } from '../text/rfc3339.ts';
import type { Hold } from '../decision/timing-policies.ts';
import type { Version } from '../version/version.ts';
import { complaintOf } from './complaint.ts';
import { chosenAs, describeDeprecated, describeRefused, describeYanked } from './words.ts';

/**
 * Explains a decision in one escaped line.
 *
 * @example
 * ```ts
 * import { describeDecision, type Plan } from 'modreg';
 *
 * export function print({ modules }: Plan): void {
 *   for (const { name, decision } of modules) console.log(name, decision.kind, describeDecision(decision));
 * }
 * ```
 */
export function describeDecision(decision: Decision): string {
  switch (decision.kind) {
    case 'keep':
      return describeKept(decision);
    case 'replace':
      return describeReplacement(decision.input, decision);
    case 'hold':
      return decision.because.map(describeHold).join('; ');
    case 'stuck':
      return describeStuck(decision);
  }
}

/** Why the replacement is held, in one line. */
function describeHold(hold: Hold): string {
  switch (hold.reason) {
    case 'window-closed':
      return hold.until === undefined
        ? 'the maintenance window is closed and does not open again'
        : `the maintenance window is closed until ${formatTime(hold.until)}`;
    case 'maintenance-not-allowed':
      return MAINTENANCE_ANSWERS[hold.answer];
    case 'server-busy':
      return 'the server is processing config changes';
    case 'restart-cooldown':
      return `cooling down after a restart until ${formatTime(hold.until)}`;
    case 'restart-ceiling':
      return `no more restarts until ${formatTime(hold.until)}: ${hold.restarts} restarts in 24 h`;
    case 'downgrade-not-allowed':
      return 'the policy does not allow downgrades';
  }
}

const MAINTENANCE_ANSWERS = {
  'not-allowed': 'maintenance is not allowed now',
  missing: 'the agent gave no answer when asked whether maintenance is allowed',
  failed: 'the agent could not be asked whether maintenance is allowed',
  'timed-out': 'the agent took too long to answer whether maintenance is allowed',
  'not-a-boolean':
    'the agent answered neither true nor false when asked whether maintenance is allowed',
} as const;

/** An address or other reported text, escaped and without the parts that may contain credentials. */
export function describeAddress(text: string): string {
  const parts = text.replace(/[?#].*$/s, '').split(/(?<=[/\s])/);
  return excerpt(parts.map((part) => part.slice(part.lastIndexOf('@') + 1)).join(''));
}

/** The new version or the download address, for people. */
export function describeTarget(replacement: Replacement): string {
  const text = replacementText(replacement);
  return 'url' in replacement.to ? describeAddress(text) : text;
}

/** The deployed version as reported, without credentials; undefined if nothing is deployed or it is not known. */
export function reportedText(deployed: Deployed): string | undefined {
  const text = deployedText(deployed);
  return deployed.kind === 'version' || text === undefined ? text : describeAddress(text);
}

function describeKept(kept: Decision & { readonly kind: 'keep' }): string {
  const { deployed } = kept.input;
  switch (kept.because) {
    case 'local':
      return 'local module: available only on this machine';
    case 'disabled':
      return 'disabled by disable_subsystem';
    case 'up-to-date':
      return kept.resolution
        ? describeCurrent(kept.resolution, deployed)
        : 'deployed from its pin_url';
    case 'ahead':
      return deployed.kind === 'other'
        ? `${quote(describeAddress(deployed.text))} is not a version; only a pin replaces it`
        : describeAhead(kept);
  }
}

type Ahead = Decision & { readonly kind: 'keep'; readonly because: 'ahead' };

function describeCurrent(resolution: Resolution, deployed: Deployed): string {
  const { constraint } = resolution.input;
  if (resolution.kind === 'unsatisfied') return 'pinned, but no longer published';
  const { version } = resolution.release;
  if (constraint.kind === 'patch') return 'pinned';
  const isSelected = deployed.kind === 'version' && deployed.version.text === version.text;
  const already = `already the ${chosenAs(version, constraint)}`;
  return isSelected ? already : `${already}; ${version.text} is another build of it`;
}

/** Why the deployed version is kept although the constraint does not select it (D16, D17, D30). */
function describeAhead({ resolution, against: found }: Ahead): string {
  const { constraint } = resolution.input;
  const against = found ? [describeAgainst(found, constraint)] : [];
  if (resolution.kind === 'resolved') {
    const { version } = resolution.release;
    const best = `newer than ${version.text}, the ${chosenAs(version, constraint)} that may be selected`;
    return [best, ...against, 'it is kept, not downgraded'].join('; ');
  }
  if (constraint.kind === 'patch') return ['it is kept', ...against].join('; ');
  return ['it is kept', ...against, `no release may be selected: ${countReasons(resolution)}`].join(
    '; ',
  );
}

function describeAgainst(against: Against, constraint: Constraint): string {
  if (against.kind === 'refused') return `refused: ${describeRefused(against.refused, constraint)}`;
  return against.failure ? `it ${failureWords(against.failure)}` : 'it is not in the list';
}

function describeReplacement(
  { deployed, previous }: DecideInput,
  replacement: Replacement,
): string {
  if (!replacement.resolution) {
    if (replacement.direction === 'install') return 'not deployed yet; from its pin_url';
    const isSameWithoutQuery =
      describeAddress(deployedText(deployed) ?? '') === describeAddress(replacement.to.url);
    return `its pin_url differs from what is deployed${isSameWithoutQuery ? ', but only in the query' : ''}`;
  }
  const { direction, to, resolution } = replacement;
  const { constraint } = resolution.input;
  const { version } = to;
  if (direction === 'rollback') {
    const why = `${replacement.failure.version.text} ${failureWords(replacement.failure)}; `;
    return previous?.text === version.text
      ? `${why}${version.text} was deployed before it`
      : `${why}${version.text} instead: ${chosenAs(version, constraint)}`;
  }
  return [
    ...(direction === 'install' ? ['not deployed yet'] : outsideBranch(deployed, constraint)),
    chosenAs(version, constraint),
    ...(direction === 'downgrade' ? ['a downgrade: module data is shared by all versions'] : []),
    ...(isNewMajor(deployed, version) ? ['new major: read its release notes'] : []),
    ...(to.yanked === undefined ? [] : [describeYanked(to.yanked)]),
    ...(to.deprecated === undefined ? [] : [describeDeprecated(to.deprecated)]),
  ].join('; ');
}

function failureWords({ isRolledBack }: Failure): string {
  return isRolledBack ? 'was rolled back on this machine' : 'failed on this machine';
}

function outsideBranch(deployed: Deployed, constraint: Constraint): string[] {
  if (deployed.kind !== 'version' || constraint.kind === 'patch') return [];
  if (isInBranch(constraint, deployed.version)) return [];
  return [`${deployed.version.text} is outside ${formatConstraint(constraint)}`];
}

function isNewMajor(deployed: Deployed, { major }: Version): boolean {
  return deployed.kind === 'version' && deployed.version.major < major;
}

function describeStuck(stuck: Decision & Stuck): string {
  switch (stuck.code) {
    case 'deployed-unknown':
      return 'the deployed version is not known';
    case 'no-list':
      return stuck.error.message;
    case 'list-stale':
      return describeStale(stuck.stale, stuck.input);
    case 'no-match':
      return `no release may be selected: ${countReasons(stuck.resolution)}`;
    case 'pin-not-published':
      return `the pin is not published; ${complaintOf(stuck.resolution, '').because.join('; ')}`;
    case 'quarantined': {
      const { failure } = stuck;
      const end = failure.until === undefined ? '' : ` until ${formatTime(failure.until)}`;
      return `the pin ${failureWords(failure)} and is quarantined${end}`;
    }
    case 'conflicting-digest':
    case 'no-artifact':
    case 'digest-changed':
    case 'not-yet-published': {
      const { constraint } = stuck.resolution.input;
      return `the pin is published but refused: ${describeRefused(stuck.refused, constraint)}`;
    }
  }
}

function describeStale(
  { message, confirmedAt }: StaleList,
  { maxIndexAgeMs }: DecideInput,
): string {
  const limit = describeDuration(maxIndexAgeMs);
  return `${message}; the saved list was confirmed at ${formatTime(confirmedAt)}, the limit is ${limit}`;
}

/** How many entries each reason refuses, the most frequent reason first: `12 other-major, 2 prerelease` (D30). */
function countReasons(resolution: Resolution): string {
  const counts = new Map<string, number>();
  for (const { reason } of resolution.refused()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (counts.size === 0) return 'the list is empty';
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}
