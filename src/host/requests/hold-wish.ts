import { formatTime } from '../../core/text/rfc3339.ts';
import type { Result } from '../../core/index.ts';
import { LONGEST_HOLD_MS } from '../../core/decision/operator-hold.ts';
import { describeDuration, parseDuration } from '../../core/text/duration.ts';
import { escapeUnprintable, quote } from '../../core/text/quote.ts';
import { usage, type Problem } from '../../base/problem.ts';
import { askedTime } from '../asked-time.ts';

/** A hold as an operator asks for it. */
export interface HoldWish {
  /** The name of an entry, or a module_id; undefined for the whole machine. */
  readonly named: string | undefined;
  /** A duration, such as `12h`. */
  readonly for: string | undefined;
  /** As `askedTime` reads it. */
  readonly until: string | undefined;
  readonly reason: string;
  /** Who asks. */
  readonly by: string;
}

/** When a hold ends: after a duration, or at a time. */
export interface HoldEnd {
  readonly longestMs: number;
  readonly endsAt: number | undefined;
}

/** As of a quarantine: the reason is in each decision that the hold leads to. */
export const LONGEST_REASON = 500;
export const LONGEST_NAME = 100;

/** The end of a hold that is set at `now`, or what is wrong with it or with the words (T336). */
export function checkedWish(wish: HoldWish, now: number): Result<HoldEnd, Problem[]> {
  const end = endOf(wish, now);
  const problems = [
    ...(end.ok ? [] : [usage(end.error)]),
    ...faultsIn('the reason', wish.reason, LONGEST_REASON),
    ...faultsIn('the name of the operator', wish.by, LONGEST_NAME),
  ];
  return end.ok && problems.length === 0 ? end : { ok: false, error: problems };
}

function endOf({ for: duration, until }: HoldWish, now: number): Result<HoldEnd, string> {
  if ((duration === undefined) === (until === undefined)) {
    const found = duration === undefined ? 'no end' : 'two ends';
    return wrong(
      `the hold has ${found}, expected either a duration, such as 12h, or a time, such as ${formatTime(now + 3_600_000)}`,
    );
  }
  if (duration !== undefined) {
    const term = parseDuration(duration);
    if (!term.ok) return wrong(term.error);
    if (term.value === 0) return wrong('a hold that lasts no time does nothing');
    if (term.value > LONGEST_HOLD_MS) return wrong(tooLong(term.value));
    return { ok: true, value: { longestMs: term.value, endsAt: undefined } };
  }
  const time = askedTime(until ?? '', now);
  if (!time.ok) return wrong(time.error.message);
  const endsAt = time.value;
  if (endsAt <= now) {
    return wrong(
      `the hold ends at ${formatTime(endsAt)}, expected a time after ${formatTime(now)}, which is the time of this machine`,
    );
  }
  if (endsAt - now > LONGEST_HOLD_MS) return wrong(tooLong(endsAt - now));
  return { ok: true, value: { longestMs: LONGEST_HOLD_MS, endsAt } };
}

function tooLong(ms: number): string {
  return `the hold lasts ${describeDuration(ms)}, expected at most ${describeDuration(LONGEST_HOLD_MS)}`;
}

function wrong(message: string): Result<never, string> {
  return { ok: false, error: `${message}; nothing was changed` };
}

/** What is wrong with a text that an operator wrote. */
export function faultsIn(what: string, text: string, longest: number): Problem[] {
  const fault =
    (text.trim() === '' && 'is empty, expected text') ||
    (text.length > longest && `has ${text.length} characters, expected at most ${longest}`) ||
    (text !== escapeUnprintable(text) &&
      `is ${quote(text)}, expected text without control characters`);
  return fault ? [usage(`${what} ${fault}; nothing was changed`)] : [];
}
