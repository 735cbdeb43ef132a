/** The timers of modreg's HTTP client, on the virtual clock. They take no part in the order of events. */
export interface ClientTimers {
  readonly set: (ms: number, expire: () => void) => object;
  /** False if the timer is of another kind. */
  readonly clear: (timer: unknown) => boolean;
  /** Runs `work`; the timers that it sets at once belong to `owner`. */
  readonly ownedBy: <T>(owner: number, work: () => T) => T;
  /** Fires the due timers of `owner`. */
  readonly fireOf: (owner: number) => void;
  /** Fires the timers of a time in the past. */
  readonly fireOverdue: () => void;
}

interface Timer {
  readonly at: number;
  readonly owner: number | undefined;
  readonly expire: () => void;
}

export function clientTimers(elapsed: () => number): ClientTimers {
  const pending = new Set<Timer>();
  let current: number | undefined;
  const fire = (isMeant: (timer: Timer) => boolean): void => {
    for (const timer of [...pending].filter(isMeant)) {
      pending.delete(timer);
      timer.expire();
    }
  };
  return {
    set(ms, expire) {
      const timer = { at: elapsed() + ms, owner: current, expire };
      pending.add(timer);
      return timer;
    },
    // A cast: a set may be asked for anything.
    clear: (timer) => pending.delete(timer as Timer),
    ownedBy(owner, work) {
      current = owner;
      try {
        return work();
      } finally {
        current = undefined;
      }
    },
    fireOf: (owner) => fire((timer) => timer.owner === owner && timer.at <= elapsed()),
    fireOverdue: () => fire(({ at }) => at < elapsed()),
  };
}
