/** The maintenance windows of a policy, combined into one. All times are milliseconds since the epoch. */
export interface Window {
  /** When the window that is open at `at` opened; undefined if it is closed. */
  openSince(at: number): number | undefined;
  /** When the window that is closed at `at` opens next; undefined if it never does. */
  nextOpening(at: number): number | undefined;
  /** When the window that is open at `at` closes; undefined if it is closed, or stays open for a very long time. */
  closing(at: number): number | undefined;
  /** The windows as data, so that a decision can be recorded; absent if they are computed in another way. */
  readonly windows?:
    | readonly {
        /** When it opens, in cron syntax. */
        readonly start: string;
        /** How long it stays open, in milliseconds. */
        readonly durationMs: number;
        /** The IANA name of a time zone. */
        readonly timeZone: string;
      }[]
    | undefined;
}

/** What determines whether a machine may restart something now. */
export interface Timing {
  /** The policy's maintenance windows; undefined if it has none. */
  readonly window: Window | undefined;
  /** When the policy allows no maintenance, in any order; absent if it always does. Times are milliseconds since the epoch. */
  readonly blackouts?:
    | readonly {
        /** When it begins. */
        readonly from: number;
        /** When it ends. If that is not after `from`, its time zone skipped all of it. */
        readonly until: number;
        /** The IANA name of the time zone in which its days are. */
        readonly timeZone: string;
        /** Why the site wants it; absent if the policy does not say. */
        readonly reason?: string | undefined;
      }[]
    | undefined;
  /** What the agent answered when it was asked whether maintenance is allowed; undefined if it is not asked. */
  readonly answer:
    | 'allowed'
    | 'not-allowed'
    | 'forbidden'
    | 'missing'
    | 'failed'
    | 'timed-out'
    | 'not-a-boolean'
    | undefined;
  /** The modules that would stop with the target, and do not allow it now (D77). */
  readonly vetoes?:
    | readonly {
        /** The name of the module entry. */
        readonly by: string;
        /** Why, in its own words; undefined if it gives no reason. */
        readonly said: string | undefined;
        /** Whether the module says that its veto may be overridden: then it ends with the longest hold (D79). */
        readonly isOverridable: boolean;
      }[]
    | undefined;
  /** Whether the server is processing config changes. */
  readonly isServerBusy: boolean;
  /** When the target was restarted for a replacement, in milliseconds since the epoch, in any order. */
  readonly restarts: readonly number[];
  /** The minimum time between two restarts of the target, in milliseconds. */
  readonly restartCooldownMs: number;
  /** The maximum number of restarts of the target in 24 hours. */
  readonly restartCeiling: number;
  /** When the target's replacements have been held for as long as the policy allows, in milliseconds since the epoch; absent if it sets no limit, or nothing is held yet (D79). */
  readonly longestHoldEnd?: number | undefined;
  /** The first unknown field of each document that has one; absent if none has (D240). */
  readonly unknownFields?:
    | readonly {
        /** The update policy, or the agent configuration. */
        readonly of: 'policy' | 'agent';
        /** A JSON Pointer in the document, not escaped for a terminal. */
        readonly path: string;
        /** The most similar field that is known; undefined if none is similar. */
        readonly suggestion: string | undefined;
        /** How many other unknown fields the document has. */
        readonly more: number;
      }[]
    | undefined;
  /** The holds of operators; absent if there are none (D75). */
  readonly operatorHolds?:
    | readonly {
        /** Whether it holds the whole machine. */
        readonly of: 'machine' | 'target';
        /** Who set it. */
        readonly by: string;
        /** Why, as that person wrote it. */
        readonly because: string;
        /** When it was set, in milliseconds since the epoch. */
        readonly since: number;
        /** When it ends by the machine's clock; undefined while that is not certain. */
        readonly until: number | undefined;
        /** The end that the operator named, while it is not certain. */
        readonly endsAt?: number | undefined;
      }[]
    | undefined;
}

/** A running module that must not be stopped now (D77). */
export type Veto = NonNullable<Timing['vetoes']>[number];

export type Blackout = NonNullable<Timing['blackouts']>[number];

/** The result of asking the agent whether maintenance is allowed. Only `allowed` allows it. */
export type MaintenanceAnswer = NonNullable<Timing['answer']>;

/** Why a replacement is held. `until` is when that reason ends, in milliseconds since the epoch, if it is known. */
export type Hold =
  | {
      readonly reason: 'window-closed';
      /** When the window opens; undefined if it never does. */
      readonly until: number | undefined;
    }
  | {
      readonly reason: 'blackout';
      /** When it ends, and each one that follows it without a gap. */
      readonly until: number;
      /** Why the site wants these, as far as the policy says. */
      readonly reasons: readonly string[];
    }
  | {
      readonly reason: 'maintenance-not-allowed';
      /** What the agent answered. */
      readonly answer: Exclude<NonNullable<Timing['answer']>, 'allowed'>;
      /** When the longest hold ends it, unless it ends before (D79). */
      readonly until?: number | undefined;
    }
  | ({
      readonly reason: 'veto';
      /** When the longest hold ends it, unless it ends before (D79). */
      readonly until?: number | undefined;
    } & NonNullable<Timing['vetoes']>[number])
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
  | ({
      /** An operator holds the target or the whole machine. */
      readonly reason: 'operator-hold';
    } & NonNullable<Timing['operatorHolds']>[number])
  | {
      /** The server is processing config changes. */
      readonly reason: 'server-busy';
      /** When the longest hold ends it, unless it ends before (D79). */
      readonly until?: number | undefined;
    }
  | ({
      /** A document has a field that this modreg does not know (D240). */
      readonly reason: 'unknown-field';
      readonly until?: undefined;
    } & NonNullable<Timing['unknownFields']>[number])
  | {
      /** The policy does not allow a lower version. */
      readonly reason: 'downgrade-not-allowed';
      readonly until?: undefined;
    };

