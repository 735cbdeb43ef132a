import type { Hold } from '../decision/timing-policies.ts';
import { excerpt } from '../text/quote.ts';
import { passing, say } from '../text/time-words.ts';
import { shortHold, type ShortFact } from './short-words.ts';

/** What a replacement waits for, and what else holds it, in the order in which a headline that is too long is shortened. */
export interface HeldFact extends ShortFact {
  readonly outcome?: string;
}

/**
 * What holds a replacement last. A hold of an operator and another one are both named, because a replacement still waits once
 * either has ended (D410). The first of these facts that fits is the headline.
 */
export function heldFacts(holds: readonly Hold[]): HeldFact[] {
  // One without an end ends later than any other.
  const [last, ...others] = holds.toSorted((a, b) => (b.until ?? Infinity) - (a.until ?? Infinity));
  if (!last) return [];
  const whole = shortHold(last);
  if (last.reason !== 'operator-hold') {
    const hold = others.find((one) => one.reason === 'operator-hold');
    if (!hold) return [whole];
    return [
      { ...whole, outcome: `held by ${excerpt(hold.by)}` },
      { ...whole, outcome: 'a hold, too' },
    ];
  }
  const [other] = others.flatMap(({ reason }) => (reason === 'operator-hold' ? [] : [reason]));
  if (!other) return [whole];
  const end = last.until ?? last.endsAt;
  const nameless = end === undefined ? 'it is held' : say`the hold ends ${passing(end)}`;
  const outcome = OTHERS[other];
  return [
    { ...whole, outcome },
    { fact: nameless, outcome },
  ];
}

const OTHERS: Readonly<Record<Exclude<Hold['reason'], 'operator-hold'>, string>> = {
  'window-closed': 'window closed',
  blackout: 'a blackout, too',
  'restart-cooldown': 'a cooldown, too',
  'restart-ceiling': 'restart limit',
  'maintenance-not-allowed': 'not allowed',
  veto: 'a veto, too',
  'server-busy': 'server busy',
  'unknown-field': 'unknown field',
  'downgrade-not-allowed': 'no downgrade',
};
