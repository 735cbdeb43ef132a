import { expectArgument, ofKind, type Expected } from '../text/argument.ts';
import { formatConstraint, isInBranch, type Constraint } from '../version/constraint.ts';
import type {
  Decision,
  DecideInput,
  Replacement,
  Stuck,
  Against,
  Failure,
} from '../decision/decision.ts';
import { releaseOf, replacementText } from '../decision/replacement-text.ts';
import type { StaleList } from '../decision/module-list.ts';
import { deployedText, deployedVersion, type Deployed } from '../decision/deployed.ts';
import { describeDuration } from '../text/duration.ts';
import { excerpt, quote } from '../text/quote.ts';
import type { Resolution } from '../releases/resolve.ts';
import { joined, passing, say, textOf, type Said } from '../text/time-words.ts';
import type { Version } from '../version/version.ts';
import { complaintOf } from './complaint.ts';
import { countReasons } from './counted-reasons.ts';
import { holdWords } from './hold-words.ts';
import { newerWords, refusedWords } from './newer-words.ts';
import { retryWords, skippedWords, upgradeWords } from './replacement-words.ts';
import {
  chosenAs,
  describeDeprecated,
  describeYanked,
  inBrackets,
  newestOf,
  refusalWords,
  untilWords,
} from './words.ts';
import { rolledBackWords, requestWords } from './requester-words.ts';

/** What a decision of a caller can be (D464). The compiler finds a kind that is missing. */
const KINDS: Readonly<Record<Decision['kind'], true>> = {
  keep: true,
  hold: true,
  stuck: true,
  replace: true,
};

export const DECISION: Expected = ofKind('a Decision of decide()', ...Object.keys(KINDS));

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
  expectArgument('describeDecision()', 'decision', decision, DECISION);
  return textOf(decisionWords(decision));
}

/** The same, with its times as data. */
export function decisionWords(decision: Decision): Said {
  switch (decision.kind) {
    case 'keep':
      return keptWords(decision);
    case 'replace': {
      if (decision.direction === 'restart') {
        const { request, held } = decision;
        return sentence(requestWords(request), held && heldMeanwhile(held));
      }
      const named =
        decision.direction === 'rollback'
          ? decision.failure.version
          : deployedVersion(decision.input.deployed);
      return sentence(
        describeReplacement(decision.input, decision),
        retryWords(decision.input, decision),
        newerThan(decision, named),
        skippedWords(decision.input, decision),
        upgradeWords(decision.input, decision),
      );
    }
    case 'hold':
      return sentence(
        ...decision.because.map(holdWords),
        retryWords(decision.input, decision.replacement),
        newerThan(decision.replacement),
        skippedWords(decision.input, decision.replacement),
        decision.input.restartRequest && requestWords(decision.input.restartRequest),
        upgradeWords(decision.input, decision.replacement),
      );
    case 'stuck':
      return stuckWords(decision);
  }
}

function sentence(...parts: readonly (Said | undefined)[]): Said {
  return joined(parts, '; ');
}

/** Why newer releases than the one to deploy are refused, except `named`. */
function newerThan(replacement: Replacement, named?: Version): Said | undefined {
  const [{ resolution }, to] = [replacement, releaseOf(replacement)];
  return resolution && to ? newerWords(resolution, to.version, named) : undefined;
}

