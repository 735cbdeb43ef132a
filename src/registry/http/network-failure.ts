import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { RegistryError } from '../registry-error.ts';
import type { FollowedRequest } from './follow.ts';
import { environmentOf, isOwnFetch } from './network.ts';
import { proxyFor, type Proxy } from './proxy.ts';
import { ProxyError } from './proxy-error.ts';

const OTHER_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';
/** TLS error codes of certificates, in words. */
const CERTIFICATES: ReadonlyMap<string, string> = new Map([
  ['CERT_NOT_YET_VALID', 'is not yet valid'],
  ['CERT_HAS_EXPIRED', 'has expired'],
  [OTHER_HOST, 'is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'is from an authority that this machine does not trust'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'is from an authority that this machine does not trust'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'is from an authority that this machine does not trust'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'is from an authority that this machine does not trust'],
  ['CERT_REVOKED', 'is revoked'],
]);
const TIMES = new Set(['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED']);
const OVERFLOWS = new Set(['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW']);
/** What the system says where nothing listens, and how messages say it. */
export const REFUSED = 'ECONNREFUSED';
export const REFUSED_WORDS = 'refused the connection';
/** The hint of an error that a host refused the connection (D427). */
export const NOTHING_LISTENS =
  'nothing listens at this address: check it, and whether the registry is served';
/** How a connection closes. */
const ENDS = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const DEEPEST_CAUSE = 5;

/**
 * What to throw for `error`, with which a request failed: a RegistryError, or `error` itself if it is a bug in modreg. `now`
 * is the time on the machine's clock.
 */
export function requestFailure(error: unknown, request: FailedRequest, now: number): unknown {
  const { where, fetch } = request;
  const causes = causesOf(error);
  const known = causes.find((cause) => cause instanceof RegistryError);
  if (known) return known;
  // A bug in modreg is not reported as a network error. A `fetch` that the caller passed may throw anything.
  const isBug = !isNetworkError(error) && codeIn(causes) === undefined;
  if (isBug && isOwnFetch(fetch)) return error;
  const ofProxy = causes.find((cause) => cause instanceof ProxyError);
  return ofProxy ? proxyFailure(ofProxy, where) : networkFailure(causes, request, now);
}

/** What failed: a request to `url`. */
type FailedRequest = Pick<FollowedRequest, 'where' | 'fetch' | 'url'>;

/** What to throw for the reason why a request was aborted: if that is a time limit, with the proxy that may be why. */
export function abortReason(reason: unknown, { fetch, url }: FailedRequest): unknown {
  if (!(reason instanceof RegistryError) || reason.kind !== 'registry-timeout') return reason;
  const proxy = proxyOf(fetch, url);
  if (!proxy) return reason;
  const message = `${reason.message}, through the proxy ${proxy.url.origin}`;
  return new RegistryError(reason.kind, message, { hint: proxyHint(proxy) });
}

/** The RegistryError with which a request that has a deadline failed. Throws `error` if it is a bug in modreg. */
export function deadlineFailure(
  error: unknown,
  { aborted, reason }: AbortSignal,
  request: FailedRequest,
  now: number,
): RegistryError {
  const failure = requestFailure(aborted ? abortReason(reason, request) : error, request, now);
  if (!(failure instanceof RegistryError)) throw failure;
  return failure;
}

/** The proxy of a request; undefined without one, or if that is not known. */
function proxyOf(fetch: FollowedRequest['fetch'], url: URL): Proxy | undefined {
  const environment = environmentOf(fetch);
  try {
    return environment && proxyFor(url, environment);
  } catch (error) {
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}

/** Where a proxy is set, and how to do without it. */
function proxyHint({ variable }: Proxy): string {
  const noProxy = variable === variable.toLowerCase() ? 'no_proxy' : 'NO_PROXY';
  return `${variable} names this proxy; ${noProxy} lists the hosts that need none`;
}

/**
 * The hint of an error that a response of a server says, if the proxy may have sent it in its place: nothing in an http: response says for certain which
 * did (RFC 9110, 7.6.3: `Via` is optional), and in a tunnel only the server can.
 */
export function eitherHint({ fetch, url }: Omit<FailedRequest, 'where'>): string | undefined {
  const proxy = url.protocol === 'http:' ? proxyOf(fetch, url) : undefined;
  return proxy && `or the proxy ${proxy.url.origin} responds in its place: ${proxyHint(proxy)}`;
}

/** Of a `fetch`: Node's and modreg's own, and those of msw and browsers. */
const NETWORK_ERRORS = new Set(['fetch failed', 'terminated', 'Failed to fetch', 'network error']);

function isNetworkError(error: unknown): boolean {
  return error instanceof TypeError && NETWORK_ERRORS.has(error.message);
}

/** Whether reading a body failed because the connection closed. */
function isTerminated(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated';
}

/** The RegistryError for a proxy that made no connection to `where`. */
export function proxyFailure({ proxy, code }: ProxyError, where: string): RegistryError {
  const through = `${where} cannot be reached through the proxy ${proxy.url.origin}`;
  // Some proxies answer 401 to a wrong password.
  if (code === '407' || code === '401') return proxyDenial(where, code, proxy);
  const hint = proxyHint(proxy);
  if (code === REFUSED) return unreachable(`${through}, which ${REFUSED_WORDS}`, hint);
  const isStatus = /^\d{3}$/.test(code);
  const why = isStatus ? `it answers ${code} to CONNECT` : excerpt(code);
  return unreachable(`${through} (${why})`, hint);
}

/** The RegistryError for a proxy that wants a user and a password, or others. (RFC 9110, 15.5.8) */
export function proxyDenial(where: string, status = '407', proxy?: Proxy): RegistryError {
  const named = proxy ? ` ${proxy.url.origin}` : '';
  const message = `the proxy${named} denies access to ${where} (${status})`;
  const hint =
    'put its user and password into the variable that names it: http://user:password@host:port, with %40 for @ in a password';
  return new RegistryError('registry-refused', message, { hint });
}

/**
 * The RegistryError for an error with these causes, with which a connection to `where` failed. Only its code is repeated,
 * because its text may contain anything. `now` is the time on the machine's clock.
 */
function networkFailure(
  causes: readonly Error[],
  { where, fetch, url }: FailedRequest,
  now: number,
): RegistryError {
  const code = codeIn(causes);
  const verdict = code === undefined ? undefined : CERTIFICATES.get(code);
  if (code !== undefined && verdict !== undefined) {
    const clock = `; this machine's clock says ${formatTime(now).slice(0, 10)}`;
    const message = `the certificate of ${where} ${verdict}${TIMES.has(code) ? clock : ''}`;
    const hint = certificateHint(code, causes, { fetch, url });
    return new RegistryError('bad-certificate', message, { hint });
  }
  if (code !== undefined && OVERFLOWS.has(code)) {
    return new RegistryError('list-too-large', `${where} responds with a header that is too large`);
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new RegistryError(
      'registry-timeout',
      `${where} did not accept a connection in time (${code})`,
    );
  }
  // zlib cannot decompress the body. Z_BUF_ERROR means that it ended too early.
  if (code?.startsWith('Z_') === true && code !== 'Z_BUF_ERROR') {
    return new RegistryError(
      'not-a-registry',
      `${where} responds with a body that does not match its content-encoding`,
    );
  }
  if (code !== undefined && ENDS.has(code) && causes.some(isTerminated)) return brokenOff(where);
  const because = code === undefined ? 'the connection broke' : excerpt(code);
  const proxy = proxyOf(fetch, url);
  if (!proxy && code === REFUSED) {
    return unreachable(`${where} ${REFUSED_WORDS}`, NOTHING_LISTENS);
  }
  const through = proxy ? ` through the proxy ${proxy.url.origin}` : '';
  const message = `${where} cannot be reached${through} (${because})`;
  return unreachable(message, proxy && proxyHint(proxy));
}

function unreachable(message: string, hint: string | undefined): RegistryError {
  return new RegistryError('registry-unreachable', message, { hint });
}

/** The error for a body that ended before its length, or without its end. */
export function brokenOff(where: string): RegistryError {
  return unreachable(`${where} closed the connection before the end of its response`, undefined);
}

/** What to do about a certificate that is refused with `code`. */
function certificateHint(
  code: string,
  causes: readonly Error[],
  { fetch, url }: Omit<FailedRequest, 'where'>,
): string {
  if (TIMES.has(code)) return 'if the date is wrong, check time synchronization';
  if (code !== OTHER_HOST) return authorityHint(fetch);
  const names = causes.map((cause) => ('cert' in cause ? Object(cause.cert).subjectaltname : ''));
  const found = names.find((one) => typeof one === 'string' && one !== '') ?? 'no names';
  return `it has ${excerpt(String(found))}: correct the address, or get a certificate for ${url.hostname}`;
}

/** Only the command line has a file of its own for authorities. */
function authorityHint(fetch: FollowedRequest['fetch']): string {
  const variables = fetch ? 'MODREG_CA_FILE or NODE_EXTRA_CA_CERTS' : 'NODE_EXTRA_CA_CERTS';
  return `for an authority of your own, set ${variables} to a file with its certificates`;
}

/** `error` and its causes, as far as they are errors. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  let link: unknown = error;
  while (causes.length < DEEPEST_CAUSE && link instanceof Error) {
    causes.push(link);
    // If several addresses of a host were tried, there is one error for each.
    const first: unknown = link instanceof AggregateError ? link.errors[0] : undefined;
    link = link.cause ?? first;
  }
  return causes;
}

/** The first code among causes; undefined if there is none. */
function codeIn(causes: readonly Error[]): string | undefined {
  const codes = causes.map((cause) => ('code' in cause ? cause.code : undefined));
  return codes.find((code) => typeof code === 'string');
}
