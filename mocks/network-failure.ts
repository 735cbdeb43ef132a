/*
 * What Node's `fetch` rejects with before a connection exists: a TypeError "fetch failed", whose cause is the system error, or an
 * AggregateError of one for each address of the host. (undici, `fetch`; Node.js, `autoSelectFamily` of `net.connect`)
 */

/** The rejection for the error codes of one or more addresses. */
export function networkFailure(...codes: readonly string[]): TypeError {
  const causes = codes.map((code) =>
    Object.assign(new Error('text that may contain anything'), { code }),
  );
  const cause = causes.length === 1 ? causes[0] : new AggregateError(causes, '');
  return new TypeError('fetch failed', { cause });
}
