import {
  request,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import type { Pool } from './pools.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { ProxyError } from './proxy-error.ts';

/** What is used of a request to `fetch`. */
export type Sent = Pick<RequestInit, 'method' | 'body' | 'headers' | 'signal'>;

const GZIP = /^(?:x-)?gzip$/i;
/** In bytes. */
const MOST_HELD = 64 * 1024;
const NO_CONTENT: ReadonlySet<number> = new Set([204, 304]);

/**
 * Sends one request to `url`, and resolves with its response once the header has arrived. It has the members of a `Response` that modreg
 * uses, and rejects as `fetch` does. Node's own `fetch` takes 18 MB of a process (D478). Follows no redirect, and asks for no encoding by itself.
 */
export async function sendOver(pool: Pool, url: URL, init: Sent): Promise<Response> {
  const { signal } = init;
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request({ ...placeOf(pool, url), ...partsOf(url, init, pool), ...endedBy(signal) });
  sent.once('response', resolve);
  // Also after the response: an error without a listener would end the process.
  sent.on('error', reject);
  sendBody(sent, init, reject);
  try {
    // Node does not say that a request is aborted which has no connection yet.
    const response = await unlessAborted(signal ?? undefined, promise);
    // `fetch` makes an error without a code of every response 407. (Fetch, 4.6)
    if (response.statusCode === 407 && pool.forwarder) {
      response.destroy();
      throw new ProxyError(pool.forwarder, '407');
    }
    return answerOf(response);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new TypeError('fetch failed', { cause });
  }
}

function endedBy(signal: Sent['signal']): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {};
}

/** Where a request is sent: connections to a proxy itself are shared by all servers behind it. */
function placeOf({ agent, forwarder }: Pool, url: URL): RequestOptions {
  const { hostname, port, protocol } = forwarder?.url ?? url;
  const usual = protocol === 'https:' ? '443' : '80';
  return { agent, host: hostname, port: port || usual };
}

function partsOf(url: URL, init: Sent, { forwarder }: Pool): RequestOptions {
  const { method = 'GET', headers, body } = init;
  const path = `${url.pathname}${url.search}`;
  return {
    method,
    path: forwarder ? `${url.origin}${path}` : path,
    headers: {
      host: url.host,
      accept: '*/*',
      'user-agent': 'node',
      ...lengthOf(body),
      ...(headers as Record<string, string> | undefined),
      ...(forwarder?.authorization && { 'proxy-authorization': forwarder.authorization.reveal() }),
    },
  };
}

/** Node says the length of a body by itself, but not of that of a DELETE. */
function lengthOf(body: Sent['body']): OutgoingHttpHeaders {
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  return isWhole ? { 'content-length': Buffer.byteLength(body) } : {};
}

/** Calls `onError` if the body fails: Node then ends the request, and does not say why. */
function sendBody(
  sent: ClientRequest,
  { body, headers }: Sent,
  onError: (error: Error) => void,
): void {
  if (body instanceof ReadableStream) {
    const size = Number((headers as Record<string, string>)['content-length']);
    pipeline(exactly(size, body), sent, (error) => {
      if (error) onError(error);
    });
  } else {
    sent.end(body ?? undefined);
  }
}

/** The chunks of a body. With more or less than `size` bytes, the connection is not used again: the rest would be read as another request. */
async function* exactly(
  size: number,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const chunk of body) {
    left -= chunk.length;
    if (left < 0) break;
    yield chunk;
  }
  if (left === 0) return;
  const code = 'ERR_HTTP_CONTENT_LENGTH_MISMATCH';
  throw Object.assign(new Error(`the body has not the ${size} bytes that were announced`), {
    code,
  });
}

function answerOf(response: IncomingMessage): Response {
  const { statusCode: status = 0 } = response;
  const headers = headersOf(response);
  const answer = {
    status,
    ok: status >= 200 && status < 300,
    headers,
    body: bodyOf(response, status, headers),
  };
  // A cast: modreg uses no other member of a response, and creating one loads Node's own `fetch`.
  return answer as Response;
}

/** Two headers of a name are joined, as `Headers` does it. A cast: modreg uses no other member. */
function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const get = (name: string): string | null => headersDistinct[name]?.join(', ') ?? null;
  return { get, has: (name: string) => get(name) !== null } as Headers;
}

function bodyOf(
  response: IncomingMessage,
  status: number,
  headers: Headers,
): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  // What breaks before or after the body is read is no error of the process.
  response.on('error', () => undefined);
  if (NO_CONTENT.has(status) || headers.get('content-length') === '0') {
    response.resume();
    return null;
  }
  const isPacked = GZIP.test(headers.get('content-encoding') ?? '');
  const next = arriving(isPacked ? unpacked(response) : response);
  return new ReadableStream(
    {
      async pull(controller) {
        const chunk = await next();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
      cancel() {
        // The connection is kept if all of the body has arrived.
        if (response.complete) response.resume();
        else response.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Returns what arrives, chunk by chunk, and undefined at the end. An error comes after what arrived before it, as a download keeps it: a stream of
 * Node drops what was not read by then.
 */
function arriving(source: Readable): () => Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let held = 0;
  let over: Promise<undefined> | undefined;
  let wake: (() => void) | undefined;
  const end = (outcome: Promise<undefined>): void => {
    over ??= outcome;
    // Nothing may wait for it.
    outcome.catch(() => undefined);
    wake?.();
  };
  const fail = (cause?: unknown): void =>
    end(Promise.reject(new TypeError('terminated', { cause })));
  source.on('data', (chunk: Uint8Array<ArrayBuffer>) => {
    chunks.push(chunk);
    held += chunk.length;
    if (held > MOST_HELD) source.pause();
    wake?.();
  });
  source.on('end', () => end(Promise.resolve(undefined)));
  source.on('error', fail);
  source.on('close', fail);
  return async () => {
    if (chunks.length === 0 && !over) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        source.resume();
      });
    }
    const chunk = chunks.shift();
    held -= chunk?.length ?? 0;
    return chunk ?? (await over);
  };
}

/** As `fetch` does it: how a body ends says the protocol, so what is cut off there is no error of gzip. */
function unpacked(response: IncomingMessage): Readable {
  const { Z_SYNC_FLUSH } = constants;
  const gunzip = createGunzip({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH });
  return pipeline(response, gunzip, () => undefined);
}
