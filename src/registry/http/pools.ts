import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { authoritiesIn } from './authorities.ts';
import { openSocket, openToProxy, type Way } from './open-socket.ts';
import { ProxyError } from './proxy-error.ts';
import { proxyFor, type Proxy, type Variables } from './proxy.ts';

/** How long a connection may take, with everything on the way: the name, a proxy, and TLS. */
const CONNECT_MS = 10_000;
/** How long a connection is kept for the next request: Node's own `fetch` keeps it as long. */
const IDLE_MS = 4000;

/** Connections to servers of one scheme, through one proxy or directly. */
export interface Pool {
  readonly agent: Agent;
  /** The proxy that gets the whole address of each request (D113); undefined if there is none, or a tunnel through it. (RFC 9112, 3.2.2) */
  readonly forwarder: Proxy | undefined;
}

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
  const pools = new Map<string, Pool>();
  return {
    poolFor(url) {
      const { protocol } = url;
      const proxy = proxyFor(url, environment);
      const key = `${protocol} ${proxy?.url.href}`;
      const pool = pools.get(key) ?? poolOf(protocol, proxy, context);
      pools.set(key, pool);
      return pool;
    },
  };
}

function poolOf(protocol: string, proxy: Proxy | undefined, context: Way['context']): Pool {
  const forwarder = protocol === 'http:' ? proxy : undefined;
  const open = async (place: string): Promise<Socket> => {
    const way: Way = { proxy, context, signal: AbortSignal.timeout(CONNECT_MS) };
    try {
      if (forwarder) return await openToProxy(forwarder, way);
      return await openSocket(new URL(`${protocol}//${place}`), way);
    } catch (error) {
      if (!way.signal.aborted) throw error;
      throw proxy ? new ProxyError(proxy, NO_ANSWER) : LATE;
    }
  };
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  agent.createConnection = ({ host, port }, onOpen) => {
    open(`${host}:${port}`).then(
      (socket) => onOpen?.(null, socket),
      // A cast: the types want a connection besides the error.
      (error: Error) => (onOpen as ((error: Error) => void) | undefined)?.(error),
    );
    return undefined;
  };
  return { agent, forwarder };
}
