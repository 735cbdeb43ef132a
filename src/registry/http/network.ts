import { memoizeUntilError } from '../memoize-until-error.ts';
import type { Variables } from './proxy.ts';

/** The functions that `networkFetch` has returned, or that send with one of them, and the environment of each. */
const OWN = new WeakMap<typeof globalThis.fetch, Variables>();

/** Whether `networkFetch` returned `fetch`, or it is the global one: an error without a code is then a bug of modreg. */
export function isOwnFetch(fetch: typeof globalThis.fetch | undefined): boolean {
  return fetch === undefined || OWN.has(fetch);
}

/** The environment whose proxies `fetch` uses; undefined if that is not known. */
export function environmentOf(fetch: typeof globalThis.fetch | undefined): Variables | undefined {
  return fetch && OWN.get(fetch);
}

/** `outer`, which sends each request with `inner`: errors then say what they say of `inner`. */
export function sendingWith(
  inner: typeof globalThis.fetch,
  outer: typeof globalThis.fetch,
): typeof globalThis.fetch {
  const environment = OWN.get(inner);
  if (environment) OWN.set(outer, environment);
  return outer;
}

/**
 * The `fetch` of a process with this environment, over node:http (D478). It uses its proxies (D113) and authorities (D114), and connects to hosts with several
 * addresses as RFC 8305 says. Rejects with a RegistryError if the environment names a proxy or authorities that cannot be used.
 */
export function networkFetch(environment: Variables): typeof globalThis.fetch {
  // The code of connections loads with the first request, because many commands need none.
  const connections = memoizeUntilError(async () => {
    const { poolsIn } = await import('./pools.ts');
    return { ...poolsIn(environment), ...(await import('./sent-request.ts')) };
  });
  const own: typeof globalThis.fetch = async (input, init = {}) => {
    const url = new URL(addressOf(input));
    const { poolFor, sendOver } = await connections();
    return await sendOver(poolFor(url), url, init);
  };
  OWN.set(own, environment);
  return own;
}

/** The address of a request. The class `Request` itself would load Node's own `fetch`. */
export function addressOf(input: Parameters<typeof globalThis.fetch>[0]): string | URL {
  return typeof input === 'object' && 'url' in input ? input.url : input;
}
