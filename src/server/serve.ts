import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { registryApp } from './app.ts';
import type { Catalogue } from './catalogue.ts';
import { changeFeed } from './change-feed.ts';
import type { ServeOptions } from './registry-options.ts';

/** A registry that accepts connections. */
export interface RunningRegistry {
  /** `http://127.0.0.1:4873`, with the actual port. */
  readonly address: string;
  /** Ends long polls, waits up to five seconds for responses in progress, and closes the catalogue. */
  close(): Promise<void>;
}

/** Limits for a client: to send the headers, to send the whole request, and between two packets. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const IDLE_MS = 120_000;
const CLOSING_MS = 5000;
/** How often to enforce the limits. Node's default of 30 s would add up to 30 s to each of them. */
const CHECK_MS = 1000;

/**
 * Serves a catalogue over plain HTTP; use a proxy for TLS. Port 0 selects any free port. Rejects with Node's error
 * if the address cannot be used (`EADDRINUSE`), and with a DatabaseError if the catalogue cannot.
 *
 * @example
 * ```ts
 * import { Catalogue, serveRegistry } from 'modreg/server';
 *
 * const catalogue = new Catalogue('registry.db', { mode: 'create' });
 * const registry = await serveRegistry(
 *   catalogue,
 *   { host: '127.0.0.1', port: 0 },
 *   { clock: Date.now, spreadMs: 1000 },
 * );
 * console.log(await (await fetch(`${registry.address}/v1/modules`)).text()); // {"modules":[]}
 * await registry.close();
 * ```
 */
export async function serveRegistry(
  catalogue: Catalogue,
  { host, port }: { readonly host: string; readonly port: number },
  options: ServeOptions,
): Promise<RunningRegistry> {
  const feed = changeFeed(catalogue);
  const { fetch } = registryApp(catalogue, feed, options);
  const server = createAdaptorServer({
    fetch,
    overrideGlobalObjects: false,
    serverOptions: {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
  }) as Server;
  const { all, busy } = watchSockets(server);
  server.setTimeout(IDLE_MS);
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
      await closed(server, busy, all);
      catalogue.close();
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

/** Ends idle connections now, busy ones after their response, and all of them after CLOSING_MS. */
async function closed(
  server: Server,
  busy: ReadonlySet<Socket>,
  all: ReadonlySet<Socket>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  const endIdle = (): void => {
    for (const socket of all) if (!busy.has(socket)) socket.destroy();
  };
  endIdle();
  const idle = setInterval(endIdle, 20);
  const deadline = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
  await promise;
  clearInterval(idle);
  clearTimeout(deadline);
}

/** The connections of a server, and those that wait for a response. */
function watchSockets(server: Server): { readonly all: Set<Socket>; readonly busy: Set<Socket> } {
  const all = new Set<Socket>();
  const busy = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    all.add(socket);
    socket.once('close', () => {
      all.delete(socket);
      busy.delete(socket);
    });
  });
  server.on('request', ({ socket }, response) => {
    busy.add(socket);
    response.once('close', () => busy.delete(socket));
  });
  return { all, busy };
}
