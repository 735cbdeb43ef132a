import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The network between a machine and a server that others reach without it. */
export interface RadioLink {
  /** The address at which the machine reaches the server. */
  readonly address: string;
  /** Ends all connections, and each new one at once. */
  readonly cut: () => void;
  /** Ends each connection once the server answers: it has what was sent, and the machine does not know. */
  readonly loseAnswers: () => void;
  readonly mend: () => void;
}

/** A link to a server of this machine. */
export async function radioLink(server: string): Promise<RadioLink> {
  const port = Number(new URL(server).port);
  const open = new Set<Socket>();
  let state: 'whole' | 'loses answers' | 'cut' = 'whole';
  const note = (socket: Socket): Socket => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // The other half ends as well.
    return socket.on('error', () => undefined);
  };
  const relay = createServer((near) => {
    note(near);
    if (state === 'cut') return void near.destroy();
    const far = note(connect({ host: '127.0.0.1', port }));
    near.pipe(far);
    far.on('data', (bytes: Buffer) => {
      if (state === 'whole') near.write(bytes);
      else near.destroy();
    });
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  const cut = (): void => {
    state = 'cut';
    for (const socket of open) socket.destroy();
  };
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    cut();
    await new Promise((resolve) => relay.close(resolve));
  });
  // A cast: it listens on a port.
  const { port: own } = relay.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${own}`,
    cut,
    loseAnswers: () => void (state = 'loses answers'),
    mend: () => void (state = 'whole'),
  };
}
