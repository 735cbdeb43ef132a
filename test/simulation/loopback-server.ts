import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { REAL } from './http-globals.ts';
import type { Answer } from './simulated-registry.ts';
import type { Received } from './wire.ts';

/** A server on 127.0.0.1 whose responses the simulation decides. */
export interface LoopbackServer {
  /** Waits for a request. `number` chooses between the ways to send one and the same response. */
  readonly expect: (number: number) => Visit;
  /** How many requests have arrived. */
  readonly count: () => number;
  /** Closes the connections of all requests that are still open, and forgets them. */
  readonly hangUp: () => void;
  readonly close: () => Promise<void>;
}

/** One request at the server. */
export interface Visit {
  /** Where it is sent to; its own path follows. */
  readonly address: string;
  readonly arrived: Promise<void>;
  /** Undefined until it has arrived. */
  readonly received: () => Received | undefined;
  readonly respond: (answer: Answer, isIntact: boolean) => void;
  /** Closes the connection within the response. */
  readonly cut: (answer: Answer) => void;
  /** Closes the connection without a response. */
  readonly reset: () => void;
  /** The connection is closed, or the response is complete. */
  readonly over: Promise<void>;
}

interface Guest {
  readonly number: number;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly leave: () => void;
}

/** No two requests have the same first part, so one of an earlier play that arrives late is not mistaken. */
const PATH = /^\/(\d+)(moved)?(\/.*)$/;
const MOVES = [301, 302, 303, 307, 308] as const;

export async function loopbackServer(): Promise<LoopbackServer> {
  const guests = new Map<string, Guest>();
  let expected = 0;
  let arrived = 0;
  // Real time passes between two requests of a connection, and must not matter.
  const patience = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 };
  const server = createServer(patience, (request, response) => {
    const [, key = '', moved, rest = ''] = PATH.exec(request.url ?? '') ?? [];
    const guest = guests.get(key);
    response.sendDate = false;
    if (!guest) response.destroy();
    else if (moved === undefined && mannerOf(guest.number) === 'moved') {
      const status = MOVES[guest.number % MOVES.length] ?? 307;
      response.writeHead(status, { location: `/${key}moved${rest}` }).end('moved');
    } else {
      arrived++;
      guest.onRequest(request, response);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A cast: the address is not that of a pipe.
  const { port } = server.address() as AddressInfo;
  return {
    count: () => arrived,
    expect(number) {
      const key = `${++expected}`;
      const { guest, visit } = visitBy(number, () => guests.delete(key));
      guests.set(key, guest);
      return { ...visit, address: `http://127.0.0.1:${port}/${key}` };
    },
    hangUp() {
      for (const guest of guests.values()) guest.leave();
      guests.clear();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function visitBy(
  number: number,
  forget: () => void,
): { readonly guest: Guest; readonly visit: Omit<Visit, 'address'> } {
  const arrival = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  let received: Received | undefined;
  let response: ServerResponse | undefined;
  const use = (action: (open: ServerResponse) => void): void => {
    if (response) action(response);
  };
  const guest: Guest = {
    number,
    onRequest(request, itsResponse) {
      received = receivedIn(request);
      response = itsResponse;
      response.once('close', () => {
        forget();
        over.resolve();
      });
      arrival.resolve();
    },
    leave: () => use((open) => open.destroy()),
  };
  const visit = {
    arrived: arrival.promise,
    over: over.promise,
    received: () => received,
    respond: (answer: Answer, isIntact: boolean) =>
      use((open) => respond(open, answer, { number, isIntact })),
    cut: (answer: Answer) => use((open) => cut(open, answer, number)),
    reset: () => use((open) => open.socket?.resetAndDestroy()),
  };
  return { guest, visit };
}

function receivedIn({ url = '', headers }: IncomingMessage): Received {
  const [, , , rest = ''] = PATH.exec(url) ?? [];
  const sent = new URL(rest, 'http://registry.example');
  const wait = sent.searchParams.get('wait');
  const waitMs = wait === null ? {} : { waitMs: Number(wait) * 1000 };
  return { url: sent, etag: headers['if-none-match'], ...waitMs };
}

/** The ways to send one and the same response. */
const MANNERS = ['plain', 'in pieces', 'compressed', 'moved', 'open-ended'] as const;

function mannerOf(number: number): (typeof MANNERS)[number] {
  return MANNERS[number % MANNERS.length] ?? 'plain';
}

interface Way {
  readonly number: number;
  readonly isIntact: boolean;
}

function respond(
  response: ServerResponse,
  { status, headers, text, about }: Answer,
  { number, isIntact }: Way,
): void {
  const manner = mannerOf(number);
  if (status === 204 || status === 304) response.writeHead(status, headers).end();
  else if (manner === 'in pieces') {
    response.writeHead(status, headers);
    inPieces(response, text);
  } else if (manner === 'compressed') {
    const body = gzipSync(text);
    const encoding = { 'content-encoding': 'gzip', 'content-length': body.length };
    response.writeHead(status, { ...headers, ...encoding }).end(body);
  } else if (manner === 'open-ended' && isIntact && about !== undefined) {
    // Only whole JSON ends where the connection ends.
    response.removeHeader('transfer-encoding');
    response.writeHead(status, headers).end(text);
  } else {
    const body = Buffer.from(text);
    response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
  }
}

const PIECES = 3;

function inPieces(response: ServerResponse, text: string): void {
  const body = Buffer.from(text);
  const size = Math.ceil(body.length / PIECES);
  const next = (from: number): void => {
    if (from >= body.length) response.end();
    // Pieces that are sent without a pause arrive as one.
    else
      response.write(body.subarray(from, from + size), () => {
        REAL.setTimeout(() => next(from + size), 1);
      });
  };
  next(0);
}

/** Half of the response, and the end of the connection. */
function cut(
  response: ServerResponse,
  { status, headers, text, about }: Answer,
  number: number,
): void {
  const hangUp = (): void => void response.destroy();
  // Only the body of a 200 is read, and only whole JSON ends where the connection ends.
  const way = status === 200 ? number % (about === undefined ? 5 : 6) : number % 2;
  const half = text.slice(0, text.length / 2);
  if (way === 0) hangUp();
  else if (way === 1) response.socket?.write('HTTP/1.1 200 O', hangUp);
  else if (way === 2) {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) + 1 });
    response.write(`${half} `, hangUp);
  } else if (way === 3) {
    response.writeHead(status, headers);
    response.write(`${half} `, hangUp);
  } else if (way === 5) {
    response.removeHeader('transfer-encoding');
    response.writeHead(status, headers).end(half);
  } else {
    const body = gzipSync(text);
    const encoding = { 'content-encoding': 'gzip', 'content-length': body.length };
    response.writeHead(status, { ...headers, ...encoding });
    response.write(body.subarray(0, body.length - 1), hangUp);
  }
}
