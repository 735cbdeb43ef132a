import type { MachineMemory } from './machine-memory.ts';
import type { TargetName } from './target.ts';

/** A release after whose start the machine went down again and again. */
export interface Suspect {
  readonly target: TargetName;
  readonly version: string;
  /** How often. */
  readonly count: number;
}

/** A machine that goes down so soon after the start of a release may do so because of it. */
const SOON_MS = 10 * 60_000;
/** As many as the attempts of a trial. */
const MOST_REBOOTS = 3;

/**
 * The release that changed last, if the machine went down within ten minutes of each of its starts, at least three times (D85).
 * One that has been up for longer once is not suspected: somebody may pull the plug five times. `now` is a start that is not
 * recorded yet.
 */
export function suspectOf(
  { lastChange, starts }: Pick<MachineMemory, 'lastChange' | 'starts'>,
  now: number,
): Suspect | undefined {
  if (!lastChange) return undefined;
  const { at, target, version } = lastChange;
  const times = [at, ...starts.filter((start) => start > at), now];
  const count = times.length - 1;
  const isAlwaysSoon = times.slice(1).every((time, place) => {
    const before = times[place] ?? time;
    return time >= before && time - before < SOON_MS;
  });
  return isAlwaysSoon && count >= MOST_REBOOTS ? { target, version, count } : undefined;
}
