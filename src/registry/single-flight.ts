import { unlessAborted } from './unless-aborted.ts';

interface Flight<T> {
  readonly promise: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * `work`, which those share who ask for the same key while it is under way. Each may leave by a signal of its
 * own; the work is called off when nobody waits for it any more.
 */
export function singleFlight<K, A, T>(
  work: (key: K, argument: A, signal: AbortSignal) => Promise<T>,
): (key: K, argument: A, signal: AbortSignal | undefined) => Promise<T> {
  const flights = new Map<K, Flight<T>>();
  const start = (key: K, argument: A): Flight<T> => {
    const controller = new AbortController();
    const promise = work(key, argument, controller.signal);
    const flight = { promise, controller, waiting: 0 };
    flights.set(key, flight);
    return flight;
  };
  return async (key, argument, signal) => {
    signal?.throwIfAborted();
    const flight = flights.get(key) ?? start(key, argument);
    flight.waiting++;
    try {
      return await unlessAborted(signal, flight.promise);
    } finally {
      flight.waiting--;
      if (flight.waiting === 0) {
        if (flights.get(key) === flight) flights.delete(key);
        // Of one that has ended there is nothing to call off.
        if (signal?.aborted === true) flight.controller.abort(signal.reason);
      }
    }
  };
}
