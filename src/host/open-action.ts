import { describeAddress } from '../core/explanation/decision-words.ts';
import { failedTimes, timesOf } from '../core/plan/open-action-words.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { keyOf, type TargetName } from '../core/plan/target.ts';
import { describeDuration } from '../core/text/duration.ts';
import { excerpt } from '../core/text/quote.ts';
import { formatTime } from '../core/text/rfc3339.ts';

/** The action on a module or subsystem that is under way, or is delivered next. */
export function openActionOf(row: TargetName, { open }: MachineMemory): OpenAction | undefined {
  return open.find(({ action }) => keyOf(action.target) === keyOf(row));
}

/** `acme_lidar 1.2.3 → 1.2.9: not begun yet (…)`. */
export function openLine(open: OpenAction, now: number): string {
  const { action, state, deliveries, failures } = open;
  const { target, from, to, id, direction } = action;
  const version = `${from ?? 'none'} → ${describeAddress(to)}`;
  const isRestart = direction === 'restart';
  const change = `${excerpt(target.name)} ${isRestart ? `restart of ${describeAddress(to)}` : version}`;
  if (state === 'delivered') return `${change}: begun ${timesOf(deliveries)}, not done yet (${id})`;
  if (failures === 0) return `${change}: not begun yet (${id})`;
  return `${change}: ${describeFailures(open, now)} (${id})`;
}

/** `failed twice because of this machine, next attempt in 30 s: the disk is full`. */
export function describeFailures(open: OpenAction, now: number): string {
  const { notBefore, lastFailure } = open;
  const again = describeDuration(Math.max(0, notBefore - now));
  const why = lastFailure ? `: ${excerpt(lastFailure)}` : '';
  return `${failedTimes(open)}, next attempt in ${again}${why}`;
}

export function openAsJson(open: OpenAction | undefined): object | null {
  if (!open) return null;
  const { action, state, deliveries, failures, notBefore, lastFailure } = open;
  return {
    id: action.id,
    state,
    from: action.from ?? null,
    to: describeAddress(action.to),
    direction: action.direction,
    deliveries,
    failures,
    last_failure: lastFailure ?? null,
    not_before: notBefore === 0 ? null : formatTime(notBefore),
  };
}
