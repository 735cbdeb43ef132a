const SECOND = 1000;
const DAY = 86_400_000;

/**
 * When the clock of a time zone shows `local`, which is the milliseconds from the epoch to the same time in UTC. A time that occurs twice is
 * the first or the last of both. A time that the zone skips is the end of what it skips: an hour, or a day (T335).
 */
export function momentAt(local: number, timeZone: string, occurrence: 'first' | 'last'): number {
  const clock = clockIn(timeZone);
  // No zone differs from UTC by a day, and none changes twice in two days.
  const offsets = [local - DAY, local + DAY].map((at) => clock(at) - at);
  const shown = offsets.map((offset) => local - offset).filter((at) => clock(at) === local);
  if (shown.length > 0) {
    if (occurrence === 'first') return Math.min(...shown);
    // A midnight that repeats because the hour after it does ends no day once more.
    const ending = shown.filter((at) => local % DAY !== 0 || clock(at - SECOND) < local);
    return Math.max(...(ending.length > 0 ? ending : shown));
  }
  return firstAtOrAfter(local, clock, local - Math.max(...offsets), local - Math.min(...offsets));
}

/** The first time after `before` and until `after` at which the clock, which only moves forward there, shows at least `local`. */
function firstAtOrAfter(local: number, clock: Clock, before: number, after: number): number {
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (clock(middle) >= local) high = middle;
    else low = middle;
  }
  return high;
}

/** What a clock shows at a time, as the milliseconds from the epoch to the same time in UTC, in whole seconds. */
type Clock = (at: number) => number;

const clocks = new Map<string, Clock>();

/** Memoized, because a format takes longer to make than to use. */
function clockIn(timeZone: string): Clock {
  const known = clocks.get(timeZone);
  if (known) return known;
  // The Swedish form of a date and time is that of ISO 8601.
  const format = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const clock: Clock = (at) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
  clocks.set(timeZone, clock);
  return clock;
}
