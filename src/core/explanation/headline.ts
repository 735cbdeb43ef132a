import { deployedText, deployedVersion } from '../decision/deployed.ts';
import {
  type Against,
  type DecideInput,
  type Decision,
  type Replacement,
  type Stuck,
} from '../decision/decision.ts';
import { recallOf } from '../decision/recall.ts';
import type { Hold } from '../decision/timing-policies.ts';
import type { Warning } from '../decision/warning.ts';
import { newerRefused } from '../releases/resolve.ts';
import { describeDuration } from '../text/duration.ts';
import { escapeUnprintable, excerpt, quote } from '../text/quote.ts';
import { say, textOf, type Said } from '../text/time-words.ts';
import { formatConstraint } from '../version/constraint.ts';
import { describeAddress, describeTarget, reportedText } from './decision-words.ts';
import { whoWords } from './requester-words.ts';
import { heldFacts } from './held-headline.ts';
import { shortFailure, shortRefusal, type ShortFact } from './short-words.ts';
import { newestOf } from './words.ts';

/** The most characters of a headline, times included. */
const LONGEST = 60;
/** Fewer characters of a reason say nothing. */
const SHORTEST_REASON = 8;
/** A time is shown as `in 23 h 59 min`. */
const TIME_LENGTH = 14;

/** A fact, what it explains, and what follows from it. */
export interface Headline extends ShortFact {
  /** What the fact holds back: `upgrade to 1.2.9`. */
  readonly held?: string;
  readonly outcome?: Said | undefined;
}

/**
 * What matters most about a module, in at most 60 characters: `1.1.0 is yanked: drains the battery · stays, nothing newer`. Each
 * time in it reads as `in 7 h 5 min`. The reason of the decision says the rest (D352).
 */
export function headlineOf(decision: Decision, warnings: readonly Warning[]): Said {
  return fitted(headline(decision, warnings));
}

/** A headline as text. */
export function headlineText(said: Said, now: number): string {
  return textOf(said, (ms) => (ms > now ? `in ${describeDuration(ms - now)}` : 'now'));
}

/** A headline in at most 60 characters: what explains it is cut first, and what follows is left out next. */
export function fitted({ held, ...rest }: Headline): Said {
  if (held === undefined) return fittedFact(rest);
  const whole = { ...rest, fact: say`${held} waits: ${rest.fact}` };
  return fittedFact(isFitting(whole) ? whole : { ...rest, fact: say`waits: ${rest.fact}` });
}

function isFitting({ fact, outcome }: Pick<Headline, 'fact' | 'outcome'>): boolean {
  return lengthOf(outcome === undefined ? fact : say`${fact} · ${outcome}`) <= LONGEST;
}

function fittedFact({ fact, because, outcome }: Omit<Headline, 'held'>): Said {
  const whole = outcome === undefined ? fact : say`${fact} · ${outcome}`;
  if (lengthOf(whole) > LONGEST) return lengthOf(fact) > LONGEST ? cut(fact) : fact;
  const left = LONGEST - lengthOf(whole) - ': '.length;
  if (because === undefined || because === '' || left < SHORTEST_REASON) return whole;
  const reason = shortenedReason(escapeUnprintable(because), left);
  return outcome === undefined ? say`${fact}: ${reason}` : say`${fact}: ${reason} · ${outcome}`;
}

/** `exit code 7: no camera`: what every exit has in common is left out before the cause is cut. */
function shortenedReason(text: string, longest: number): string {
  return shortened(text.length > longest ? text.replace(/^it ended with /, '') : text, longest);
}

function lengthOf(said: Said): number {
  if (typeof said === 'string') return said.length;
  const facts = said.facts.reduce((length, fact) => length + fact.length, 0);
  return facts + TIME_LENGTH * said.times.length;
}

function cut(fact: Said): Said {
  if (typeof fact === 'string') return shortened(fact, LONGEST);
  const [first = '', ...rest] = fact.facts;
  const left = LONGEST - lengthOf({ ...fact, facts: ['', ...rest] });
  return { ...fact, facts: [shortened(first, Math.max(1, left)), ...rest] };
}

/** `text` in at most `longest` characters; no character is cut in two. */
function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function headline(decision: Decision, warnings: readonly Warning[]): Headline {
  switch (decision.kind) {
    case 'keep':
      return keptHeadline(decision, warnings);
    case 'replace':
      return dueHeadline(decision, decision.input);
    case 'hold':
      return heldHeadline(decision.because, decision.replacement);
    case 'stuck':
      return { ...stuckHeadline(decision), outcome: staysWords(decision) };
  }
}

function staysWords(decision: Decision): string | undefined {
  const deployed = reportedText(decision.input.deployed);
  return deployed === undefined ? undefined : `${deployed} stays`;
}

type Kept = Decision & { readonly kind: 'keep' };

function keptHeadline(kept: Kept, warnings: readonly Warning[]): Headline {
  switch (kept.because) {
    case 'local':
      return { fact: 'local module' };
    case 'disabled':
      return { fact: 'disabled' };
    case 'up-to-date':
      return deployedHeadline(warnings) ?? currentHeadline(kept);
    case 'ahead':
      return aheadHeadline(kept);
  }
}

/** What should not be deployed, though nothing replaces it (D293). */
function deployedHeadline(warnings: readonly Warning[]): Headline | undefined {
  for (const warning of warnings) {
    if (warning.kind === 'deployed-yanked') {
      return { ...yanked(warning.version.text, warning.because), outcome: 'stays' };
    }
    if (warning.kind === 'deployed-refused') {
      const { version, because } = warning;
      return { fact: `the policy refuses ${version.text}`, because, outcome: 'stays' };
    }
    if (warning.kind === 'failed-in-another-entry') {
      const { version, entry, because } = warning;
      const fact = `${version.text} failed in entry ${excerpt(entry)}`;
      return { fact, because, outcome: 'stays here' };
    }
    if (warning.kind === 'undecided') {
      const { version, because } = warning;
      return { fact: `${version.text} is undecided`, because, outcome: 'stays' };
    }
  }
  return undefined;
}

