const SHORTEST_MS = 1000;
const LONGEST_MS = 3_600_000;
/** A hundred years: a header has any number of digits. */
const MOST_SHOWN_MS = 3_155_760_000_000;

/**
 * The delay in a `Retry-After` header, in milliseconds, clamped to between one second and one hour. Undefined if the
 * header is neither a number of seconds nor an HTTP date.
 */
export function readRetryAfter(text: string | null, now: number): number | undefined {
  const ms = askedDelay(text, now);
  return ms === undefined ? undefined : Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS);
}

/**
 * What a person is told of the delay in a `Retry-After` header: `7200 s, and is asked again after 3600 s` if it is longer than a client
 * waits (T517). Undefined like that delay.
 */
export function retryAfterWords(text: string | null, now: number): string | undefined {
  const ms = askedDelay(text, now);
  const waited = readRetryAfter(text, now);
  if (ms === undefined || waited === undefined) return undefined;
  const words = `${Math.ceil(waited / 1000)} s`;
  if (ms <= LONGEST_MS) return words;
  return `${Math.ceil(Math.min(ms, MOST_SHOWN_MS) / 1000)} s, and is asked again after ${words}`;
}

/** In milliseconds, as the server says it. */
function askedDelay(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  return /^\d+$/.test(text) ? Number(text) * 1000 : untilDate(text, now);
}

/** Milliseconds until `Wed, 21 Oct 2026 07:28:00 GMT`. (RFC 9110, 5.6.7) */
function untilDate(text: string, now: number): number | undefined {
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time - now;
}
