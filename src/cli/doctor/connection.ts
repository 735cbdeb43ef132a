import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

/** What a connection to a server shows before anything is sent. */
export type Connection =
  | { readonly kind: 'open'; readonly certificate: Certificate | undefined }
  /** The code of the system, such as ECONNREFUSED; `TIMEOUT` if nothing answers. */
  | { readonly kind: 'failed'; readonly code: string };

export interface Certificate {
  /** When it expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The names that it is for, such as `DNS:registry.example, IP Address:10.0.0.7`; from the server, not escaped. */
  readonly names: string;
  /** Why Node does not trust it: a code of OpenSSL or Node; undefined if it does. */
  readonly refusal: string | undefined;
}

const TIMEOUT_MS = 4000;

/** Connects to the server of an http: or https: address, and closes the connection. Sends nothing but the start of TLS. */
export async function connectTo({ protocol, hostname, port }: URL): Promise<Connection> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  const place = { host, port: Number(port) || (isTls ? 443 : 80) };
  const { promise, resolve } = Promise.withResolvers<Connection>();
  const socket: Socket = isTls
    ? connectTls({
        ...place,
        ...(isIP(host) === 0 && { servername: host }),
        // The certificate is looked at, whatever it is. Nothing is sent to the server.
        rejectUnauthorized: false,
      })
    : connectPlain(place);
  socket.setTimeout(TIMEOUT_MS, () => resolve({ kind: 'failed', code: 'TIMEOUT' }));
  const timer = setTimeout(() => resolve({ kind: 'failed', code: 'TIMEOUT' }), TIMEOUT_MS);
  socket.once('error', (error: NodeJS.ErrnoException) => {
    resolve({ kind: 'failed', code: error.code ?? 'TLS' });
  });
  socket.once(isTls ? 'secureConnect' : 'connect', () => {
    const certificate = isTls ? certificateOf(socket as TLSSocket) : undefined;
    resolve({ kind: 'open', certificate });
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.destroy();
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