/** The reasons to hold a replacement at `at`, in milliseconds since the epoch; undefined if it does not apply. */
export type TimingPolicy = (timing: Timing, at: number) => Hold | readonly Hold[] | undefined;

/** What a field asks for that this modreg does not know may be that nothing is replaced now (D240). */
export const unknownField: TimingPolicy = ({ unknownFields }) =>
  unknownFields?.map((field): Hold => ({ reason: 'unknown-field', ...field }));

/** Whether a hold waits for a moment, and not for another policy (D18, D240). */
export function waitsForMoment({ reason }: Hold): boolean {
  return reason !== 'downgrade-not-allowed' && reason !== 'unknown-field';
}

/** If a maintenance window is configured, restarts begin only while it is open (D25). */
export const windowClosed: TimingPolicy = ({ window }, at) => {
  if (!window || window.openSince(at) !== undefined) return undefined;
  return { reason: 'window-closed', until: window.nextOpening(at) };
};

/** No restart begins in a blackout, whether a window is open or not (D74). */
export const inBlackout: TimingPolicy = ({ blackouts }, at) => {
  if (!blackouts || blackouts.length === 0) return undefined;
  const reasons = new Set<string | undefined>();
  let until = at;
  let lasting: Blackout | undefined;
  while ((lasting = blackouts.find((one) => one.from <= until && until < one.until))) {
    until = lasting.until;
    reasons.add(lasting.reason);
  }
  if (until === at) return undefined;
  return { reason: 'blackout', until, reasons: [...reasons].filter((one) => one !== undefined) };
};

/** Reads the agent's answer: only `true` allows maintenance (D29). `forbidden` is a `false` without a longest hold (D79). */
export function readMaintenanceAnswer(answer: unknown): MaintenanceAnswer {
  if (answer === undefined || answer === null) return 'missing';
  if (answer === 'forbidden') return answer;
  if (typeof answer !== 'boolean') return 'not-a-boolean';
  return answer ? 'allowed' : 'not-allowed';
}

/** An agent that is asked must allow maintenance (D29). Only its `false` ends with the longest hold (D79). */
export const maintenanceNotAllowed: TimingPolicy = ({ answer, longestHoldEnd }, at) => {
  if (answer === undefined || answer === 'allowed') return undefined;
  const until = answer === 'not-allowed' ? longestHoldEnd : undefined;
  return at < (until ?? Infinity)
    ? { reason: 'maintenance-not-allowed', answer, until }
    : undefined;
};

/** What would stop must not, because it says so itself (D77). The longest hold ends what may be overridden (D79). */
export const vetoed: TimingPolicy = ({ vetoes, longestHoldEnd }, at) =>
  vetoes?.flatMap((veto): Hold[] => {
    const until = veto.isOverridable ? longestHoldEnd : undefined;
    return at < (until ?? Infinity) ? [{ reason: 'veto', ...veto, until }] : [];
  });

/** Nothing restarts while the server is processing config changes (D25), until the longest hold ends (D79). */
export const serverBusy: TimingPolicy = ({ isServerBusy, longestHoldEnd: until }, at) =>
  isServerBusy && at < (until ?? Infinity) ? { reason: 'server-busy', until } : undefined;

/**
 * A cooldown follows each restart. A restart that is recorded further in the future than the length of the cooldown is
 * ignored: a wrong clock recorded it (D25, I15).
 */
export const restartCooldown: TimingPolicy = ({ restarts, restartCooldownMs }, at) => {
  const until = restarts
    .filter((restart) => restart <= at + restartCooldownMs)
    .reduce((latest, restart) => Math.max(latest, restart + restartCooldownMs), -Infinity);
  return at < until ? { reason: 'restart-cooldown', until } : undefined;
};

/** The period of the restart ceiling, in milliseconds. */
export const DAY = 86_400_000;

/**
 * At most `restartCeiling` restarts begin in 24 hours. A restart that is recorded more than 24 hours in the future is
 * ignored: a wrong clock recorded it (D25, I15).
 */
export const restartCeiling: TimingPolicy = ({ restarts, restartCeiling: most }, at) => {
  const latestFirst = restarts
    .filter((restart) => restart > at - DAY && restart <= at + DAY)
    .toSorted((a, b) => b - a);
  // Once this one is a day old, fewer than `most` restarts count.
  const last = latestFirst[most - 1];
  if (last === undefined) return undefined;
  return { reason: 'restart-ceiling', until: last + DAY, restarts: latestFirst.length };
};
