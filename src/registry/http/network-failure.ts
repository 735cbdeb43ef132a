import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { RegistryError } from '../registry-error.ts';

/** What TLS says of a certificate, in words. */
const CERTIFICATES: ReadonlyMap<string, string> = new Map([
  ['CERT_NOT_YET_VALID', 'is not yet valid'],
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is signed by itself'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'comes from an authority that this machine does not know'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'comes from an authority that this machine does not know'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'comes from an authority that this machine does not know'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'comes from an authority that this machine does not know'],
  ['CERT_REVOKED', 'is revoked'],
]);
const TIMES = new Set(['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED']);
const OVERFLOWS = new Set(['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW']);
const DEEPEST_CAUSE = 5;

/**
 * What `error`, which a connection to `where` ended with, means. The text of such an error may hold
 * anything, so no more of it than its code is repeated. `now` is what the machine's clock says.
 */
export function networkFailure(error: unknown, where: string, now: number): RegistryError {
  const code = codeOf(error);
  const verdict = code === undefined ? undefined : CERTIFICATES.get(code);
  if (code !== undefined && verdict !== undefined) return badCertificate(where, code, verdict, now);
  if (code !== undefined && OVERFLOWS.has(code)) {
    return new RegistryError('list-too-large', `${where} answers with too large a header`);
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new RegistryError('registry-timeout', `${where} took no connection (${code})`);
  }
  // What a decompressor says of bytes that it cannot read.
  if (code?.startsWith('Z_') === true && code !== 'Z_BUF_ERROR') {
    return new RegistryError(
      'not-a-registry',
      `${where} answers with bytes that are not what its content-encoding says`,
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
    : 'NODE_EXTRA_CA_CERTS names a file with the certificates of an authority of your own';
  return new RegistryError('bad-certificate', message, { hint });
}

/** The code of the first error with one, along the causes. */
export function codeOf(error: unknown): string | undefined {
  let link: unknown = error;
  for (let depth = 0; depth < DEEPEST_CAUSE && link instanceof Error; depth++) {
    if ('code' in link && typeof link.code === 'string') return link.code;
    // Where every address of a host was tried, each has an error of its own.
    const first: unknown = link instanceof AggregateError ? link.errors[0] : undefined;
    link = link.cause ?? first;
  }
  return undefined;
}
