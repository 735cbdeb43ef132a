import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/registries/index.ts';
import { sleepUntil, type Sleeper } from '../../src/testing/virtual-clock.ts';

/** Both times of a machine, in milliseconds. */
export interface Times {
  readonly elapsed: number;
  /** Since the epoch. */
  readonly wall: number;
}

/** The clock of one process. No reaction of it takes real time, so one turn of the event loop ends them all. */
export interface ModelClock extends Clock {
  readonly pass: (ms: number) => Promise<void>;
  /** Lets everything react to what happened. */
  readonly react: () => Promise<void>;
  /** Moves the wall clock. */
  readonly step: (ms: number) => void;
  readonly times: () => Times;
}

async function react(): Promise<void> {
  await setImmediate();
}

export function modelClock(begins: Times): ModelClock {
  let { elapsed, wall } = begins;
  const sleepers = new Set<Sleeper>();
  const to = (at: number): void => {
    wall += at - elapsed;
    elapsed = at;
  };
  return {
    now: () => wall,
    monotonic: () => elapsed,
    times: () => ({ elapsed, wall }),
    step: (ms) => {
      wall += ms;
    },
    react,
    sleep: async (ms, signal) => await sleepUntil(elapsed + ms, sleepers, signal),
    async pass(ms) {
      const end = elapsed + ms;
      for (;;) {
        await react();
        const next = firstOf(sleepers);
        if (!next || next.at > end) break;
        to(Math.max(elapsed, next.at));
        next.wake();
      }
      to(end);
    },
  };
}

function firstOf(sleepers: ReadonlySet<Sleeper>): Sleeper | undefined {
  let first: Sleeper | undefined;
  for (const one of sleepers) if (!first || one.at < first.at) first = one;
  return first;
}
