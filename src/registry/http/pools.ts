import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { authoritiesIn } from './authorities.ts';
import { openSocket, openToProxy, type Way } from './open-socket.ts';
import { ProxyError } from './proxy-error.ts';
import { proxyFor, type Proxy, type Variables } from './proxy.ts';

/** How long a connection may take, with everything on the way: the name, a proxy, and TLS. */
const CONNECT_MS = 10_000;

/** What is used of the connection pools of undici, Node's implementation of `fetch`. */
export interface Pool {
  readonly dispatch: (options: Dispatched, handler: Handler) => boolean;
}

interface Dispatched {
  readonly origin: string | URL;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What receives a response. */
interface Handler {
  /** Until undici 7. */
  readonly onHeaders?: (status: number, ...rest: readonly unknown[]) => boolean;
  /** Since undici 7. */
  readonly onResponseStart?: (
    controller: unknown,
    status: number,
    ...rest: readonly unknown[]
  ) => unknown;
}

interface Destination {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

type Connect = (to: Destination, callback: (error: unknown, socket: Socket | null) => void) => void;
type PoolClass = new (options: { readonly connect: Connect }) => Pool;

/** The connections of one process. */
export interface Pools {
  /** Those for requests to `url`, through its proxy or directly. Throws a RegistryError if that cannot be used. */
  readonly poolFor: (url: URL) => Pool;
}

const NO_ANSWER = `it made no connection within ${CONNECT_MS / 1000} s`;
const LATE = Object.assign(new Error('no connection in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' });

export function poolsIn(environment: Variables): Pools {
  let known: SecureContext | undefined;
  const context = (): SecureContext => (known ??= authoritiesIn(environment).context);
  const Class = poolClass();
  const made = (protocol: string, proxy: Proxy | undefined): Pool => {
    const isForwarded = proxy !== undefined && protocol === 'http:';
    const open = async (
      { hostname, port, ...to }: Destination,
      callback: Parameters<Connect>[1],
    ): Promise<void> => {
      const way: Way = { proxy, context, signal: AbortSignal.timeout(CONNECT_MS) };
      const url = new URL(`${to.protocol}//${hostname}${port && `:${port}`}`);
      let socket: Socket;
      try {
        socket = await (isForwarded ? openToProxy(proxy, way) : openSocket(url, way));
      } catch (error) {
        const late = proxy ? new ProxyError(proxy, NO_ANSWER) : LATE;
        callback(way.signal.aborted ? late : error, null);
        return;
      }
      callback(null, socket);
    };
    const pool = new Class({ connect: (to, callback) => void open(to, callback) });
    return isForwarded ? forwarding(pool, proxy) : pool;
  };
  const pools = new Map<string, Pool>();
  return {
    poolFor(url) {
      const { protocol } = url;
      const proxy = proxyFor(url, environment);
      const key = `${protocol} ${proxy?.url.href}`;
      const pool = pools.get(key) ?? made(protocol, proxy);
      pools.set(key, pool);
      return pool;
    },
  };
}

/** A pool of connections to a proxy, which gets the whole address of each request (D113). (RFC 9112, 3.2.2) */
function forwarding(pool: Pool, proxy: Proxy): Pool {
  const { url, authorization } = proxy;
  return {
    dispatch: ({ origin, path, headers, ...rest }, handler) =>
      pool.dispatch(
        {
          ...rest,
          origin: url.origin,
          path: `${new URL(origin).origin}${path}`,
          headers: {
            ...headers,
            host: new URL(origin).host,
            ...(authorization && { 'proxy-authorization': authorization.reveal() }),
          },
        },
        denying(handler, proxy),
      ),
  };
}

/** `fetch` makes an error without a code of every response 407. (Fetch, 4.6) */
function denying(handler: Handler, proxy: Proxy): Handler {
  const { onHeaders, onResponseStart } = handler;
  const expectPassed = (status: number): void => {
    if (status === 407) throw new ProxyError(proxy, '407');
  };
  // The handler keeps its state in itself, so a copy would not do.
  return Object.assign(Object.create(handler) as Handler, {
    ...(onHeaders && {
      onHeaders(status: number, ...rest: readonly unknown[]) {
        expectPassed(status);
        return onHeaders.call(this, status, ...rest);
      },
    }),
    ...(onResponseStart && {
      onResponseStart(controller: unknown, status: number, ...rest: readonly unknown[]) {
        expectPassed(status);
        return onResponseStart.call(this, controller, status, ...rest);
      },
    }),
  });
}

/** Where Node keeps the pool that `fetch` uses by itself, since undici 8 and before. */
const DISPATCHERS = ['undici.globalDispatcher.2', 'undici.globalDispatcher.1'];

/**
 * The class of pools that `fetch` takes. Node exports it nowhere, but the pool that `fetch` uses by itself is one; with
 * NODE_USE_ENV_PROXY, that pool has one.
 */
function poolClass(): PoolClass {
  // Node creates the pool with the first use of its `fetch`.
  void globalThis.Response;
  const pools = DISPATCHERS.map((name): unknown => Reflect.get(globalThis, Symbol.for(name)));
  const inner = pools.flatMap((pool) =>
    Object.getOwnPropertySymbols(Object(pool)).map((key): unknown =>
      Reflect.get(Object(pool), key),
    ),
  );
  const found = [...pools, ...inner].find((one) => classOf(one) === 'Agent');
  if (found === undefined) throw new TypeError('this Node does not show the class of its pools');
  // A cast: the name of the class was compared.
  return (found as { readonly constructor: PoolClass }).constructor;
}

function classOf(value: unknown): string | undefined {
  return typeof value === 'object' ? value?.constructor.name : undefined;
}
