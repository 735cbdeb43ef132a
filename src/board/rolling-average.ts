const SECOND = 1000;
/** Samples per second of an analog reader that has a window, but no rate. */
const DEFAULT_RATE = 1;

/** How an analog reader averages its samples. */
export interface Averaging {
  /** The window, in milliseconds. */
  readonly overMs: number;
  /** Samples per second. */
  readonly rate: number;
}

/** The averaging of an analog reader; undefined if it has no window, so that each reading is a sample. */
export function averagingOf(
  averageOverMs: number | undefined,
  samplesPerSec: number | undefined,
): Averaging | undefined {
  if (averageOverMs === undefined || averageOverMs === 0) return undefined;
  return { overMs: averageOverMs, rate: samplesPerSec || DEFAULT_RATE };
}

/**
 * The mean of the samples 1, 2, 3 and so on that the window contains `elapsedMs` after the first one, as a whole number. It is
 * computed, so that a long window and a high rate take neither memory nor time (D46).
 */
export function rollingAverage(elapsedMs: number, { overMs, rate }: Averaging): number {
  const newest = 1 + Math.floor((elapsedMs * rate) / SECOND);
  const window = Math.max(1, Math.floor((overMs * rate) / SECOND));
  const oldest = Math.max(1, newest - window + 1);
  return Math.floor((oldest + newest) / 2);
}
