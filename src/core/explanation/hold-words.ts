import type { Hold, Timing } from '../decision/timing-policies.ts';
import { excerpt, quote } from '../text/quote.ts';
import { passing, say, type Said } from '../text/time-words.ts';

/** Why the replacement is held, in one line. */
export function holdWords(hold: Hold): Said {
  switch (hold.reason) {
    case 'window-closed':
      return hold.until === undefined
        ? 'the maintenance window is closed and does not open again'
        : say`the maintenance window is closed until ${passing(hold.until)}`;
    case 'blackout': {
      const why = hold.reasons.length > 0 ? `: ${excerpt(hold.reasons.join(', '))}` : '';
      return say`no maintenance until ${passing(hold.until)} (blackout${why})`;
    }
    case 'maintenance-not-allowed':
      return limited(MAINTENANCE_ANSWERS[hold.answer], hold.until);
    case 'veto':
      return limited(
        `${excerpt(hold.by)} must not be stopped now${hold.said === undefined ? '' : `: ${excerpt(hold.said)}`}`,
        hold.until,
      );
    case 'server-busy':
      return limited('the server is processing config changes', hold.until);
    case 'restart-cooldown':
      return say`cooling down after a restart until ${passing(hold.until)}`;
    case 'restart-ceiling':
      return say`no more restarts until ${passing(hold.until)}: ${`${hold.restarts}`} restarts in 24 h`;
    case 'operator-hold': {
      const { of, by, because, until, endsAt = Infinity } = hold;
      const held = `${of === 'machine' ? 'the machine is held by' : 'held by'} ${excerpt(by)}`;
      const end =
        until === undefined ? say`${passing(endsAt)}, once that is certain` : passing(until);
      return say`${held} until ${end}: ${quote(because)}`;
    }
    case 'unknown-field':
      return unknownFieldWords(hold);
    case 'downgrade-not-allowed':
      return 'the policy does not allow downgrades';
  }
}

/** Which field is not known, in one line. */
export function unknownFieldWords({
  of,
  path,
  suggestion,
  more,
}: NonNullable<Timing['unknownFields']>[number]): string {
  const others = more === 0 ? '' : ` and ${more} more`;
  const nearest = suggestion === undefined ? '' : `; did you mean ${excerpt(suggestion)} ?`;
  const document = of === 'agent' && suggestion === 'modules' ? 'machine' : of;
  return `${UNKNOWN[document]} ${excerpt(path)}${others}${nearest}`;
}

const UNKNOWN = {
  policy: 'the policy has the unknown field',
  agent: 'the agent configuration has the unknown field',
  // No agent configuration has a field that is nearly `modules` (D315). What is logged names two documents only.
  machine: 'the machine config has the unknown field',
} as const;

/** What ends with the longest hold, unless it ends before (D79). */
function limited(words: string, until: number | undefined): Said {
  return until === undefined ? words : say`${words} (until ${passing(until)} by longest_hold)`;
}

const MAINTENANCE_ANSWERS = {
  'not-allowed': 'maintenance is not allowed now',
  forbidden: 'maintenance is not allowed now',
  missing: 'the agent gave no answer when asked whether maintenance is allowed',
  failed: 'the agent could not be asked whether maintenance is allowed',
  'timed-out': 'the agent took too long to answer whether maintenance is allowed',
  'not-a-boolean':
    'the agent answered neither true nor false when asked whether maintenance is allowed',
} as const;
