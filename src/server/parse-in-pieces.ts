import type { Socket } from 'node:net';

/**
 * Hands what `socket` receives to Node's HTTP parser in pieces of `size` bytes, while `isWanted`. By itself, Node creates
 * all requests of a packet first, so they take memory before they are counted. Call it after Node has seen the connection.
 */
export function parseInPieces(socket: Socket, size: number, isWanted: () => boolean): void {
  // These are the parser; a packet does not bypass them once another listener is added.
  const parsers = socket.listeners('data');
  socket.on('data', (packet: Buffer) => {
    for (let at = 0; at < packet.length && isWanted() && !socket.destroyed; at += size) {
      const piece = packet.subarray(at, at + size);
      for (const parse of parsers) parse.call(socket, piece);
    }
  });
  for (const parse of parsers) socket.off('data', parse as (packet: Buffer) => void);
}
