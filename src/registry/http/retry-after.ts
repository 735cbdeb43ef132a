const SHORTEST_MS = 1000;
const LONGEST_MS = 3_600_000;

/**
 * The delay in a `Retry-After` header, in milliseconds, clamped to between one second and one hour. Undefined if the
 * header is neither a number of seconds nor an HTTP date.
 */
export function readRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : untilDate(text, now);
  return ms === undefined ? undefined : Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS);
}

/** Milliseconds until `Wed, 21 Oct 2026 07:28:00 GMT`. (RFC 9110, 5.6.7) */
function untilDate(text: string, now: number): number | undefined {
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time - now;
}
