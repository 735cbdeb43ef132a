import type { OpenAction } from './committed-action.ts';
import { excerpt } from '../text/quote.ts';
import { passing, say, type Said } from '../text/time-words.ts';
import { describeAddress } from '../explanation/decision-words.ts';
import { fitted, headlineOf } from '../explanation/headline.ts';
import type { PlanRow } from './plan.ts';
import { tooYoungHeadline } from './waiting-for-age.ts';

/** `upgrade to 1.2.9`, `install of 1.0.0`. */
export function describeChange({ direction, to }: OpenAction['action']): string {
  const preposition = direction === 'install' || direction === 'restart' ? 'of' : 'to';
  return `${direction} ${preposition} ${describeAddress(to)}`;
}

/** `failed 2 times because of this machine`. */
export function failedTimes({ failures }: OpenAction): string {
  return `failed ${timesOf(failures)} because of this machine`;
}

export function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** `upgrade to 1.2.9 failed once because of this machine, next attempt …: the disk is full`; undefined if it has not failed. */
export function failureWords(open: OpenAction | undefined): Said | undefined {
  if (!open || open.failures === 0) return undefined;
  const { notBefore, lastFailure } = open;
  const why = lastFailure ? `: ${excerpt(lastFailure)}` : '';
  return say`${describeChange(open.action)} ${failedTimes(open)}, next attempt ${passing(notBefore)}${why}`;
}

/** The headline of a row: what is under way, what failed, or what was decided (D387). */
export function rowHeadline(
  row: Pick<PlanRow, 'decision' | 'warnings' | 'nextChange'>,
  open: OpenAction | undefined,
): Said {
  const change = open && describeChange(open.action);
  if (change !== undefined && open?.state === 'delivered') return `${change} is carried out`;
  if (change !== undefined && open && open.failures > 0) {
    const outcome = say`again ${passing(open.notBefore)}`;
    return fitted({ fact: `${change} failed`, because: open.lastFailure, outcome });
  }
  return tooYoungHeadline(row) ?? headlineOf(row.decision, row.warnings);
}
