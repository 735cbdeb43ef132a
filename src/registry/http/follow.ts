import { sendRequest } from './http-client.ts';
import { badRedirect, redirectTarget } from './redirect.ts';

/** A request whose redirects are followed within the origin of its address. */
export interface FollowedRequest {
  readonly url: URL;
  /** The server, for a person, escaped. */
  readonly where: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Whether a redirect may lead to another server: what it sends is compared with a digest. It gets no token. */
  readonly mayLeave?: boolean | undefined;
  /** If present, the request changes something, and is not redirected. */
  readonly change?: (RequestInit & { readonly method: string }) | undefined;
}

const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The first response that is not a redirect. Throws a `bad-redirect` RegistryError if there is none. */
export async function follow(request: FollowedRequest, signal: AbortSignal): Promise<Response> {
  const { where, fetch, change, mayLeave } = request;
  let { url, headers } = request;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await sendRequest(url, { ...change, headers, signal }, fetch);
    if (!REDIRECTS.has(response.status)) return response;
    await response.body?.cancel();
    if (change) throw badRedirect(`${where} redirects, which a ${change.method} does not follow`);
    const target = redirectTarget(url, response.headers.get('location'), where, mayLeave);
    if (target.origin !== url.origin) headers = withoutAuthorization(headers);
    url = target;
  }
  throw badRedirect(`${where} redirects more than ${MOST_REDIRECTS} times`);
}

function withoutAuthorization(headers: FollowedRequest['headers']): FollowedRequest['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'authorization'));
}
