import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { acceptOnFirstByte } from './first-byte.ts';
import { SERVER_LIMITS, type ServerLimits } from '../server-limits.ts';
import { parseInPieces } from './parse-in-pieces.ts';
import type { refusalCount } from './refusal-count.ts';
import type { RequestGate } from './request-gate.ts';
import type { TlsInUse } from '../tls/tls-reload.ts';

/** A server and its connections. */
export interface LimitedServer {
  readonly server: Server;
  readonly sockets: ReadonlySet<Socket>;
}

/** A server that accepts what `gate` admits, over TLS if `tls` has a certificate. */
export function limitedServer(
  gate: RequestGate,
  limits: ServerLimits,
  {
    refused,
    tls,
  }: { readonly refused: ReturnType<typeof refusalCount>; readonly tls: TlsInUse | undefined },
): LimitedServer {
  const sockets = new Set<Socket>();
  const inPieces = (socket: Socket): void => parseInPieces(socket, limits.parsedAtOnce, gate);
  const options = {
    headersTimeout: limits.headers,
    // It would end the upload of a large file; the gate watches bodies.
    requestTimeout: 0,
    connectionsCheckingInterval: limits.check,
    maxHeaderSize: limits.headerBytes,
    handshakeTimeout: limits.headers,
  };
  const server = tls ? tlsServer(options, gate, tls) : createServer(options, gate.admit);
  server.on(tls ? 'secureConnection' : 'connection', inPieces);
  const failed = ({ remoteAddress }: Socket): void => refused('handshakes', remoteAddress);
  acceptOnFirstByte(server, limits.headers, (socket) => {
    if (tls) failed(socket);
  });
  server.on('connection', (socket: Socket) => noteSocket(sockets, socket));
  if (tls) followHandshakes(server, sockets, failed);
  server.maxConnections = limits.connections;
  server.setTimeout(limits.idle);
  server.on('drop', (dropped) => refused('connections', dropped?.remoteAddress));
  return { server, sockets };
}

function tlsServer(options: ServerOptions, gate: RequestGate, { pair, follow }: TlsInUse): Server {
  const { cert, key } = pair();
  const server = createTlsServer({ ...options, cert, key }, gate.admit);
  server.once('listening', () => {
    server.once(
      'close',
      follow((renewed) => server.setSecureContext({ cert: renewed.cert, key: renewed.key })),
    );
  });
  return server;
}

function noteSocket(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

/** OpenSSL's errors, and Node's for a handshake that takes too long. A client that hangs up is another one: ECONNRESET. */
const TLS_ERROR = /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/;

/** The socket of a connection is another one after its handshake. `failed` is called for each handshake with an error of TLS. */
function followHandshakes(
  server: Server,
  sockets: Set<Socket>,
  failed: (socket: Socket) => void,
): void {
  const shaking = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket);
    shaking.set(ends, socket);
    socket.once('close', () => {
      if (shaking.get(ends) === socket) shaking.delete(ends);
    });
  });
  server.on('secureConnection', (socket: Socket) => {
    const ends = endsOf(socket);
    const plain = shaking.get(ends);
    if (plain) sockets.delete(plain);
    shaking.delete(ends);
    noteSocket(sockets, socket);
  });
  // A client hangs up in a handshake without an attack: after it ends a long poll, `fetch` opens a connection and ends it.
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (TLS_ERROR.test(error.code ?? '')) failed(socket);
  });
}

/** Both ends of a connection, which no other open connection has. */
function endsOf({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

/** Ends idle connections now, busy ones after their response, and all of them after `closing`. */
export async function closed({ server, sockets }: LimitedServer, gate: RequestGate): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  const endIdle = (): void => {
    for (const socket of sockets) if (!gate.isBusy(socket)) socket.destroy();
  };
  endIdle();
  const idle = setInterval(endIdle, 20);
  const deadline = setTimeout(() => server.closeAllConnections(), SERVER_LIMITS.closing);
  await promise;
  clearInterval(idle);
  clearTimeout(deadline);
}
