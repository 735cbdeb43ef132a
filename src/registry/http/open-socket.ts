import { lookup } from 'node:dns/promises';
import { request } from 'node:http';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import type { Proxy } from './proxy.ts';
import { ProxyError } from './proxy-error.ts';
import { raced, type HostAddress } from './race.ts';

/** How the server of an address is reached. */
export interface Way {
  readonly proxy: Proxy | undefined;
  /** Called for TLS only: reading the authorities takes some milliseconds. */
  readonly context: () => SecureContext;
  readonly signal: AbortSignal;
  /** If present, a certificate that is not trusted does not end the connection. */
  readonly isUnverified?: true;
}

const KEEP_ALIVE_MS = 60_000;

/**
 * An open connection to the server of an http: or https: address, for https: with TLS. Behind a proxy it is a tunnel through it (D113). (RFC 9110,
 * 9.3.6)
 */
export async function openSocket(url: URL, given: Way): Promise<Socket> {
  const { proxy } = given;
  const way = withAuthorities(given, url, proxy?.url);
  const socket = proxy ? await tunnel(url, proxy, way) : await connected(url, way);
  return url.protocol === 'https:' ? await secured(socket, url, way) : socket;
}

/** Authorities that cannot be used are an error before anything is connected, which would keep the process running (T512). */
function withAuthorities(way: Way, ...urls: readonly (URL | undefined)[]): Way {
  if (!urls.some((url) => url?.protocol === 'https:')) return way;
  const context = way.context();
  return { ...way, context: () => context };
}

/** An open connection to a proxy itself. */
export async function openToProxy(proxy: Proxy, given: Way): Promise<Socket> {
  const way = withAuthorities(given, proxy.url);
  try {
    const socket = await connected(proxy.url, way);
    // Nothing is sent to a proxy that cannot be trusted: it gets a password.
    const { context, signal } = way;
    const verified = { proxy, context, signal };
    return proxy.url.protocol === 'https:' ? await secured(socket, proxy.url, verified) : socket;
  } catch (error) {
    way.signal.throwIfAborted();
    throw new ProxyError(proxy, codeOf(error));
  }
}

function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code ?? 'the connection broke';
}

function portOf({ protocol, port }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** A TCP connection to the first address of the host that accepts one. */
async function connected(url: URL, { signal }: Way): Promise<Socket> {
  const host = hostOf(url);
  const family = isIP(host);
  const addresses: readonly HostAddress[] =
    family === 0 ? await lookup(host, { all: true }) : [{ address: host, family }];
  return await raced(
    addresses,
    {
      connect: async ({ address }, until) =>
        await opened(connectPlain({ host: address, port: portOf(url) }), 'connect', until),
      close: (socket) => socket.destroy(),
      sleep: async (ms, until) => await sleep(ms, undefined, { signal: until, ref: false }),
    },
    signal,
  );
}

/** `socket`, once `event` says that it can be used. */
async function opened<T extends Socket>(
  socket: T,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = (): void => {
    socket.destroy();
    reject(signal.reason);
  };
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
  // An error before the next owner of the socket listens would end the process.
  socket.on('error', () => undefined);
  socket.once(event, () => resolve(socket));
  socket.once('error', reject);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await promise;
  } finally {
    socket.off('error', reject);
    signal.removeEventListener('abort', abort);
  }
}

async function secured(socket: Socket, url: URL, way: Way): Promise<TLSSocket> {
  const host = hostOf(url);
  const tls = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    secureContext: way.context(),
    rejectUnauthorized: way.isUnverified !== true,
  });
  try {
    return await opened(tls, 'secureConnect', way.signal);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function tunnel(url: URL, proxy: Proxy, way: Way): Promise<Socket> {
  const socket = await openToProxy(proxy, way);
  const place = `${url.hostname}:${portOf(url)}`;
  const { authorization } = proxy;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const connecting = request({
    method: 'CONNECT',
    path: place,
    headers: {
      host: place,
      ...(authorization && { 'proxy-authorization': authorization.reveal() }),
    },
    createConnection: () => socket,
    signal: way.signal,
  });
  connecting.once('connect', ({ statusCode = 0 }) => {
    if (statusCode === 200) resolve(socket);
    else reject(new ProxyError(proxy, `${statusCode}`));
  });
  connecting.once('response', ({ statusCode = 0 }) =>
    reject(new ProxyError(proxy, `${statusCode}`)),
  );
  connecting.once('error', (error) => reject(new ProxyError(proxy, codeOf(error))));
  connecting.end();
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    way.signal.throwIfAborted();
    throw error;
  }
}
