const SECOND = 1000;
const LONGEST_MS = 60 * SECOND;
/** Crashes count together if they are this close; a module that stays up for as long has recovered. */
export const RECOVERED_MS: number = 600 * SECOND;
/** The crash within the window that is reported as a failure of the release. */
const REPORTED_CRASH = 5;
/** The crashes after which the next one is likely. */
const UNSTEADY_CRASHES = 2;

/** The crashes of one version since it last recovered. */
export interface Crashes {
  /** When they happened, in milliseconds of a monotonic clock, the oldest first. */
  readonly times: readonly number[];
  /** How many there were since the version last stayed up for the window. */
  readonly count: number;
  /** The count when they were last reported as a failure of the release. */
  readonly reportedAt?: number | undefined;
}

export const NO_CRASHES: Crashes = { times: [], count: 0 };

/** Adds a crash at `now` of a process that was up for `upMs`. */
export function withCrash(crashes: Crashes, now: number, upMs: number): Crashes {
  const { times, count, reportedAt } = upMs < RECOVERED_MS ? crashes : NO_CRASHES;
  const recent = times.filter((at) => now - at < RECOVERED_MS);
  return { times: [...recent, now], count: count + 1, ...(reportedAt && { reportedAt }) };
}

/**
 * Whether the latest crash is the one that shows that the release does not work. What was reported before and is started again
 * all the same is reported after five more, which come at longer and longer intervals (D106).
 */
export function isCrashLoop({ times, count, reportedAt = 0 }: Crashes): boolean {
  return times.length >= REPORTED_CRASH && count >= reportedAt + REPORTED_CRASH;
}

/**
 * Whether a version that has been up for `upMs` may crash again at once. One that has recovered does not, however often it crashed
 * before.
 */
export function isUnsteady({ count }: Crashes, upMs: number): boolean {
  return count >= UNSTEADY_CRASHES && upMs < RECOVERED_MS;
}

/**
 * How long to wait before the next start: 0, 1, 2, 4 s, up to a minute, and up to a tenth less by `random`, from 0 to 1, so
 * that modules which crashed together do not start together.
 */
export function backOffMs({ count }: Crashes, random: number): number {
  if (count <= 1) return 0;
  const full = Math.min(LONGEST_MS, SECOND * 2 ** (count - 2));
  return Math.round(full * (1 - random / 10));
}
