import {
  expectArgument,
  FUNCTION,
  NUMBER,
  numberIn,
  type Expected,
} from '../core/text/argument.ts';
import type { Clock } from '../registry/clock.ts';

/** A clock that advances only when a test calls `pass`. */
export interface VirtualClock extends Clock {
  /** Advances the clock by `ms`, 0 to 100 years; rejects with a RangeError for any other number. Each sleeper wakes in order, and its reactions run before the clock continues. */
  pass(ms: number): Promise<void>;
  /** Sets the wall clock, in milliseconds since the epoch; elapsed time is unaffected. */
  set(now: number): void;
}

/** One who sleeps until `at`, in milliseconds of the monotonic clock. */
export interface Sleeper {
  at: number;
  readonly wake: () => void;
}

interface Sleepers {
  readonly add: (sleeper: Sleeper) => unknown;
  readonly delete: (sleeper: Sleeper) => unknown;
}

/** 100 years of 365.25 days. The requests of a machine in 1e18 ms are more than an array can have. */
const LONGEST = 3_155_760_000_000;
const DURATION: Expected = numberIn(
  (ms) => ms >= 0 && ms <= LONGEST,
  `milliseconds from 0 to ${LONGEST}`,
);
const IDLE_TURNS = 8;
const NOW: number = Date.parse('2026-11-21T01:02:03Z');

/**
 * Creates a clock that stands at `now`, in milliseconds since the epoch. `pass` lets time pass: all that is asleep wakes in
 * order, and the reactions to it run before the next one wakes. It waits while `isBusy` returns true, for work that takes real
 * time, such as reading a file.
 *
 * @example
 * ```ts
 * import { virtualClock } from 'modreg/testing';
 *
 * const clock = virtualClock(Date.parse('2026-11-21T00:00:00Z'));
 * const woken = clock.sleep(60_000).then(() => new Date(clock.now()));
 * await clock.pass(3_600_000);
 * console.log((await woken).toISOString()); // 2026-11-21T00:01:00.000Z
 * ```
 */
export function virtualClock(now: number = NOW, isBusy: () => boolean = () => false): VirtualClock {
  expectArgument('virtualClock()', 'now', now, NUMBER);
  expectArgument('virtualClock()', 'isBusy', isBusy, FUNCTION);
  return virtualTime(now, isBusy).clock;
}

/** Finds time that a clock may leave out (D429). */
export interface RepeatedRounds {
  /**
   * Called when all that a machine waits for ends at once, at `at` on the monotonic clock: returns how much of the time up to `end` may be
   * left out before that, because the machine did the same in its last two rounds and would go on with it. Notes the requests of those rounds.
   */
  readonly leap: (at: number, end: number) => number;
  /** The rounds so far tell nothing about the next: a test may have changed something. */
  readonly forget: () => void;
}

/** A virtual clock, and the same one for a machine, whose rounds it may leave out. */
export interface VirtualTime {
  readonly clock: VirtualClock;
  readonly ofMachine: Clock;
  /** From now on, `rounds` say how much time is left out. No time is for which the test itself sleeps. */
  readonly leaveOut: (rounds: RepeatedRounds) => void;
}

export function virtualTime(now: number, isBusy: () => boolean): VirtualTime {
  const sleepers = new Set<Sleeper>();
  const machines = new Set<Sleeper>();
  let rounds: RepeatedRounds | undefined;
  let elapsed = 1000;
  let offset = now - elapsed;
  const pass = async (ms: number): Promise<void> => {
    expectArgument('pass()', 'ms', ms, DURATION);
    const end = elapsed + ms;
    rounds?.forget();
    await turns(isBusy);
    for (;;) {
      const [next] = [...sleepers].toSorted((a, b) => a.at - b.at);
      if (!next || next.at > end) break;
      if (rounds) leave(rounds, { next, end, sleepers, machines });
      elapsed = Math.max(elapsed, next.at);
      next.wake();
      await turns(isBusy);
    }
    elapsed = end;
    await turns(isBusy);
  };
  const time = {
    now: (): number => Math.floor(offset + elapsed),
    monotonic: (): number => elapsed,
  };
  const sleepIn =
    (among: Sleepers): Clock['sleep'] =>
    async (ms, signal) =>
      await sleepUntil(elapsed + ms, among, signal);
  const set = (wall: number): void => void (offset = wall - elapsed);
  return {
    clock: { ...time, set, pass, sleep: sleepIn(sleepers) },
    ofMachine: { ...time, sleep: sleepIn(both(sleepers, machines)) },
    leaveOut: (by) => void (rounds = by),
  };
}

/** Lets the machine sleep for longer, by the time that is left out, if all that it waits for ends with `next`. */
function leave(
  rounds: RepeatedRounds,
  {
    next,
    end,
    sleepers,
    machines,
  }: {
    readonly next: Sleeper;
    readonly end: number;
    readonly sleepers: ReadonlySet<Sleeper>;
    readonly machines: ReadonlySet<Sleeper>;
  },
): void {
  const waiting = [...machines].filter(({ at }) => at < Infinity);
  if (waiting.some(({ at }) => at !== next.at)) return;
  const tests = [...sleepers].filter((sleeper) => !machines.has(sleeper));
  const ms = rounds.leap(next.at, Math.min(end, ...tests.map(({ at }) => at)));
  for (const sleeper of waiting) sleeper.at += ms;
}

function both(sleepers: Sleepers, machines: Sleepers): Sleepers {
  return {
    add: (sleeper) => {
      sleepers.add(sleeper);
      machines.add(sleeper);
    },
    delete: (sleeper) => {
      sleepers.delete(sleeper);
      machines.delete(sleeper);
    },
  };
}

async function turns(isBusy: () => boolean): Promise<void> {
  // Reactions to the last event take several event-loop turns.
  for (let idle = 0; idle < IDLE_TURNS; idle = isBusy() ? 0 : idle + 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Resolves when `wake` of its sleeper is called; rejects if it is aborted before. */
export async function sleepUntil(
  at: number,
  sleepers: Sleepers,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sleeper: Sleeper = { at, wake: resolve };
  const onAbort = (): void => reject(signal?.reason as Error);
  sleepers.add(sleeper);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    sleepers.delete(sleeper);
    signal?.removeEventListener('abort', onAbort);
  }
}
