import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The network between a machine and a server that others reach without it. */
export interface RadioLink {
  /** The address at which the machine reaches the server. */
  readonly address: string;
  /** Ends all connections, and each new one at once. */
  readonly cut: () => void;
  readonly mend: () => void;
}

/** A link to a server of this machine. */
export async function radioLink(server: string): Promise<RadioLink> {
  const port = Number(new URL(server).port);
  const open = new Set<Socket>();
  let isCut = false;
  const note = (socket: Socket): Socket => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // The other half ends as well.
    return socket.on('error', () => undefined);
  };
  const relay = createServer((near) => {
    note(near);
    if (isCut) return void near.destroy();
    const far = note(connect({ host: '127.0.0.1', port }));
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  const cut = (): void => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    cut();
    await new Promise((resolve) => relay.close(resolve));
  });
  // A cast: it listens on a port.
  const { port: own } = relay.address() as AddressInfo;
  return { address: `http://127.0.0.1:${own}`, cut, mend: () => void (isCut = false) };
}
