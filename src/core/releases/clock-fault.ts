/** Why a minimum age does not count to the time of the machine's clock. */
export type ClockFault =
  | {
      /** A registry said over https that it is another time. */
      readonly kind: 'wrong';
      /** How far the clock is ahead of the certain time, in milliseconds; negative if it is behind. */
      readonly aheadMs: number;
    }
  | {
      /** The clock is not synchronized, or the policy does not trust it, and no registry said what time it is. */
      readonly kind: 'unsynchronized' | 'distrusted';
      /** The latest time that was certain, in milliseconds since the epoch; absent if none was. */
      readonly certainAt?: number | undefined;
    };
