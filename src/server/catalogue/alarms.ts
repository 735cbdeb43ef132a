import type { Clock } from '../../registry/clock.ts';

/** Calls functions after a time. */
export interface Alarms {
  /** Calls `ring` after `ms`, unless the result is called before. */
  readonly add: (ms: number, ring: () => void) => () => void;
}

interface Alarm {
  readonly since: number;
  readonly ring: () => void;
}

/** Alarms of one duration, in the order in which they ring. It is known for as long as it has one. */
interface Group {
  readonly ms: number;
  readonly alarms: Set<Alarm>;
  readonly ended: AbortController;
}

/** Alarms of one duration share one sleep of `clock`, as thousands of long polls have the same. */
export function alarms(clock: Clock): Alarms {
  const groups = new Map<number, Group>();
  const take = ({ ms, alarms: all }: Group, alarm: Alarm): boolean => {
    const isTaken = all.delete(alarm);
    if (isTaken && all.size === 0) groups.delete(ms);
    return isTaken;
  };
  return {
    add(ms, ring) {
      const alarm = { since: clock.monotonic(), ring };
      const known = groups.get(ms);
      const group = known ?? { ms, alarms: new Set(), ended: new AbortController() };
      group.alarms.add(alarm);
      if (!known) {
        groups.set(ms, group);
        void ringInOrder(group, clock, (one) => take(group, one));
      }
      return () => {
        if (take(group, alarm) && group.alarms.size === 0) group.ended.abort();
      };
    },
  };
}

/** Rings the alarms of a group, also those that are added meanwhile, until it has none. `take` removes one, and is false if it was ended. */
async function ringInOrder(
  { ms, alarms: all, ended }: Group,
  clock: Clock,
  take: (alarm: Alarm) => boolean,
): Promise<void> {
  try {
    for (const alarm of all) {
      const left = ms - (clock.monotonic() - alarm.since);
      await clock.sleep(Math.max(0, Math.ceil(left)), ended.signal);
      // It may have been ended, and the next one is later.
      if (take(alarm)) alarm.ring();
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  }
}
