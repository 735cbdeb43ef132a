import type { Server, Socket } from 'node:net';

/**
 * Hands a connection to the listeners that `server` has now when its first byte arrives, and ends it if none arrives
 * within `ms`, after a call of `late`. Until then it has no HTTP parser and no TLS, which would take most of its memory.
 */
export function acceptOnFirstByte(
  server: Server,
  ms: number,
  late: (socket: Socket) => void,
): void {
  const accept = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const end = (): void => void socket.destroy();
    socket.on('error', end);
    const expire = (): void => {
      late(socket);
      end();
    };
    socket.setTimeout(ms, expire);
    socket.once('readable', () => {
      // The listeners set their own limits.
      socket.setTimeout(0, expire);
      for (const listener of accept) listener.call(server, socket);
    });
  });
}
