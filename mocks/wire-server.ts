/* A server on a real socket that sends any bytes, or none: msw cannot send what is not HTTP. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { HONEST, type WireFault } from './hostile-answers.ts';

/** A TCP server that can send arbitrary bytes, stall, or close the connection. */
export interface WireServer {
  readonly address: string;
  /** The first line of each request, and its If-None-Match header. */
  readonly requests: string[];
  /** Sets the response to all further requests. */
  answer(fault: WireFault): void;
  close(): Promise<void>;
}

export async function wireServer(): Promise<WireServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let current: WireFault = HONEST;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Errors of closed connections are expected.
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (data) => {
      received += data.toString('latin1');
      if (!received.includes('\r\n\r\n')) return;
      const [line = ''] = received.split('\r\n', 1);
      const [, etag] = /\r\nif-none-match: (.*)\r\n/i.exec(received) ?? [];
      requests.push(etag === undefined ? line : `${line} ${etag}`);
      received = '';
      current(socket, line);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    requests,
    answer: (fault) => {
      current = fault;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
