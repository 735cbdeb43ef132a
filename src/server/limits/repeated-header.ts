import type { IncomingMessage, RequestListener } from 'node:http';
import { problemText } from '../problem.ts';
import { endWith } from './request-gate.ts';

/** The headers that say who is asked and who asks. Node refuses two lengths by itself. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'authorization']);

/**
 * Calls `handle` for each request that has such a header at most once. Node takes the first of two, and a proxy in front of it may
 * have checked the last (T290).
 */
export function refusingRepeated(handle: RequestListener): RequestListener {
  return (request, response) => {
    const name = repeatedHeader(request);
    if (name === undefined) return handle(request, response);
    const detail = `the request has the header ${name} twice, expected one: nothing was changed`;
    endWith(response, problemText('bad-request', detail));
  };
}

function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return names.find((name, at) => SINGLE.has(name) && names.indexOf(name) < at);
}
