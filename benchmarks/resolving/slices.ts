/** An implementation to time. */
export interface Contender {
  readonly name: string;
  run(): unknown;
}

/** Number of time slices per contender. They alternate, so that other load affects every contender. */
const SLICES = 31;
const SLICE_MS = 4;
/** No slice begins later than this, except the first ones. */
const LONGEST_MS = 2500;
const LEAST_SLICES = 3;

/** The shortest time of one run for each contender, in microseconds, over interleaved slices. */
export function fastestRuns(contenders: readonly Contender[]): number[] {
  const counts = contenders.map((contender) => runsIn(contender));
  const fastest = contenders.map(() => Infinity);
  const ends = performance.now() + LONGEST_MS;
  for (let slice = 0; slice < SLICES; slice++) {
    if (slice >= LEAST_SLICES && performance.now() > ends) break;
    for (const [place, contender] of contenders.entries()) {
      const count = counts[place] ?? 1;
      const time = timeOf(contender, count) / count;
      fastest[place] = Math.min(fastest[place] ?? Infinity, time);
    }
  }
  return fastest;
}

/** The number of runs that fill a slice, determined during warm-up. */
function runsIn(contender: Contender): number {
  let count = 1;
  for (;;) {
    const time = timeOf(contender, count);
    if (time > SLICE_MS * 1000) return count;
    count *= 2;
  }
}

/** In microseconds. */
function timeOf(contender: Contender, count: number): number {
  const start = process.hrtime.bigint();
  for (let at = 0; at < count; at++) contender.run();
  return Number(process.hrtime.bigint() - start) / 1000;
}

export function geometricMean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}
