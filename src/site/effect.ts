import type { Decision, Refused } from '../core/index.ts';
import { replacementOf } from '../core/decision/decision.ts';
import { releaseOf } from '../core/decision/replacement-text.ts';
import { describeDecision } from '../core/explanation/decision-words.ts';
import { requiredText } from '../core/explanation/requirement-words.ts';
import { describeRefused, groupsFirst } from '../core/explanation/words.ts';
import { TAGS } from '../core/releases/requires.ts';
import { isTime } from '../core/text/rfc3339.ts';
import type { Broken } from './other-modules.ts';

/** What a release would do to machines that report the same. */
export type Effect =
  | {
      readonly kind: 'now' | 'later';
      /** `upgrade`, `install`, … */
      readonly direction: string;
      /** When it is due, in milliseconds since the epoch; undefined for now, or if it is not known. */
      readonly at: number | undefined;
      readonly stops: readonly string[];
      /** What other modules require, and will no longer have. */
      readonly breaks: readonly Broken[];
    }
  /** `later-step`: its rollout does not include the machine yet. `not-computed`: what it reports cannot be read, or takes too long (T268). */
  | { readonly kind: 'never' | 'later-step' | 'not-computed'; readonly because: string };

/** The release that is asked about, and what of the machine is no part of its decision. */
interface Asked {
  readonly version: string;
  readonly now: number;
  readonly stops: readonly string[];
  readonly breaks: readonly Broken[];
  /** Whether the machine said if it has the tag. */
  readonly isTagKnown: (tag: string) => boolean;
}

/** A release is refused for its age, a quarantine, or both. */
const MOST_REFUSALS = 8;

/** The effect now, or once the version is no longer refused. */
export function effectFrom(decisionAt: (at: number) => Decision, asked: Asked): Effect {
  let at = asked.now;
  for (let count = 0; count < MOST_REFUSALS; count++) {
    const decision = decisionAt(at);
    const due = dueIn(decision, at, asked);
    if (due) return due;
    const refused = refusalIn(decision, asked.version);
    const until = refused && 'until' in refused ? refused.until : undefined;
    // Each end is later than the one before.
    if (until !== undefined && until > at && isTime(until)) at = until;
    else return without(decision, refused, asked);
  }
  const because = `it is refused ${MOST_REFUSALS} times, each time for longer`;
  return { kind: 'not-computed', because };
}

/** When `decision`, which is made at `at`, replaces what is deployed by the version; undefined if it does not. */
function dueIn(
  decision: Decision,
  at: number,
  { version, stops, breaks, now }: Asked,
): Effect | undefined {
  const replacement = replacementOf(decision);
  const to = replacement && releaseOf(replacement);
  if (!to) return undefined;
  const { direction } = replacement;
  if (to.version.text !== version || direction === 'restart') return undefined;
  const stopping = direction === 'install' ? [] : stops;
  if (decision.kind === 'hold') {
    return { kind: 'later', direction, at: decision.until, stops: stopping, breaks };
  }
  if (at === now) return { kind: 'now', direction, at: undefined, stops: stopping, breaks };
  return { kind: 'later', direction, at, stops: stopping, breaks };
}

/** Why a decision does not select `version`; undefined if its list was not resolved. */
function refusalIn({ resolution }: Decision, version: string): Refused | undefined {
  if (!resolution) return undefined;
  return firstOf(
    resolution.refused(),
    (one) => 'release' in one && one.release.version.text === version,
  );
}

/** A decision that does not deploy the version: why it is refused, else what is decided instead. */
function without(decision: Decision, refused: Refused | undefined, asked: Asked): Effect {
  if (!refused || !decision.resolution) {
    return { kind: 'never', because: describeDecision(decision) };
  }
  if (refused.reason === 'not-in-rollout') {
    // Without the cohort, which differs from machine to machine.
    const { percent, groups } = refused;
    const because =
      percent === 0 && groups.length > 0
        ? groupsFirst(groups)
        : `the rollout at ${percent} % does not include it yet`;
    return { kind: 'later-step', because };
  }
  if (refused.reason === 'requirement-unmet' && refused.of === TAGS) {
    const { range } = refused;
    if (!asked.isTagKnown(range)) {
      const because = `requires ${requiredText(refused)}, which the machine did not say that it has`;
      return { kind: 'never', because };
    }
  }
  return { kind: 'never', because: describeRefused(refused, decision.resolution.input.constraint) };
}

function firstOf(
  refused: Iterable<Refused>,
  matches: (one: Refused) => boolean,
): Refused | undefined {
  for (const one of refused) if (matches(one)) return one;
  return undefined;
}
