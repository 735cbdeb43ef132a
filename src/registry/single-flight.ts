import { unlessAborted } from './unless-aborted.ts';

interface Flight<T> {
  readonly promise: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Wraps `work` so that concurrent calls with the same key share one run. Each caller can stop waiting by its own
 * signal; the run is aborted when no caller waits for it.
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
        // Without an abort the run has already ended.
        if (signal?.aborted === true) flight.controller.abort(signal.reason);
      }
    }
  };
}
