import { excerpt, quote } from '../../core/text/quote.ts';
import { secret, type Secret } from '../../core/text/secret.ts';
import { isExposed, isLoopback, readWebAddress } from '../../core/text/web-address.ts';
import { isJsonObject } from '../formats/json-object.ts';
import { parseJson } from '../formats/json-text.ts';
import { RegistryError } from '../registry-error.ts';
import { addressed, withErrorContext } from './error-context.ts';
import { exchange, type ExchangeContext } from './exchange.ts';
import { readRetryAfter } from './retry-after.ts';

/** What a registry asks a client to get from a token server. */
export interface TokenRequest {
  /** The address of the token server, as the registry names it. */
  readonly realm: string;
  readonly service: string | undefined;
  readonly scope: string;
  /** The registry, and its name for a person, escaped. */
  readonly registry: URL;
  readonly where: string;
  readonly allowHttp: readonly string[];
  /** `user:password` for the registry, encoded for Basic; undefined to ask anonymously. */
  readonly basic: Secret | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** A token for one repository. */
export interface IssuedToken {
  readonly token: Secret;
  readonly validMs: number;
}

const LARGEST = 64 * 1024;
/** Without a statement of the server. (Distribution, "Token Authentication Specification") */
const VALID_S = 60;
const LONGEST_S = 86_400;
const TOKEN = /^[!-~]{1,16384}$/;

/** Gets a token. Throws a RegistryError if there is none. (Distribution, "Token Authentication Specification") */
export async function requestToken(
  request: TokenRequest,
  context: ExchangeContext,
): Promise<IssuedToken> {
  const realm = realmOf(request);
  const { service, scope, where: registry, fetch } = request;
  // A password goes only to a server of the operator of the registry.
  const isOwn = request.basic !== undefined && (await isOwnServer(realm, request.registry));
  const basic = isOwn ? request.basic : undefined;
  const where = `the token server ${excerpt(realm.origin + realm.pathname)} of ${registry}`;
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', scope);
  const bounds = { largest: LARGEST, mostTokens: 1000 };
  const sent = { url, where, fetch, accept: 'application/json', token: basic, ...bounds };
  const received = async (): Promise<IssuedToken> => {
    const scheme = basic && { scheme: 'Basic' as const };
    const { status, headers, body } = await exchange({ ...sent, ...scheme }, context);
    if (status === 200) return withErrorContext(where, () => tokenIn(parseJson(body.text)));
    if (status === 408 || status === 429 || status >= 500) {
      const retryAfterMs = readRetryAfter(headers.get('retry-after'), context.clock.now());
      const message = `${where} is busy or failing (${status})`;
      throw new RegistryError('registry-busy', message, { retryAfterMs });
    }
    throw refused(`${where} gives no token ${withWhat(request, basic)} (${status})`);
  };
  // A hint names what answered there, and not the registry.
  return await addressed(url, received);
}

function withWhat({ basic }: TokenRequest, sent: Secret | undefined): string {
  if (sent) return 'for the user and password that were sent';
  return basic === undefined
    ? 'without a user and password'
    : 'without the user and password, which were not sent to another site';
}

/**
 * The address of the token server. A registry chooses it, so it must not lead to this machine or to a refused address, and a
 * password is sent there only over HTTPS, or over the HTTP that the policy allows.
 */
function realmOf({ realm, registry, allowHttp, where }: TokenRequest): URL {
  const url = readWebAddress(realm);
  const named = `${where} names the token server ${quote(realm.replace(/[?#].*/s, ''))}`;
  // The text may contain user info.
  if (!url.ok) throw refused(`${where} names a token server that is not contacted: ${url.error}`);
  if (isExposed(url.value, allowHttp)) {
    const hint = `list ${url.value.host} under allow_http in the update policy`;
    throw refused(`${named}, whose traffic others could read: expected https:`, hint);
  }
  if (isLoopback(url.value.hostname) && !isLoopback(registry.hostname)) {
    throw refused(`${named}, which is this machine itself`);
  }
  return url.value;
}

function tokenIn(json: unknown): IssuedToken {
  const answer = isJsonObject(json) ? json : {};
  const token = answer['token'] ?? answer['access_token'];
  if (typeof token !== 'string' || !TOKEN.test(token)) {
    // The value may be a secret, so it is not repeated.
    const message = 'expected "token" to be printable ASCII without spaces';
    throw new RegistryError('not-a-registry', message);
  }
  const seconds = Number(answer['expires_in'] ?? VALID_S);
  const valid = seconds > 0 ? Math.min(seconds, LONGEST_S) : VALID_S;
  return { token: secret(token), validMs: valid * 1000 };
}

function refused(message: string, hint?: string): RegistryError {
  return new RegistryError('registry-refused', message, { hint });
}

/** Few registries name another host as their token server, and the list of domains is large. */
async function isOwnServer(realm: URL, registry: URL): Promise<boolean> {
  if (realm.hostname === registry.hostname) return true;
  return (await import('./same-site.ts')).isSameSite(realm, registry);
}
