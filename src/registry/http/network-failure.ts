import { isNetworkError } from 'ky';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { RegistryError } from '../registry-error.ts';
import type { FollowedRequest } from './follow.ts';

/** TLS error codes of certificates, in words. */
const CERTIFICATES: ReadonlyMap<string, string> = new Map([
  ['CERT_NOT_YET_VALID', 'is not yet valid'],
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'is from an authority that this machine does not trust'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'is from an authority that this machine does not trust'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'is from an authority that this machine does not trust'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'is from an authority that this machine does not trust'],
  ['CERT_REVOKED', 'is revoked'],
]);
const TIMES = new Set(['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED']);
const OVERFLOWS = new Set(['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW']);
const DEEPEST_CAUSE = 5;

/**
 * What to throw for `error`, with which a request failed: a RegistryError, or `error` itself if it is a bug in modreg. `now`
 * is the time on the machine's clock.
 */
export function requestFailure(
  error: unknown,
  { where, fetch }: Pick<FollowedRequest, 'where' | 'fetch'>,
  now: number,
): unknown {
  if (error instanceof RegistryError) return error;
  // A bug in modreg is not reported as a network error. A `fetch` that the caller passed may throw anything.
  const isBug = !isNetworkError(error) && !isTerminated(error) && codeOf(error) === undefined;
  return isBug && fetch === undefined ? error : networkFailure(error, where, now);
}

/** Whether reading a body failed because the connection closed. */
function isTerminated(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated';
}

/**
 * The RegistryError for `error`, with which a connection to `where` failed. Only the code of `error` is repeated,
 * because its text may contain anything. `now` is the time on the machine's clock.
 */
function networkFailure(error: unknown, where: string, now: number): RegistryError {
  const code = codeOf(error);
  const verdict = code === undefined ? undefined : CERTIFICATES.get(code);
  if (code !== undefined && verdict !== undefined) return badCertificate(where, code, verdict, now);
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
  const because = code === undefined ? 'the connection broke' : excerpt(code);
  return new RegistryError('registry-unreachable', `${where} cannot be reached (${because})`);
}

function badCertificate(where: string, code: string, verdict: string, now: number): RegistryError {
  const clock = `; this machine's clock says ${formatTime(now).slice(0, 10)}`;
  const message = `the certificate of ${where} ${verdict}${TIMES.has(code) ? clock : ''}`;
  const hint = TIMES.has(code)
    ? 'if the date is wrong, check time synchronization'
    : 'for an authority of your own, set NODE_EXTRA_CA_CERTS to a file with its certificates';
  return new RegistryError('bad-certificate', message, { hint });
}

/** The first code in the chain of causes; undefined if there is none. */
function codeOf(error: unknown): string | undefined {
  let link: unknown = error;
  for (let depth = 0; depth < DEEPEST_CAUSE && link instanceof Error; depth++) {
    if ('code' in link && typeof link.code === 'string') return link.code;
    // If several addresses of a host were tried, there is one error for each.
    const first: unknown = link instanceof AggregateError ? link.errors[0] : undefined;
    link = link.cause ?? first;
  }
  return undefined;
}
