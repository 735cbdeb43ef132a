import { describe, type JudgeContext, type Violation } from './judge-context.ts';
import { DUE } from './decision-invariants.ts';
import { expectation } from './expectation.ts';
import {
  keyOf,
  knownOf,
  targetsOf,
  termsOf,
  type Ledger,
  type ListInForce,
  type OpenAction,
  type Target,
} from './ledger.ts';
import { isWaiting } from './needs.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 1440 * MINUTE;

/**
 * Actions that are due but not open, and open actions that should have ended, when nothing prevents either; without those of
 * targets that may wait for the server. (L1, I8)
 */
export function unsettledIn(
  context: JudgeContext,
  truth: (target: Target) => ListInForce | undefined,
  mayWait: (target: Target) => boolean,
): Violation[] {
  // The agent allows maintenance by now.
  const ledger = { ...context.ledger, asksForMaintenance: false };
  const moment = context.moment();
  const due = targetsOf(ledger.desired).flatMap((target) => {
    const open = [...ledger.open.values()].find((one) => keyOf(one.target) === keyOf(target));
    const ignoresRequest = open !== undefined && isReplacing(open);
    const word = expectation(ledger, { target, list: truth(target), moment, ignoresRequest });
    if (!DUE.test(word) || isWaiting(ledger, target) || mayWait(target)) return [];
    const { running } = knownOf(ledger, target);
    return [
      { invariant: 'L1', found: `${keyOf(target)} has ${running} deployed, and ${word} is due` },
    ];
  });
  const left = [...ledger.open.values()].flatMap((open) => {
    const { target, id, state } = open;
    const ignoresRequest = isReplacing(open);
    const list = truth(target);
    const word = expectation(ledger, { target, list, moment, without: id, ignoresRequest });
    if (/^(hold|stuck deployed-unknown)/.test(word) || isWaiting(ledger, target) || mayWait(target))
      return [];
    const found = `${describe(open)} is still open (${state}), where ${word} is expected`;
    return [{ invariant: 'I8', found }];
  });
  return [...due, ...left];
}

/** A replacement that is held, and when nothing holds it any more. */
export interface Release {
  readonly what: string;
  readonly inMs: number;
}

/** The replacements that time alone releases. */
export function releasesIn(
  context: JudgeContext,
  truth: (target: Target) => ListInForce | undefined,
): Release[] {
  const ledger = { ...context.ledger, asksForMaintenance: false };
  const { elapsed, wall } = context.moment();
  return targetsOf(ledger.desired).flatMap((target) => {
    const list = truth(target);
    const wordIn = (ms: number): string =>
      expectation(ledger, { target, list, moment: { elapsed: elapsed + ms, wall: wall + ms } });
    const word = wordIn(0);
    if (!word.startsWith('hold ')) return [];
    const inMs = changesOf(ledger, target, wall).find((ms) => DUE.test(wordIn(ms)));
    return inMs === undefined ? [] : [{ what: `${word} of ${keyOf(target)}`, inMs }];
  });
}

/** When a window of a target opens, and when a restart of it no longer counts, in milliseconds from now. */
function changesOf({ desired, restarts }: Ledger, target: Target, wall: number): number[] {
  if (!desired) return [];
  const { windows, restMs } = termsOf(desired, target.name);
  const midnight = Math.floor(wall / DAY) * DAY;
  const openings = windows.flatMap(({ minute }) =>
    [0, 1, 2].map((day) => midnight + day * DAY + minute * MINUTE),
  );
  const ends = (restarts.get(keyOf(target)) ?? []).flatMap((one) => [
    one.wall + restMs,
    one.wall + DAY,
  ]);
  // The clock may have changed since a restart.
  return [...openings, ...ends.map((at) => at + SECOND)]
    .map((at) => at - wall)
    .filter((ms) => ms > 0)
    .toSorted((a, b) => a - b);
}

/** A replacement that the agent has comes before a requested restart. (D41) */
function isReplacing({ state, direction }: OpenAction): boolean {
  return state === 'delivered' && direction !== 'restart';
}
