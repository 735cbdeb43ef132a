/** How long an answer may take, and how much it may hold. */
export interface Limits {
  /** Until it begins: looking up the name, the connection, TLS and the header. */
  readonly answerMs: number;
  /** Between two parts of its body. */
  readonly idleMs: number;
  /** For the whole answer, redirects included. */
  readonly totalMs: number;
  /** Once a body has taken this long, it must have come at `leastBytesPerSecond` so far. */
  readonly slowAfterMs: number;
  readonly leastBytesPerSecond: number;
  /** The largest body of our own format and of a page of tags, in bytes after decompression. */
  readonly largestList: number;
  /** The largest npm packument, likewise. */
  readonly largestPackument: number;
  /** No attempt at a request begins later than this after the first. */
  readonly patienceMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: Limits = {
  answerMs: 10_000,
  idleMs: 10_000,
  totalMs: 30_000,
  slowAfterMs: 5000,
  leastBytesPerSecond: 1024,
  largestList: 8 * MIB,
  largestPackument: 64 * MIB,
  patienceMs: 20_000,
};
