/** The maintenance windows of a policy, as one. All times are milliseconds since the epoch. */
export interface Window {
  /** When the window opened that is open at `at`; undefined where it is closed. */
  openSince(at: number): number | undefined;
  /** When the window opens next after `at`, where it is closed at `at`; undefined where it never does. */
  nextOpening(at: number): number | undefined;
  /** When the window closes that is open at `at`; undefined where it is closed, or stays open for very long. */
  closing(at: number): number | undefined;
}

/** The result of asking the agent whether maintenance is allowed. Anything but `allowed` does not allow it. */
export type MaintenanceAnswer =
  'allowed' | 'not-allowed' | 'missing' | 'failed' | 'timed-out' | 'not-a-boolean';

/** What determines whether a machine may restart something now. */
export interface Timing {
  /** The policy's maintenance windows; undefined where it has none. */
  readonly window: Window | undefined;
  /** Whether the agent allows maintenance; undefined where it is not asked. */
  readonly answer: MaintenanceAnswer | undefined;
  /** Whether the server processes changes of its config. */
  readonly isServerBusy: boolean;
  /** When the target was restarted to be replaced, in milliseconds since the epoch, in any order. */
  readonly restarts: readonly number[];
  /** The least time between two restarts of the target, in milliseconds. */
  readonly restartCooldownMs: number;
  /** The most restarts of the target in 24 hours. */
  readonly restartCeiling: number;
}

/** Why a replacement is held, and the end of that in milliseconds since the epoch, where it is known. */
export type Hold =
  | {
      readonly reason: 'window-closed';
      /** When the window opens; undefined where it never does. */
      readonly until: number | undefined;
    }
  | {
      readonly reason: 'maintenance-not-allowed';
      /** What the agent answered. */
      readonly answer: Exclude<MaintenanceAnswer, 'allowed'>;
      readonly until?: undefined;
    }
  | {
      readonly reason: 'restart-cooldown';
      /** When the cooldown after the last restart ends. */
      readonly until: number;
    }
  | {
      readonly reason: 'restart-ceiling';
      /** When another restart is allowed. */
      readonly until: number;
      /** How many restarts there were in 24 hours. */
      readonly restarts: number;
    }
  | {
      /** The server processes changes; or the policy allows no lower version. */
      readonly reason: 'server-busy' | 'downgrade-not-allowed';
      readonly until?: undefined;
    };

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
