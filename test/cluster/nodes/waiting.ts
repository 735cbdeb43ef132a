/* Machines that wait for a change and do nothing else. */
import { createConnection, type Socket } from 'node:net';

/** Machines of which each has one open request. */
export interface WaitingMachines {
  /** Resolves when all are notified, with the time of each, as performance.now() tells it. */
  readonly notified: Promise<readonly number[]>;
  readonly close: () => void;
}

interface WaitingMachinesOptions {
  readonly count: number;
  readonly sequence: number;
  /** What else each asks for: `modules=…`, `commands=…`. */
  readonly query?: string;
  /** The token of each, if they have one. */
  readonly tokens?: readonly string[];
}

/** As many requests begin at once, so that the queue of the listener does not overflow. */
const AT_ONCE = 500;
/** A server accepts 10,000 long polls of one address. */
const PER_ADDRESS = 7500;

/** `count` machines wait at a front for the change after `sequence`. Resolves when all have connected and asked. */
export async function waitAt(
  address: string,
  { count, sequence, query: more, tokens }: WaitingMachinesOptions,
): Promise<WaitingMachines> {
  const sockets: Socket[] = [];
  const answers: Promise<number>[] = [];
  const query = `after=${sequence}&wait=60${more === undefined ? '' : `&${more}`}`;
  while (sockets.length < count) {
    const next = Math.min(AT_ONCE, count - sockets.length);
    await Promise.all(
      Array.from({ length: next }, async () => {
        const from = `127.0.0.${1 + Math.floor(sockets.length / PER_ADDRESS)}`;
        const token = tokens?.[sockets.length];
        const { socket, asked, answered } = machineAt(address, from, { query, token });
        sockets.push(socket);
        answers.push(answered);
        await asked;
      }),
    );
  }
  return {
    notified: Promise.all(answers),
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function machineAt(
  address: string,
  localAddress: string,
  { query, token }: { query: string; token: string | undefined },
): { socket: Socket; asked: Promise<void>; answered: Promise<number> } {
  const { hostname, port } = new URL(address);
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<number>();
  const fail = (error: Error): void => {
    asked.reject(error);
    answered.reject(error);
  };
  // Whoever awaits the machines hears of it.
  answered.promise.catch(() => undefined);
  const socket = createConnection({ host: hostname, port: Number(port), localAddress });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('a front closed the connection of a machine')));
  socket.once('connect', () => {
    const authorization = token === undefined ? '' : `authorization: Bearer ${token}\r\n`;
    const request = `GET /v1/changes?${query} HTTP/1.1\r\nhost: ${hostname}\r\n${authorization}\r\n`;
    socket.write(request, () => asked.resolve());
  });
  socket.once('data', (bytes) => {
    const at = performance.now();
    const line = bytes.subarray(0, 15).toString('latin1');
    if (line === 'HTTP/1.1 200 OK') answered.resolve(at);
    else fail(new Error(`a front answered ${bytes.toString('latin1')}`));
  });
  return { socket, asked: asked.promise, answered: answered.promise };
}