/** An address or other reported text, escaped and without the parts that may contain credentials. */
export function describeAddress(text: string): string {
  const [shown = ''] = text.split(/[?#]/, 1);
  const parts = shown.split(/(?<=[/\s])/);
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

function keptWords(kept: Decision & { readonly kind: 'keep' }): Said {
  const { deployed } = kept.input;
  switch (kept.because) {
    case 'local':
      return 'local module: available only on this machine';
    case 'disabled':
      return 'disabled by disable_subsystem';
    case 'up-to-date':
      return kept.resolution
        ? currentWords(kept.resolution, deployed)
        : 'deployed from its pin_url';
    case 'ahead':
      return deployed.kind === 'other'
        ? `${quote(describeAddress(deployed.text))} is not a version; only a pin replaces it`
        : aheadWords(kept);
  }
}

type Ahead = Decision & { readonly kind: 'keep'; readonly because: 'ahead' };

function currentWords(resolution: Resolution, deployed: Deployed): Said {
  const { constraint } = resolution.input;
  if (resolution.kind === 'unsatisfied') return describeUnpublished(constraint, deployed);
  if (constraint.kind === 'patch') return 'pinned';
  const { version } = resolution.release;
  const current = deployedText(deployed) ?? version.text;
  // A refused build of the deployed version is not newer.
  const newer = newerWords(resolution, version, deployedVersion(deployed));
  if (newer !== undefined) return say`${staysAt(current)}${newer}`;
  const already = `already the ${chosenAs(resolution)}`;
  return current === version.text ? already : `${already}; ${version.text} is another build of it`;
}

/** What begins the reason of a decision that keeps the deployed version although there are newer ones. */
export function staysAt(deployed: string): string {
  return `stays at ${deployed}: `;
}

/** Why the deployed version is kept although the pin is not published (D20, D35). */
function describeUnpublished(constraint: Constraint, deployed: Deployed): string {
  const pin = formatConstraint(constraint);
  return deployedText(deployed) === pin
    ? 'pinned, but no longer published'
    : `a build of the pin ${pin}, which is not published`;
}

/** Why the deployed version is kept although the constraint does not select it (D16, D17, D30). */
function aheadWords({ input, resolution, against: found }: Ahead): Said {
  const { constraint } = resolution.input;
  const deployed = deployedVersion(input.deployed);
  const stays = `stays at ${deployed?.text ?? ''}`;
  const kept = found ? say`${stays}, which ${againstWords(found, constraint)}` : stays;
  const newer = deployed && newerWords(resolution, deployed);
  if (resolution.kind === 'resolved') {
    const { version } = resolution.release;
    const best = `the ${newestOf(constraint)} that may be selected is ${version.text}`;
    return sentence(kept, best, newer);
  }
  if (constraint.kind === 'patch') return kept;
  return sentence(kept, newer, `no release may be selected: ${countReasons(resolution)}`);
}

function againstWords(against: Against, constraint: Constraint): Said {
  if (against.kind === 'refused') return refusedWords(against.refused, constraint);
  return against.failure ? failureWords(against.failure) : 'is not in the list';
}

function heldMeanwhile(held: Replacement): string {
  return `the ${held.direction} to ${describeTarget(held)} is held meanwhile`;
}

function describeReplacement(
  input: DecideInput,
  replacement: Exclude<Replacement, { readonly direction: 'restart' }>,
): string {
  const { deployed, previous } = input;
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
      : `${why}${version.text} instead: ${chosenAs(resolution)}`;
  }
  return [
    ...(direction === 'install' ? ['not deployed yet'] : outsideBranch(deployed, constraint)),
    ...recalled(input, resolution),
    chosenAs(resolution),
    ...(to.floor ? ['a floor'] : []),
    ...(direction === 'downgrade' ? ['a downgrade: module data is shared by all versions'] : []),
    ...(isNewMajor(deployed, version) ? ['new major: read its release notes'] : []),
    ...(to.yanked === undefined ? [] : [describeYanked(to.yanked)]),
    ...(to.deprecated === undefined ? [] : [describeDeprecated(to.deprecated)]),
  ].join('; ');
}

/** Why a deployed version in the branch is replaced although it may be newer (D33). */
function recalled({ deployed, onYank }: DecideInput, { input }: Resolution): string[] {
  const version = onYank === 'replace' ? deployedVersion(deployed) : undefined;
  const yanked = version && input.index.find(version)?.yanked;
  return yanked === undefined ? [] : [`${version?.text} is ${describeYanked(yanked)}`];
}

function failureWords({ isRolledBack, byOperator, because, requester }: Failure): string {
  if (requester) return `was ${rolledBackWords(requester)}`;
  if (isRolledBack) return 'was rolled back on this machine';
  if (byOperator) return `was refused by an operator${inBrackets(because)}`;
  return `failed on this machine${inBrackets(because)}`;
}

function outsideBranch(deployed: Deployed, constraint: Constraint): string[] {
  if (deployed.kind !== 'version' || constraint.kind === 'patch') return [];
  if (isInBranch(constraint, deployed.version)) return [];
  return [`${deployed.version.text} is outside ${formatConstraint(constraint)}`];
}

function isNewMajor(deployed: Deployed, { major }: Version): boolean {
  return deployed.kind === 'version' && deployed.version.major < major;
}

function stuckWords(stuck: Decision & Stuck): Said {
  switch (stuck.code) {
    case 'deployed-unknown':
      return 'the deployed version is not known';
    case 'no-list':
      return stuck.error.words ?? stuck.error.message;
    case 'list-stale':
      return staleWords(stuck.stale, stuck.input);
    case 'no-match':
      return `no release may be selected: ${countReasons(stuck.resolution)}`;
    case 'pin-not-published':
      return sentence('the pin is not published', ...complaintOf(stuck.resolution, '').because);
    case 'behind-floor': {
      const { refused, resolution } = stuck;
      const words = refusalWords(refused, resolution.input.constraint);
      return say`floor ${refused.release.version.text} has to run before any higher release, and is refused: ${words}`;
    }
    case 'quarantined': {
      const { failure } = stuck;
      return say`the pin ${failureWords(failure)} and is quarantined${untilWords(failure.until)}`;
    }
    case 'conflicting-digest':
    case 'no-artifact':
    case 'untrusted-artifact':
    case 'digest-changed':
    case 'requirement-unmet':
    case 'refused-by-site':
    case 'unsigned':
    case 'bad-signature':
    case 'not-yet-published': {
      const { constraint } = stuck.resolution.input;
      return say`the pin is published but refused: ${refusalWords(stuck.refused, constraint)}`;
    }
  }
}

function staleWords(
  { message, words, confirmedAt }: StaleList,
  { eligibility, maxIndexAgeMs }: DecideInput,
): Said {
  const confirmed = say`${words ?? message}; the saved list was confirmed at ${passing(confirmedAt)}`;
  if (confirmedAt > eligibility.now) return say`${confirmed}, by a clock ahead of this one`;
  return say`${confirmed}, the limit is ${describeDuration(maxIndexAgeMs)}`;
}
