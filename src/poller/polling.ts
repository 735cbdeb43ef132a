import { systemClock, systemRandom, wholeMilliseconds, type Clock } from '../registry/clock.ts';
import { isolated, type PollingEvent } from './event.ts';
import { DEFAULT_INTERVAL_MS, LEAST_INTERVAL_MS, LONGEST_INTERVAL_MS } from './schedule.ts';

/** The clock, chance, interval and event log of everything that polls. */
export interface Polling {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly intervalMs: number;
  readonly onEvent: (event: PollingEvent) => void;
}

export interface PollingOptions {
  /** The time between rounds in milliseconds, plus or minus 10 %: a minute by default, five seconds to a day. */
  readonly intervalMs?: number;
  /** The system's clock by default. */
  readonly clock?: Clock;
  /** From 0 to 1. */
  readonly random?: () => number;
  readonly onEvent?: (event: PollingEvent) => void;
}

/** Throws a RangeError for an interval shorter than five seconds or longer than a day. */
export function pollingWith(options: PollingOptions): Polling {
  const { intervalMs = DEFAULT_INTERVAL_MS, clock = systemClock, random = systemRandom } = options;
  if (!(intervalMs >= LEAST_INTERVAL_MS && intervalMs <= LONGEST_INTERVAL_MS)) {
    throw new RangeError(
      `the interval is ${intervalMs} ms, expected ${LEAST_INTERVAL_MS} to ${LONGEST_INTERVAL_MS}`,
    );
  }
  return {
    clock: wholeMilliseconds(clock),
    random,
    intervalMs,
    onEvent: isolated<PollingEvent>(options.onEvent),
  };
}

/** Runs `work` repeatedly until `signal` is aborted. An error is reported, and `work` runs again after an interval. */
export async function keepRunning(
  work: () => Promise<void>,
  { clock, intervalMs, onEvent }: Polling,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      const { reason } = signal as { readonly reason: unknown };
      if (reason !== undefined && error === reason) return;
      onEvent({ kind: 'callback-error', error });
      await clock.sleep(intervalMs, signal).catch(() => undefined);
    }
  }
}
