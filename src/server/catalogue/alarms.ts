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

/** Alarms of one duration, in the order in which they ring. */
interface Group {
  readonly alarms: Set<Alarm>;
  readonly ended: AbortController;
}

/** Alarms of one duration share one sleep of `clock`, as thousands of long polls have the same. */
export function alarms(clock: Clock): Alarms {
  const groups = new Map<number, Group>();
  return {
    add(ms, ring) {
      const alarm = { since: clock.monotonic(), ring };
      const known = groups.get(ms);
      const group = known ?? { alarms: new Set(), ended: new AbortController() };
      group.alarms.add(alarm);
      if (!known) {
        groups.set(ms, group);
        void ringInOrder(group, ms, clock);
      }
      return () => {
        group.alarms.delete(alarm);
        if (group.alarms.size > 0 || groups.get(ms) !== group) return;
        groups.delete(ms);
        group.ended.abort();
      };
    },
  };
}

/** Rings the alarms of a group, also those that are added meanwhile, until it has none. */
async function ringInOrder({ alarms: all, ended }: Group, ms: number, clock: Clock): Promise<void> {
  try {
    for (const alarm of all) {
      const left = ms - (clock.monotonic() - alarm.since);
      await clock.sleep(Math.max(0, Math.ceil(left)), ended.signal);
      // It may have been ended, and the next one is later.
      if (all.has(alarm)) alarm.ring();
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  }
}
