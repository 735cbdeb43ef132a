import type { FakeBoardAttributes } from '../config/index.ts';

/**
 * A board without hardware. Its values only count: each reading of an analog reader is one more than the last one, and each
 * interrupt ticks again and again. Methods throw a RangeError for a name that the board does not have.
 */
export interface FakeBoard {
  /** The attributes that it was opened with. */
  readonly attributes: FakeBoardAttributes;
  /**
   * Reads an analog reader: 1, then 2 and so on. With `average_over_ms`, samples with these values are taken `samples_per_sec` times a
   * second (once if it is absent or 0), and this is the mean of those in the window, without its fraction.
   */
  readAnalog(name: string): number;
  /** `Value()` of the reference: how many ticks a digital interrupt has had since the board was opened. */
  value(name: string): number;
  /**
   * `GetGPIO()` of the reference: whether the pin is high now. The pin of an interrupt changes with each tick, so that ticks between two
   * calls may be missed; any other pin is low.
   */
  getGpio(pin: string): boolean;
  /**
   * `StreamTicks()` of the reference: the ticks from now on of the interrupts `names`, by default of all, until `signal` aborts or the
   * loop ends. While more than `capacity` ticks wait to be read, 1000 by default, the oldest are dropped and counted.
   */
  streamTicks(
    names?: readonly string[],
    options?: {
      /** Ends the stream when it aborts. */
      readonly signal?: AbortSignal;
      /** How many ticks may wait to be read, 1 or more. */
      readonly capacity?: number;
    },
  ): AsyncIterableIterator<
    {
      /** The name of the interrupt. */
      readonly name: string;
      /** How many ticks the interrupt has had with this one. */
      readonly count: number;
      /** Whether the pin went from low to high; false if it went from high to low. */
      readonly high: boolean;
      /** When, in milliseconds since the epoch. */
      readonly at: number;
    },
    undefined
  > & {
    /** How many ticks were dropped so far. */
    readonly dropped: number;
    /** Ends the stream, and what waits for its next tick. */
    return(): Promise<IteratorReturnResult<undefined>>;
  };
}
