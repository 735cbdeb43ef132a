import { describe, type JudgeContext, type Violation } from './judge-context.ts';
import { DUE } from './decision-invariants.ts';
import { expectation, type Case } from './expectation.ts';
import { casesFor } from './facts.ts';
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
import type { Moment } from './timeline.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 1440 * MINUTE;
/** A clock that was set by less keeps step, and counts less than passed. */
const LONGEST_STEP_MS = 5 * MINUTE;

/**
 * Actions that are due but not open, and open actions that should have ended, when nothing prevents either; without those of
 * targets that may wait for the server. (L1, I8)
 */
export function unsettledIn(
  context: JudgeContext,
  truth: (target: Target) => ListInForce | undefined,
  mayWait: (target: Target) => boolean,
): Violation[] {
  // The agent and its modules allow maintenance by now.
  const ledger = permissive(context.ledger);
  const wordsOf = (of: Omit<Case, 'facts' | 'moment'>): string[] =>
    casesFor({ ...context, ledger }, of).map((one) => expectation(ledger, one));
  const due = targetsOf(ledger.desired).flatMap((target) => {
    const open = [...ledger.open.values()].find((one) => keyOf(one.target) === keyOf(target));
    const ignoresRequest = open !== undefined && isReplacing(open);
    const words = wordsOf({ target, list: truth(target), ignoresRequest });
    const [word] = words;
    if (!words.every((one) => DUE.test(one)) || isWaiting(ledger, target) || mayWait(target))
      return [];
    const { running } = knownOf(ledger, target);
    return [
      { invariant: 'L1', found: `${keyOf(target)} has ${running} deployed, and ${word} is due` },
    ];
  });
  const left = [...ledger.open.values()].flatMap((open) => {
    const { target, id, state } = open;
    const ignoresRequest = isReplacing(open);
    const list = truth(target);
    const words = wordsOf({ target, list, without: id, ignoresRequest });
    const [word] = words;
    const isHeld = words.some((one) => /^(hold|stuck deployed-unknown)/.test(one));
    if (isHeld || isWaiting(ledger, target) || mayWait(target)) return [];
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
  const ledger = permissive(context.ledger);
  const now = context.moment();
  return targetsOf(ledger.desired).flatMap((target) => {
    const list = truth(target);
    const wordsIn = (ms: number): string[] => {
      const moment = { ...now, elapsed: now.elapsed + ms, wall: now.wall + ms };
      const cases = casesFor({ ...context, ledger }, { target, list }, moment);
      return cases.map((one) => expectation(ledger, one));
    };
    const word = wordsIn(0).find((one) => one.startsWith('hold '));
    if (word === undefined) return [];
    const inMs = changesOf(ledger, target, now).find((ms) =>
      wordsIn(ms).every((one) => DUE.test(one)),
    );
    return inMs === undefined ? [] : [{ what: `${word} of ${keyOf(target)}`, inMs }];
  });
}

function permissive(ledger: Ledger): Ledger {
  const { desired } = ledger;
  return {
    ...ledger,
    asksForMaintenance: false,
    desired: desired && { ...desired, asking: undefined },
  };
}

/** When a window of a target opens, a blackout or a hold ends, and a restart no longer counts, in milliseconds from now. */
function changesOf(
  { desired, restarts, holds }: Ledger,
  target: Target,
  { wall, elapsed }: Moment,
): number[] {
  if (!desired) return [];
  const { windows, blackouts = [], restMs } = termsOf(desired, target.name);
  const midnight = Math.floor(wall / DAY) * DAY;
  const openings = windows.flatMap(({ minute }) =>
    [0, 1, 2].map((day) => midnight + day * DAY + minute * MINUTE),
  );
  const ends = (restarts.get(keyOf(target)) ?? []).flatMap((one) => [
    one.wall + restMs,
    one.wall + DAY,
  ]);
  const held = [keyOf(target), 'machine'].flatMap((key) => holds.get(key) ?? []);
  const holdEnds = held.flatMap(({ began, longestMs, endsAt = Infinity }) => [
    endsAt,
    wall + began.elapsed - elapsed + longestMs + LONGEST_STEP_MS,
    // What passed before the clock was last right may not count.
    wall + longestMs + LONGEST_STEP_MS,
  ]);
  const dark = blackouts.map(({ until }) => until);
  // The clock may have changed since a restart.
  return [...openings, ...dark, ...[...ends, ...holdEnds].map((at) => at + SECOND)]
    .map((at) => at - wall)
    .filter((ms) => ms > 0)
    .toSorted((a, b) => a - b);
}

/** A replacement that the agent has comes before a requested restart. (D41) */
function isReplacing({ state, direction }: OpenAction): boolean {
  return state === 'delivered' && direction !== 'restart';
}
