import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerLimits } from '../server-limits.ts';
import { watchBody } from './body-pace.ts';
import type { ParsedRequests } from './parse-in-pieces.ts';
import type { ExceededLimit } from '../registry-options.ts';
import { problemText } from '../problem.ts';

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** The unanswered requests of a socket, in order. */
interface Line {
  readonly exchanges: Exchange[];
  /** The first request is waiting or answered; `cut` once the socket has sent too many. */
  state: 'waiting' | 'handled' | 'cut';
}

/** As Node answers a request that takes too long. */
const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/** Decides which requests are handled, and when. */
export interface RequestGate extends ParsedRequests {
  /** Handles a request: after the earlier ones of its socket are answered, and the client has read the answers. */
  readonly admit: RequestListener;
  /** Tells the gate that the response to the current request of this socket begins. */
  readonly begin: (request: IncomingMessage) => void;
  /** Whether a request of this socket is not answered yet. */
  readonly isBusy: (socket: Socket) => boolean;
  /** The bytes of responses that wait in this process until clients read them. */
  readonly unsentBytes: () => number;
}

/**
 * A gate in front of `handle`. Node hands over all pipelined requests of a packet at once, and would buffer all of their
 * responses. `refused` is called for each request that is not handled.
 */
export function requestGate(
  handle: RequestListener,
  limits: ServerLimits,
  refused: (limit: ExceededLimit, socket: Socket) => void,
): RequestGate {
  const lines = new WeakMap<Socket, Line>();
  const sending = new Set<Socket>();
  const sent = (socket: Socket): void => void sending.delete(socket);
  const next = inOrder(sent, (request, response) => {
    const { socket } = request;
    socket.setTimeout(limits.idle);
    if (unsentIn(sending) <= limits.unsentInTotal) return handle(request, response);
    refused('unsent-bytes', socket);
    refuse(response, 'overloaded', limits);
  });
  const admit: RequestListener = (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? { exchanges: [], state: 'waiting' };
    if (line.state === 'cut') return;
    lines.set(socket, line);
    line.exchanges.push([request, response]);
    watchBody(request, limits, () => endSlow(response, () => refused('slow-requests', socket)));
    if (line.exchanges.length > limits.requestsPerSocket) {
      refused('requests-per-socket', socket);
      cutOff(socket, line, limits);
    } else if (line.exchanges.length === 1) {
      line.state = 'waiting';
      // Later, so that all requests of a packet are counted before the first one is answered.
      queueMicrotask(() => next(socket, line));
    }
  };
  return {
    admit,
    ...known(lines),
    unsentBytes: () => unsentIn(sending),
    begin({ socket }) {
      // Unless the client hung up in the meantime.
      if (!socket.destroyed) sending.add(socket);
      socket.setTimeout(limits.unread);
    },
  };
}

/** Calls `answer` for the first request of a line, and for the next one when its response was taken, after a call of `sent`. */
function inOrder(
  sent: (socket: Socket) => void,
  answer: (...exchange: Exchange) => void,
): (socket: Socket, line: Line) => void {
  return function next(socket, line) {
    const [exchange] = line.exchanges;
    if (!exchange || line.state === 'cut' || socket.destroyed) return;
    line.state = 'handled';
    const [request, response] = exchange;
    answer(request, response);
    response.once('close', () => {
      sent(socket);
      line.exchanges.shift();
      next(socket, line);
    });
  };
}

function known(lines: WeakMap<Socket, Line>): Pick<RequestGate, 'latest' | 'isOpen' | 'isBusy'> {
  return {
    latest: (socket) => lines.get(socket)?.exchanges.at(-1)?.[0],
    isOpen: (socket) => lines.get(socket)?.state !== 'cut',
    isBusy: (socket) => Boolean(lines.get(socket)?.exchanges.length),
  };
}

function endSlow({ socket, headersSent }: ServerResponse, refused: () => void): void {
  refused();
  if (!headersSent) socket?.write(TOO_SLOW);
  socket?.destroySoon();
}

function unsentIn(sockets: ReadonlySet<Socket>): number {
  let sum = 0;
  for (const { writableLength } of sockets) sum += writableLength;
  return sum;
}

/** Ends a connection with too many requests; the oldest one gets an answer, unless it is already handled. */
function cutOff(socket: Socket, line: Line, limits: ServerLimits): void {
  const isHandled = line.state === 'handled';
  line.state = 'cut';
  const [, response] = line.exchanges[0] ?? [];
  if (!response || isHandled) return void socket.destroy();
  refuse(response, 'too-many-requests', limits);
  socket.destroySoon();
}

function refuse(
  response: ServerResponse,
  kind: 'overloaded' | 'too-many-requests',
  { retryAfter }: ServerLimits,
): void {
  const headers = { 'retry-after': `${retryAfter / 1000}` };
  endWith(response, problemText(kind, 'nothing was changed', { headers }));
}

/** Answers, and ends the connection. */
export function endWith(
  response: ServerResponse,
  { status, text, headers }: ReturnType<typeof problemText>,
): void {
  response.shouldKeepAlive = false;
  response.writeHead(status, { ...headers, 'content-length': `${Buffer.byteLength(text)}` });
  response.end(text);
}
