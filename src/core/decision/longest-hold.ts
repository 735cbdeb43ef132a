import { elapsedOf, type ClockReading, type RecordedHold } from './operator-hold.ts';

/** How long replacements of a target have been held, as it is recorded (D79). */
export interface HeldReplacement extends Pick<RecordedHold, 'since' | 'elapsedMs' | 'countedAt'> {
  /** What was deployed then: the hold ends when something else is. */
  readonly deployed: string;
}

/** When `longestMs` of elapsed time have passed since the first hold, by the machine's clock; undefined if that is not limited. */
export function longestHoldEnd(
  longestMs: number | undefined,
  held: HeldReplacement,
  reading: ClockReading,
): number | undefined {
  return longestMs === undefined ? undefined : reading.now + longestMs - elapsedOf(held, reading);
}
