import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { expectArgument, expectMembers, having, NUMBER, TEXT } from '../core/text/argument.ts';
import { registryApp } from './app.ts';
import type { Catalogue } from './catalogue.ts';
import { changeFeed, type ChangeFeed } from './change-feed.ts';
import { acceptOnFirstByte } from './first-byte.ts';
import { SERVER_LIMITS, type ServerLimits } from './limits.ts';
import { parseInPieces } from './parse-in-pieces.ts';
import { refusalCount } from './refusal-count.ts';
import { withDefaults, type RegistryOptions, type ServeOptions } from './registry-options.ts';
import { requestGate, type RequestGate } from './request-gate.ts';

/** A registry that accepts connections. */
export interface RunningRegistry {
  /** `http://127.0.0.1:4873`, with the actual port. */
  readonly address: string;
  /**
   * Ends long polls and waits up to five seconds for responses in progress. The catalogue stays open; the caller closes it
   * afterwards.
   */
  close(): Promise<void>;
}

const CATALOGUE = having('a Catalogue', 'publish', 'changes', 'close');

/**
 * Serves a catalogue over plain HTTP; use a proxy for TLS. Port 0 selects any free port. Rejects with Node's error
 * if the address cannot be used (`EADDRINUSE`), and with a DatabaseError if the catalogue cannot.
 *
 * @example
 * ```ts
 * import { Catalogue, serveRegistry } from 'modreg/server';
 *
 * const catalogue = new Catalogue('registry.db', { mode: 'create' });
 * const registry = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 });
 * console.log(await (await fetch(`${registry.address}/v1/modules`)).text()); // {"modules":[]}
 * await registry.close();
 * catalogue.close();
 * ```
 */
export async function serveRegistry(
  catalogue: Catalogue,
  place: { readonly host: string; readonly port: number },
  options: ServeOptions = {},
): Promise<RunningRegistry> {
  expectArgument('serveRegistry()', 'catalogue', catalogue, CATALOGUE);
  expectMembers('serveRegistry()', 'place', place, { host: TEXT, port: NUMBER });
  const registry = withDefaults('serveRegistry()', options);
  const { host, port } = place;
  const feed = changeFeed(catalogue, registry.clock);
  const { server, gate, sockets } = guardedServer(catalogue, feed, registry);
  try {
    await listening(server, host, port);
  } catch (error) {
    feed.close();
    throw error;
  }
  const { family, address, port: actualPort } = server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}`,
    close: async () => {
      feed.close();
      await closed(server, gate, sockets);
    },
  };
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  await promise;
  server.off('error', reject);
}

/** A server that keeps SERVER_LIMITS, and its connections. */
function guardedServer(
  catalogue: Catalogue,
  feed: ChangeFeed,
  options: RegistryOptions,
): { server: Server; gate: RequestGate; sockets: ReadonlySet<Socket> } {
  const { limits = SERVER_LIMITS, log } = options;
  const slice = (): number =>
    gate.unsentBytes() < limits.manyUnsent ? limits.slice : limits.smallSlice;
  const app = registryApp(catalogue, feed, { ...options, slice });
  const refused = refusalCount(log);
  const listener = getRequestListener(
    async (request, env) => {
      const response = await app.fetch(request, env);
      // The server speaks HTTP/1.1 only.
      gate.begin(env.incoming as IncomingMessage);
      return response;
    },
    { overrideGlobalObjects: false },
  );
  const gate = requestGate(
    (request, response) => void listener(request, response),
    limits,
    (limit, { remoteAddress }) => refused(limit, remoteAddress),
  );
  return { gate, ...limitedServer(gate, limits, refused) };
}

/** A server that accepts what `gate` admits, and its connections. */
function limitedServer(
  gate: RequestGate,
  limits: ServerLimits,
  refused: ReturnType<typeof refusalCount>,
): { server: Server; sockets: ReadonlySet<Socket> } {
  const server = createServer(
    {
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      connectionsCheckingInterval: limits.check,
      maxHeaderSize: limits.headerBytes,
    },
    gate.admit,
  );
  server.maxConnections = limits.connections;
  server.setTimeout(limits.idle);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    parseInPieces(socket, limits.parsedAtOnce, () => gate.isOpen(socket));
  });
  acceptOnFirstByte(server, limits.headers);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('drop', (dropped) => refused('connections', dropped?.remoteAddress));
  return { server, sockets };
}

/** Ends idle connections now, busy ones after their response, and all of them after `closing`. */
async function closed(
  server: Server,
  gate: RequestGate,
  sockets: ReadonlySet<Socket>,
): Promise<void> {
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
