import type { MachineMemory } from './machine-memory.ts';
import type { TargetName } from './target.ts';

/** A release after whose start the machine or its agent went down again and again. */
export interface Suspect {
  readonly target: TargetName;
  readonly version: string;
  /** How often the machine did. */
  readonly count: number;
  /** Whether the machine did often enough to blame the release. If its agent alone was killed, only a fix may be installed. */
  readonly isBlamed: boolean;
}

/** A start of an agent. */
interface Start {
  readonly at: number;
  /** The boot of the machine; undefined if it is not known, which counts as another one. */
  readonly boot: string | undefined;
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
  { lastChange, starts, boots = [] }: Pick<MachineMemory, 'lastChange' | 'starts' | 'boots'>,
  now: Start,
): Suspect | undefined {
  if (!lastChange) return undefined;
  const { at, target, version } = lastChange;
  const all = starts.map((start, place): Start => ({ at: start, boot: boots[place] }));
  const boot = all.findLast((start) => start.at <= at)?.boot;
  const since = [{ at, boot }, ...all.filter((start) => start.at > at), now];
  const pairs = since.slice(1).map((start, place) => ({ start, before: since[place] ?? start }));
  const isAlwaysSoon = pairs.every(
    ({ start, before }) => start.at >= before.at && start.at - before.at < SOON_MS,
  );
  if (!isAlwaysSoon || pairs.length < MOST_REBOOTS) return undefined;
  const count = pairs.filter(
    ({ start, before }) => start.boot === undefined || start.boot !== before.boot,
  ).length;
  return { target, version, count, isBlamed: count >= MOST_REBOOTS };
}
