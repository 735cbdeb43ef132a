/** The maintenance windows of one policy, as one. Times are milliseconds since the epoch. */
export interface Window {
  /** When one of the windows opened that are open at `at`; undefined where none is. */
  openSince(at: number): number | undefined;
  /** When the window next opens, of a time when it is closed; undefined when it never does. */
  nextOpening(at: number): number | undefined;
  /** When they close that are open at `at`; undefined when they are closed, or go on for very many openings. */
  closing(at: number): number | undefined;
}

/** What came of asking whether maintenance is allowed: anything but `allowed` does not allow it. (D29) */
export type MaintenanceAnswer =
  'allowed' | 'not-allowed' | 'missing' | 'failed' | 'timed-out' | 'not-a-boolean';

/** What says whether a machine may act now. Another question than what it should run. */
export interface Timing {
  /** Undefined where no maintenance window is configured. */
  readonly window: Window | undefined;
  /** Undefined where nobody is asked. */
  readonly answer: MaintenanceAnswer | undefined;
  /** Whether the server processes changes of its config. */
  readonly isServerBusy: boolean;
  /** When it was restarted to be replaced, in milliseconds since the epoch, in any order. */
  readonly restarts: readonly number[];
  readonly restartCooldownMs: number;
  readonly restartCeiling: number;
}

/** Why nothing is replaced now, and until when at least, where that is known. (D25, D29) */
export type Hold =
  | { readonly reason: 'window-closed'; readonly until: number | undefined }
  | {
      readonly reason: 'maintenance-not-allowed';
      readonly answer: Exclude<MaintenanceAnswer, 'allowed'>;
      readonly until?: undefined;
    }
  | { readonly reason: 'server-busy'; readonly until?: undefined }
  | { readonly reason: 'restart-cooldown'; readonly until: number }
  | { readonly reason: 'restart-ceiling'; readonly until: number; readonly restarts: number }
  /** The policy lets no lower version in, whatever the time. (D18) */
  | { readonly reason: 'downgrade-not-allowed'; readonly until?: undefined };

/** One reason not to replace anything at a time, in milliseconds since the epoch. */
export type TimingPolicy = (timing: Timing, at: number) => Hold | undefined;

/** Restarts begin while a window is open, where there is one. (Agent and server updates, rule 2) */
export const windowClosed: TimingPolicy = ({ window }, at) => {
  if (!window || window.openSince(at) !== undefined) return undefined;
  return { reason: 'window-closed', until: window.nextOpening(at) };
};

/** Reads what was answered: only `true` allows maintenance. (D29) */
export function readMaintenanceAnswer(answered: unknown): MaintenanceAnswer {
  if (answered === undefined || answered === null) return 'missing';
  if (typeof answered !== 'boolean') return 'not-a-boolean';
  return answered ? 'allowed' : 'not-allowed';
}

/** Who is asked must allow it. (D29) */
export const maintenanceNotAllowed: TimingPolicy = ({ answer }) => {
  if (answer === undefined || answer === 'allowed') return undefined;
  return { reason: 'maintenance-not-allowed', answer };
};

/** Nothing restarts while the server processes changes of its config. (Agent and server updates, rule 2) */
export const serverBusy: TimingPolicy = ({ isServerBusy }) =>
  isServerBusy ? { reason: 'server-busy' } : undefined;

/**
 * After a restart comes a cooldown. A restart that lies further ahead than the cooldown is long was noted by a
 * clock that was wrong, and counts for nothing. (D25, I15)
 */
export const restartCooldown: TimingPolicy = ({ restarts, restartCooldownMs }, at) => {
  const until = restarts
    .filter((restart) => restart <= at + restartCooldownMs)
    .reduce((latest, restart) => Math.max(latest, restart + restartCooldownMs), -Infinity);
  return at < until ? { reason: 'restart-cooldown', until } : undefined;
};

/** What the ceiling counts in, in milliseconds. */
export const DAY = 86_400_000;

/**
 * So many restarts in 24 hours, and no more. One that lies more than that ahead was noted by a clock that
 * was wrong, and counts for nothing. (D25, I15)
 */
export const restartCeiling: TimingPolicy = ({ restarts, restartCeiling: most }, at) => {
  const latestFirst = restarts
    .filter((restart) => restart > at - DAY && restart <= at + DAY)
    .toSorted((a, b) => b - a);
  // Once this one is a day old, fewer than the most are left.
  const last = latestFirst[most - 1];
  if (last === undefined) return undefined;
  return { reason: 'restart-ceiling', until: last + DAY, restarts: latestFirst.length };
};
