/** How long a response may take, in milliseconds, and how large it may be, in bytes. */
export interface Limits {
  /** The time until a response begins: name lookup, connection, TLS and header. 10 s by default. */
  readonly answerMs: number;
  /** The time between two chunks of a body. 10 s by default. */
  readonly idleMs: number;
  /** The time for a whole response, redirects included. 30 s by default. */
  readonly totalMs: number;
  /** The time after which a body must have arrived at `leastBytesPerSecond` on average. 5 s by default. */
  readonly slowAfterMs: number;
  /** The lowest average rate of a body, in bytes per second. 1024 by default. */
  readonly leastBytesPerSecond: number;
  /** The largest body in modreg's own format or of a page of tags, decompressed. 8 MiB by default. */
  readonly largestList: number;
  /** The largest npm packument, decompressed. 64 MiB by default. */
  readonly largestPackument: number;
  /** The time after the first attempt in which a request may be retried. 20 s by default. */
  readonly retryWithinMs: number;
}

/** A longer spread of a change feed is probably a misconfiguration of the registry, so clients cap it. */
export const LONGEST_SPREAD_MS = 3_600_000;

const MIB = 1024 * 1024;

/** The most commas and brackets in a list of modreg's own format. One of 10,000 releases with two artifacts each has 150,000. */
export const MOST_LIST_TOKENS = 250_000;

export const DEFAULT_LIMITS: Limits = {
  answerMs: 10_000,
  idleMs: 10_000,
  totalMs: 30_000,
  slowAfterMs: 5000,
  leastBytesPerSecond: 1024,
  largestList: 8 * MIB,
  largestPackument: 64 * MIB,
  retryWithinMs: 20_000,
};
