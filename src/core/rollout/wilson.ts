/** The lowest and the highest probability that agree with what was counted. */
export interface Bounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * The Wilson score interval of the probability of an event that happened `count` times in `trials`. With `z` 3.09, the probability is
 * below `lower` in one case of a thousand. From 0 to 1 without trials.
 */
export function wilson(count: number, trials: number, z: number): Bounds {
  if (trials === 0) return { lower: 0, upper: 1 };
  const rate = count / trials;
  const width = z * Math.sqrt((rate * (1 - rate)) / trials + (z / (2 * trials)) ** 2);
  const centre = rate + z ** 2 / (2 * trials);
  const scale = 1 + z ** 2 / trials;
  return {
    lower: Math.max(0, (centre - width) / scale),
    upper: Math.min(1, (centre + width) / scale),
  };
}
