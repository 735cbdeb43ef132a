import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hono } from 'hono';
import { gatedApp } from '../../server/limits/gated-app.ts';
import { closed, limitedServer, type LimitedServer } from '../../server/limits/limited-server.ts';
import { SERVER_LIMITS, type ServerLimits } from '../../server/server-limits.ts';
import { refusalCount } from '../../server/limits/refusal-count.ts';
import type { RequestGate } from '../../server/limits/request-gate.ts';
import type { ServeOptions } from '../../server/registry-options.ts';
import type { TlsInUse } from '../../server/tls/tls-reload.ts';
import { idleWatch } from './idle-watch.ts';

/** Where a page listens: at an address, or on a socket that another process opened. */
export type PagePlace = { readonly host: string; readonly port: number } | { readonly fd: number };

export interface PageServerOptions {
  readonly tls: TlsInUse | undefined;
  /** After so long without a request and an open feed, `idle` resolves; undefined for never. */
  readonly idleMs: number | undefined;
  readonly log?: ServeOptions['log'];
  readonly limits?: ServerLimits;
}

/** A page that accepts connections. */
export interface RunningPage {
  /** The address without a scheme and a name, such as 127.0.0.1. */
  readonly host: string;
  readonly port: number;
  readonly idle: Promise<void>;
  /** Ends feeds at once, and waits up to five seconds for other responses. */
  readonly close: () => Promise<void>;
}

const MIB = 1024 * 1024;

/** As those of a registry, for fewer clients: people, and not a fleet. */
export const PAGE_LIMITS: ServerLimits = {
  ...SERVER_LIMITS,
  connections: 256,
  manyUnsent: 4 * MIB,
  unsentInTotal: 16 * MIB,
};

/** Serves the page. Rejects with Node's error if the place cannot be used. */
export async function listenForPage(
  app: Pick<Hono, 'fetch'>,
  place: PagePlace,
  options: PageServerOptions,
): Promise<RunningPage> {
  const watch = idleWatch(options.idleMs);
  const { gate, limited, endFeeds } = guarded(app, options, watch.watched);
  const { server } = limited;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(place, resolve);
  await promise.catch((error: unknown) => {
    watch.stop();
    throw error;
  });
  server.off('error', reject);
  const { address, port } = Object(server.address()) as Partial<AddressInfo>;
  return {
    host: address ?? 'a socket without a network address',
    port: port ?? 0,
    idle: watch.idle,
    close: async () => {
      watch.stop();
      endFeeds();
      await closed(limited, gate);
    },
  };
}

/** A server that keeps its limits, and how to end the feeds that it sends. */
function guarded(
  app: Pick<Hono, 'fetch'>,
  { tls, log, limits = PAGE_LIMITS }: PageServerOptions,
  watched: (admit: RequestListener) => RequestListener,
): { readonly gate: RequestGate; readonly limited: LimitedServer; readonly endFeeds: () => void } {
  const refused = refusalCount(log);
  const feeds = new Set<IncomingMessage>();
  const onResponse = (response: Response, request: IncomingMessage): void => {
    if (isFeed(response)) follow(feeds, request);
  };
  const gate = gatedApp(app, { limits, refused, onResponse });
  const limited = limitedServer({ ...gate, admit: watched(gate.admit) }, limits, { refused, tls });
  const endFeeds = (): void => {
    for (const { socket } of feeds) socket.destroy();
  };
  return { gate, limited, endFeeds };
}

function isFeed({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}

function follow(feeds: Set<IncomingMessage>, request: IncomingMessage): void {
  feeds.add(request);
  request.socket.once('close', () => feeds.delete(request));
}
