import type { Failure } from '../decision/decision.ts';
import type { Hold } from '../decision/timing-policies.ts';
import type { RefusedRelease } from '../releases/refusal.ts';
import { excerpt } from '../text/quote.ts';
import { passing, say, type Said } from '../text/time-words.ts';
import { requiredText } from './requirement-words.ts';

/** A fact of a headline in a few words (D352), and the words of a person that explain it, which may be cut. */
export interface ShortFact {
  readonly fact: Said;
  /** As reported, not escaped; undefined if there are none. */
  readonly because?: string | undefined;
}

/** Why a release may not be selected: `2.2.1 is old enough in 2 d`. */
export function shortRefusal(refused: RefusedRelease): ShortFact {
  const { text } = refused.release.version;
  switch (refused.reason) {
    case 'yanked':
    case 'deprecated':
      return { fact: `${text} is ${refused.reason}`, because: refused.because };
    case 'quarantined':
      return shortQuarantine(text, refused);
    case 'too-young':
      return { fact: say`${text} is old enough ${passing(refused.until)}` };
    case 'not-yet-published':
      return { fact: say`${text} is published ${passing(refused.publishedAt)}` };
    case 'requirement-unmet':
      return { fact: `${text} requires ${requiredText(refused)}` };
    case 'not-in-rollout':
      return { fact: `the rollout of ${text} is at ${refused.percent} %, not here yet` };
    case 'rollout-halted':
      return { fact: `the rollout of ${text} is halted`, because: refused.because };
    case 'refused-by-site':
      return { fact: `the policy refuses ${text}`, because: refused.because };
    case 'behind-floor':
      return { fact: `floor ${refused.floor.text} comes before ${text}` };
    case 'no-artifact':
      return { fact: `${text} has no package for ${refused.platform}` };
    case 'older':
      return { fact: `${text} is older than ${refused.than.text}` };
    case 'conflicting-digest':
    case 'untrusted-artifact':
    case 'digest-changed':
    case 'unsigned':
    case 'bad-signature':
    case 'unknown-age':
    case 'rollout-unconfirmed':
    case 'other-major':
    case 'other-minor':
    case 'other-version':
    case 'prerelease':
      return { fact: `${text} ${SHORT[refused.reason]}` };
  }
}

const SHORT = {
  'conflicting-digest': 'has two digests',
  'untrusted-artifact': 'has a file that is not trusted',
  'digest-changed': 'has another digest than before',
  unsigned: 'is not signed by enough keys',
  'bad-signature': 'has a wrong signature',
  'unknown-age': 'is of unknown age',
  'rollout-unconfirmed': 'needs a list of the last hour',
  'other-major': 'is of another major version',
  'other-minor': 'is of another minor version',
  'other-version': 'is not the pin',
  prerelease: 'is a prerelease',
} as const;

function shortQuarantine(
  text: string,
  refused: RefusedRelease & { readonly reason: 'quarantined' },
): ShortFact {
  if (refused.undecided) return { fact: `${text} is undecided`, because: refused.because };
  return { fact: `${text} ${shortFailure(refused)}`, because: refused.because };
}

/** `failed here`. */
export function shortFailure({
  isRolledBack,
  byOperator,
}: Pick<Failure, 'isRolledBack' | 'byOperator'>): string {
  if (isRolledBack) return 'was rolled back here';
  return byOperator ? 'was refused by an operator' : 'failed here';
}

/** What a replacement waits for: `the window opens in 7 h 5 min`. */
export function shortHold(hold: Hold): ShortFact {
  switch (hold.reason) {
    case 'window-closed':
      return hold.until === undefined
        ? { fact: 'the window does not open again' }
        : { fact: say`the window opens ${passing(hold.until)}` };
    case 'blackout':
      return { fact: say`the blackout ends ${passing(hold.until)}` };
    case 'restart-cooldown':
      return { fact: say`the cooldown ends ${passing(hold.until)}` };
    case 'restart-ceiling':
      return { fact: say`restarts are allowed ${passing(hold.until)}` };
    case 'maintenance-not-allowed':
      return { fact: 'maintenance is not allowed' };
    case 'veto':
      return { fact: `${excerpt(hold.by)} must not be stopped`, because: hold.said };
    case 'server-busy':
      return { fact: 'the server is busy' };
    case 'operator-hold': {
      const end = hold.until ?? hold.endsAt;
      const held = `${excerpt(hold.by)} holds it`;
      return end === undefined
        ? { fact: held, because: hold.because }
        : { fact: say`the hold of ${excerpt(hold.by)} ends ${passing(end)}` };
    }
    case 'unknown-field':
      return { fact: 'a document has an unknown field' };
    case 'downgrade-not-allowed':
      return { fact: 'the policy allows no downgrade' };
  }
}
