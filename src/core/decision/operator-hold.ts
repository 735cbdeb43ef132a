import { certainTime } from '../releases/certain-time.ts';
import type { Eligibility } from '../releases/eligibility-policy.ts';
import type { Hold, Timing, TimingPolicy } from './timing-policies.ts';

/** The longest hold, in milliseconds of elapsed time (D75). */
export const LONGEST_HOLD_MS: number = 30 * 86_400_000;

type OperatorHold = NonNullable<Timing['operatorHolds']>[number];

/** A hold of an operator as it is recorded (D75). Times are milliseconds since the epoch, by the machine's clock. */
export interface RecordedHold extends Pick<OperatorHold, 'by' | 'because' | 'since'> {
  /** What is held: the machine has no name. */
  readonly of: { readonly kind: 'machine' | 'module' | 'subsystem'; readonly name: string };
  /** The end that the operator named; undefined for a duration. */
  readonly endsAt: number | undefined;
  /** The elapsed time after which it ends, whatever the clock shows. */
  readonly longestMs: number;
  /** The elapsed time up to `countedAt`. */
  readonly elapsedMs: number;
  /** Undefined if the clock was not certain then. */
  readonly countedAt: number | undefined;
}

/** The time of the machine's clock, and what is wrong with it. */
export type ClockReading = Pick<Eligibility, 'now' | 'clock'>;

/** The elapsed time of a hold. What passed since it was counted counts only if the clock was certain then and is now (D75). */
export function elapsedOf(
  { elapsedMs, countedAt }: Pick<RecordedHold, 'elapsedMs' | 'countedAt'>,
  { now, clock }: ClockReading,
): number {
  return elapsedMs + (clock || countedAt === undefined ? 0 : Math.max(0, now - countedAt));
}

/** The holds that have not ended, with their ends by the machine's clock. A named end has come once that is certain (D75). */
export function holdsInForce(
  recorded: readonly RecordedHold[],
  reading: ClockReading,
): readonly OperatorHold[] {
  const { now, clock } = reading;
  const time = certainTime(reading);
  return recorded.flatMap((hold) => {
    const { of, by, because, since, endsAt = Infinity, longestMs } = hold;
    const leftMs = longestMs - elapsedOf(hold, reading);
    if (leftMs <= 0 || endsAt <= time) return [];
    const isUncertain = clock !== undefined && clock.kind !== 'wrong' && endsAt < Infinity;
    const until = isUncertain ? undefined : Math.min(now + leftMs, endsAt + (now - time));
    const about = { of: of.kind === 'machine' ? of.kind : 'target', by, because, since } as const;
    return [{ ...about, until, endsAt: isUncertain ? endsAt : undefined }];
  });
}

/** An operator holds everything but rollbacks, whatever else allows it (D75). */
export const operatorHold: TimingPolicy = ({ operatorHolds }, at) =>
  operatorHolds?.flatMap((hold): Hold[] =>
    at < (hold.until ?? Infinity) ? [{ reason: 'operator-hold', ...hold }] : [],
  );
