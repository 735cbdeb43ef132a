import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { openSocket, openToProxy, type Way } from '../../registry/http/open-socket.ts';
import { ProxyError } from '../../registry/http/proxy-error.ts';

/** What a connection to a server shows before anything is sent. */
export type Connection =
  | { readonly kind: 'open'; readonly certificate: Certificate | undefined }
  /** The code of the system, such as ECONNREFUSED; `TIMEOUT` if nothing answers. `ofProxy` is why a proxy made no connection. */
  | { readonly kind: 'failed'; readonly code: string; readonly ofProxy: ProxyError | undefined };

export interface Certificate {
  /** When it expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The names that it is for, such as `DNS:registry.example, IP Address:10.0.0.7`; from the server, not escaped. */
  readonly names: string;
  /** Why it is not trusted: a code of OpenSSL or Node; undefined if it is. */
  readonly refusal: string | undefined;
}

const TIMEOUT_MS = 4000;

/**
 * Connects to the server of an http: or https: address as a request would, and closes the connection. Sends nothing but the start of TLS, and
 * to a proxy the request for a tunnel.
 */
export async function connectTo(
  url: URL,
  way: Pick<Way, 'proxy' | 'context'>,
): Promise<Connection> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let socket: Socket | undefined;
  try {
    // The certificate is looked at, whatever it is. Nothing is sent to the server.
    const { proxy } = way;
    // A proxy gets requests for http: addresses as they are.
    socket =
      proxy && url.protocol === 'http:'
        ? await openToProxy(proxy, { ...way, signal })
        : await openSocket(url, { ...way, signal, isUnverified: true });
    // That of an http: address is the one of its proxy.
    const isPlain = url.protocol === 'http:';
    const certificate = !isPlain && socket instanceof TLSSocket ? certificateOf(socket) : undefined;
    return { kind: 'open', certificate };
  } catch (error) {
    const { code = 'TLS' } = Object(error) as NodeJS.ErrnoException;
    if (!signal.aborted) {
      return { kind: 'failed', code, ofProxy: error instanceof ProxyError ? error : undefined };
    }
    const silent = way.proxy && new ProxyError(way.proxy, `no answer in ${TIMEOUT_MS / 1000} s`);
    return { kind: 'failed', code: 'TIMEOUT', ofProxy: silent };
  } finally {
    socket?.destroy();
  }
}

/** Undefined if the server shows none, or one without an end. */
function certificateOf(socket: TLSSocket): Certificate | undefined {
  const { valid_to: until, subjectaltname: names = '' } = socket.getPeerCertificate();
  // A code, although Node's types say that it is an Error.
  const refusal = socket.authorized ? undefined : String(socket.authorizationError);
  const expiresAt = Date.parse(until);
  return Number.isNaN(expiresAt) ? undefined : { expiresAt, names, refusal };
}
