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
 * Says why a decision was made, in one escaped line.
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

/** Why nothing is replaced now, in one line. */
function describeHold(hold: Hold): string {
  switch (hold.reason) {
    case 'window-closed':
      return hold.until === undefined
        ? 'the maintenance window is closed, and does not open again'
        : `the maintenance window is closed until ${formatTime(hold.until)}`;
    case 'maintenance-not-allowed':
      return MAINTENANCE_ANSWERS[hold.answer];
    case 'server-busy':
      return 'the server processes changes of its config';
    case 'restart-cooldown':
      return `cooling down after a restart until ${formatTime(hold.until)}`;
    case 'restart-ceiling':
      return `no more restarts until ${formatTime(hold.until)}: there were ${hold.restarts} in 24 h`;
    case 'downgrade-not-allowed':
      return 'the policy allows no downgrade';
  }
}

const MAINTENANCE_ANSWERS = {
  'not-allowed': 'maintenance is not allowed now',
  missing: 'whether maintenance is allowed was asked, and nothing was answered',
  failed: 'whether maintenance is allowed could not be asked',
  'timed-out': 'whether maintenance is allowed was asked, and the answer took too long',
  'not-a-boolean': 'whether maintenance is allowed was answered by neither true nor false',
} as const;

/** An address, or what else was reported, without what may be a credential in it. */
export function describeAddress(text: string): string {
  const parts = text.replace(/[?#].*$/s, '').split(/(?<=[/\s])/);
  return excerpt(parts.map((part) => part.slice(part.lastIndexOf('@') + 1)).join(''));
}

/** What a replacement brings, to be shown. */
export function describeTarget(replacement: Replacement): string {
  const text = replacementText(replacement);
  return 'url' in replacement.to ? describeAddress(text) : text;
}

/** What was reported to run, without what may be a credential in it; undefined where nothing does. */
export function reportedText(deployed: Deployed): string | undefined {
  const text = deployedText(deployed);
  return deployed.kind === 'version' || text === undefined ? text : describeAddress(text);
}

function describeKept(kept: Decision & { readonly kind: 'keep' }): string {
  const { deployed } = kept.input;
  switch (kept.because) {
    case 'local':
      return 'local: it is on this machine only';
    case 'disabled':
      return 'disabled by disable_subsystem';
    case 'up-to-date':
      return kept.resolution ? describeCurrent(kept.resolution, deployed) : 'runs from its pin_url';
    case 'ahead':
      return deployed.kind === 'other'
        ? `${quote(describeAddress(deployed.text))} is not a version, and only a pin replaces it`
        : describeAhead(kept);
  }
}

type Ahead = Decision & { readonly kind: 'keep'; readonly because: 'ahead' };

function describeCurrent(resolution: Resolution, deployed: Deployed): string {
  const { constraint } = resolution.input;
  if (resolution.kind === 'unsatisfied') return 'pinned, and not published any more';
  const { version } = resolution.release;
  if (constraint.kind === 'patch') return 'pinned';
  const runs = deployed.kind === 'version' && deployed.version.text === version.text;
  const already = `already the ${chosenAs(version, constraint)}`;
  return runs ? already : `${already}, of which ${version.text} is another build`;
}

/** What stays although it is not what the constraint means, and what speaks against it. (D16, D17, D30) */
function describeAhead({ resolution, against: found }: Ahead): string {
  const { constraint } = resolution.input;
  const against = found ? [describeAgainst(found, constraint)] : [];
  if (resolution.kind === 'resolved') {
    const { version } = resolution.release;
    const best = `newer than ${version.text}, the ${chosenAs(version, constraint)} that may be chosen`;
    return [best, ...against, 'it is never taken back'].join('; ');
  }
  if (constraint.kind === 'patch') return ['it stays', ...against].join('; ');
  return ['it stays', ...against, `nothing may be chosen: ${countReasons(resolution)}`].join('; ');
}

function describeAgainst(against: Against, constraint: Constraint): string {
  if (against.kind === 'refused') return `refused: ${describeRefused(against.refused, constraint)}`;
  return against.failure ? `it ${failureWords(against.failure)}` : 'it is not in the list';
}

function describeReplacement({ deployed, previous }: DecideInput, due: Replacement): string {
  if (!due.resolution) {
    if (due.direction === 'install') return 'not deployed yet; from its pin_url';
    const isQuery = describeAddress(deployedText(deployed) ?? '') === describeAddress(due.to.url);
    return `its pin_url is another than what runs${isQuery ? ', after the question mark' : ''}`;
  }
  const { direction, to, resolution } = due;
  const { constraint } = resolution.input;
  const { version } = to;
  if (direction === 'rollback') {
    const why = `${due.failure.version.text} ${failureWords(due.failure)}; `;
    return previous?.text === version.text
      ? `${why}${version.text} ran before it`
      : `${why}${version.text} instead: ${chosenAs(version, constraint)}`;
  }
  return [
    ...(direction === 'install' ? ['not deployed yet'] : fromWords(deployed, constraint)),
    chosenAs(version, constraint),
    ...(direction === 'downgrade' ? ['a downgrade: module data is shared by all versions'] : []),
    ...(isNewMajor(deployed, version) ? ['new major: read its notes'] : []),
    ...(to.yanked === undefined ? [] : [describeYanked(to.yanked)]),
    ...(to.deprecated === undefined ? [] : [describeDeprecated(to.deprecated)]),
  ].join('; ');
}

function failureWords({ isRolledBack }: Failure): string {
  return isRolledBack ? 'was rolled back on this machine' : 'failed on this machine';
}

function fromWords(deployed: Deployed, constraint: Constraint): string[] {
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
      return 'what is deployed is not known';
    case 'no-list':
      return stuck.error.message;
    case 'list-stale':
      return describeStale(stuck.stale, stuck.input);
    case 'no-match':
      return `nothing may be chosen: ${countReasons(stuck.resolution)}`;
    case 'pin-not-published':
      return `the pin is not published; ${complaintOf(stuck.resolution, '').because.join('; ')}`;
    case 'quarantined': {
      const { failure } = stuck;
      const end = failure.until === undefined ? '' : ` until ${formatTime(failure.until)}`;
      return `the pin ${failureWords(failure)}, and is quarantined${end}`;
    }
    case 'conflicting-digest':
    case 'no-artifact':
    case 'digest-changed':
    case 'not-yet-published': {
      const { constraint } = stuck.resolution.input;
      return `the pin is published, and refused: ${describeRefused(stuck.refused, constraint)}`;
    }
  }
}

function describeStale(
  { message, confirmedAt }: StaleList,
  { maxIndexAgeMs }: DecideInput,
): string {
  const limit = describeDuration(maxIndexAgeMs);
  return `${message}; the list that is saved was confirmed at ${formatTime(confirmedAt)}, and at most ${limit} counts`;
}

/** How many entries each reason refuses, most first: `12 other-major, 2 prerelease`. (D30) */
function countReasons(resolution: Resolution): string {
  const counts = new Map<string, number>();
  for (const { reason } of resolution.refused()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (counts.size === 0) return 'the list is empty';
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}
