import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** What is known of the requests of a socket. */
export interface ParsedRequests {
  /** Whether further requests are wanted. */
  readonly isOpen: (socket: Socket) => boolean;
  /** The latest request of the socket that is not answered yet. */
  readonly latest: (socket: Socket) => IncomingMessage | undefined;
}

/**
 * Hands what `socket` receives to Node's HTTP parser in pieces of `size` bytes, while further requests are wanted. By itself,
 * Node creates all requests of a packet first, so they take memory before they are counted. What certainly belongs to the
 * body of one request is one piece. Call it after Node has seen the connection.
 */
export function parseInPieces(
  socket: Socket,
  size: number,
  { isOpen, latest }: ParsedRequests,
): void {
  // These are the parser; a packet does not bypass them once another listener is added.
  const parsers = socket.listeners('data');
  let request: IncomingMessage | undefined;
  let body = 0;
  socket.on('data', (packet: Buffer) => {
    for (let at = 0; at < packet.length && isOpen(socket) && !socket.destroyed;) {
      const piece = packet.subarray(at, at + Math.max(size, body));
      for (const parse of parsers) parse.call(socket, piece);
      at += piece.length;
      body -= piece.length;
      const next = latest(socket);
      if (!next || next === request) continue;
      request = next;
      // A part of its body may be in this piece.
      body = lengthOf(next) - size;
    }
  });
  for (const parse of parsers) socket.off('data', parse as (packet: Buffer) => void);
}

/** The announced length of the body; 0 if it is sent in chunks. */
function lengthOf({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0;
}
