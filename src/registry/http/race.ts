import { unlessAborted } from '../unless-aborted.ts';

/** An address of a host, as `lookup` returns it. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** How the connections of a race are made. */
export interface Racing<T> {
  /** Connects to one address, until `signal` aborts. */
  readonly connect: (address: HostAddress, signal: AbortSignal) => Promise<T>;
  /** Closes a connection that came too late. */
  readonly close: (connection: T) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The recommended delay between attempts. (RFC 8305, 5 and 8) */
const ATTEMPT_DELAY_MS = 250;

/**
 * The first connection to any of `addresses`. The next attempt begins after 250 ms, or at once when the last one fails, and those before it
 * go on: a slow address is not given up for one without a route (RFC 8305, 5). Rejects with the error of the first address if all
 * fail, and with the reason of `signal`.
 */
export async function raced<T>(
  addresses: readonly HostAddress[],
  { connect, close, sleep }: Racing<T>,
  signal: AbortSignal,
): Promise<T> {
  const sorted = interleaved(addresses);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const rest = new AbortController();
  const errors = new Map<number, unknown>();
  let begun = 0;
  const attempt = async (address: HostAddress, place: number): Promise<void> => {
    try {
      const connection = await connect(address, rest.signal);
      if (rest.signal.aborted) close(connection);
      else resolve(connection);
      rest.abort();
    } catch (error) {
      errors.set(place, error);
      if (errors.size === sorted.length) reject(errors.get(0));
      else if (begun === place + 1) begin();
    }
  };
  const begin = (): void => {
    const address = sorted[begun];
    if (!address || rest.signal.aborted) return;
    const place = begun++;
    void attempt(address, place);
    sleep(ATTEMPT_DELAY_MS, rest.signal).then(
      () => begun === place + 1 && begin(),
      () => undefined,
    );
  };
  try {
    if (!signal.aborted) begin();
    return await unlessAborted(signal, promise);
  } finally {
    rest.abort();
  }
}

/** The addresses with alternating families, beginning with that of the first. (RFC 8305, 4) */
function interleaved(addresses: readonly HostAddress[]): HostAddress[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family);
  const other = addresses.filter((address) => !first.includes(address));
  const longest = Math.max(first.length, other.length);
  return Array.from({ length: longest }, (_, index) => [first[index], other[index]])
    .flat()
    .filter((address) => address !== undefined);
}