function yanked(text: string, because: string): ShortFact {
  return { fact: `${text} is yanked`, because };
}

function currentHeadline(kept: Kept & { readonly because: 'up-to-date' }): Headline {
  const { resolution, input } = kept;
  const deployed = deployedText(input.deployed) ?? 'it';
  if (!resolution) return { fact: 'deployed from its pin_url' };
  const { constraint } = resolution.input;
  if (resolution.kind === 'unsatisfied') {
    const pin = formatConstraint(constraint);
    return deployed === pin
      ? { fact: `${pin} is no longer published`, outcome: 'stays, pinned' }
      : { fact: `the pin ${pin} is not published`, outcome: 'a build of it stays' };
  }
  if (constraint.kind === 'patch') return { fact: `pinned to ${deployed}` };
  const current = deployedVersion(input.deployed)?.text;
  const newer = newerRefused(resolution, resolution.release.version).find(
    ({ release }) => release.version.text !== current,
  );
  if (newer) return { ...shortRefusal(newer), outcome: `${deployed} stays` };
  return { fact: `${deployed} is the ${newestOf(constraint)}` };
}

function aheadHeadline({
  input,
  resolution,
  against,
}: Kept & { readonly because: 'ahead' }): Headline {
  if (input.deployed.kind === 'other') {
    const text = describeAddress(input.deployed.text);
    return { fact: `${quote(text)} is not a version`, outcome: 'only a pin replaces it' };
  }
  const deployed = deployedText(input.deployed) ?? 'it';
  const outcome = 'stays, nothing newer';
  if (against) return { ...againstWords(against, deployed), outcome };
  return resolution.kind === 'resolved'
    ? { fact: `${deployed} is newer than ${resolution.release.version.text}`, outcome: 'stays' }
    : { fact: 'no release may be selected', outcome: `${deployed} stays` };
}

function againstWords(against: Against, deployed: string): ShortFact {
  if (against.kind === 'not-listed') {
    const { failure } = against;
    if (!failure) return { fact: `${deployed} is not in the list` };
    return { fact: `${deployed} ${shortFailure(failure)}`, because: failure.because };
  }
  const { refused } = against;
  return refused.reason === 'not-a-version'
    ? { fact: `${deployed} is not a version` }
    : shortRefusal(refused);
}

/** `upgrade to 1.2.9`. */
function changeWords(replacement: Replacement): string {
  const { direction, to } = replacement;
  if (direction === 'restart' && !('version' in to)) return 'restart';
  if ('url' in to) return `${direction} from its pin_url`;
  const preposition = direction === 'install' || direction === 'restart' ? 'of' : 'to';
  return `${direction} ${preposition} ${describeTarget(replacement)}`;
}

function dueHeadline(replacement: Replacement, input: DecideInput): Headline {
  const change = changeWords(replacement);
  const { direction, to } = replacement;
  if (direction === 'rollback') {
    const { version, because } = replacement.failure;
    return {
      fact: `${version.text} ${shortFailure(replacement.failure)}`,
      because,
      outcome: change,
    };
  }
  const fact = `${change} is due`;
  const recalled = recalledRelease(input, replacement);
  if (recalled) return { ...recalled, outcome: change };
  // D470
  if (direction === 'restart') {
    return { fact, outcome: `${whoWords(input.restartRequest?.requester)} requested it` };
  }
  if ('url' in to) return { fact };
  if (to.yanked !== undefined) return { ...yanked(to.version.text, to.yanked), outcome: fact };
  const from = deployedVersion(input.deployed);
  if (from && from.major < to.version.major) return { fact, outcome: 'a new major' };
  return direction === 'downgrade' ? { fact, outcome: 'its data is not changed' } : { fact };
}

/** The deployed release, if it is replaced because it was yanked (D33). */
function recalledRelease(
  input: DecideInput,
  { direction, resolution }: Replacement,
): ShortFact | undefined {
  const version = deployedVersion(input.deployed);
  if (direction === 'restart' || !resolution || !version) return undefined;
  if (recallOf(input, resolution, version) !== 'signed') return undefined;
  return yanked(version.text, resolution.input.index.find(version)?.yanked ?? '');
}

function heldHeadline(holds: readonly Hold[], replacement: Replacement): Headline {
  const held = changeWords(replacement);
  const facts = heldFacts(holds);
  const found = facts.find((one) => isFitting({ ...one, fact: say`waits: ${one.fact}` }));
  const fact = found ?? facts.at(-1);
  return fact ? { held, ...fact } : { fact: `${held} waits` };
}

function stuckHeadline(stuck: Decision & Stuck): ShortFact {
  if ('refused' in stuck) return shortRefusal(stuck.refused);
  switch (stuck.code) {
    case 'deployed-unknown':
      return { fact: 'the deployed version is not known' };
    case 'no-list':
      return { fact: `no release list: ${excerpt(stuck.error.kind.replaceAll('-', ' '))}` };
    case 'list-stale':
      return { fact: 'the saved list is too old' };
    case 'no-match':
      return { fact: `no release for ${formatConstraint(stuck.resolution.input.constraint)}` };
    case 'pin-not-published':
      return { fact: `${formatConstraint(stuck.resolution.input.constraint)} is not published` };
    case 'quarantined': {
      const { version, because } = stuck.failure;
      return { fact: `the pin ${version.text} ${shortFailure(stuck.failure)}`, because };
    }
  }
}
