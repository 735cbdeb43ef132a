/* A relay between a front and the nodes of a cluster, which fails as networks do. */
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** The connections of a front to the nodes. */
export interface Link {
  /** The addresses of the relay, for `--nats`. */
  readonly servers: string;
  /** Nothing passes any more, and no connection is closed; new ones are accepted, and are silent. */
  readonly hold: () => void;
  /** As `hold`, but what is on its way is lost: when it is released, the connections end. */
  readonly cut: () => void;
  /** What was held passes, and new connections work. */
  readonly release: () => void;
  /** The connections that are open fall silent for ever, as after a lost route. New ones work. */
  readonly freeze: () => void;
  /** The connections that are open carry requests, but no more answers. New ones work. */
  readonly mute: () => void;
  readonly close: () => Promise<void>;
}

interface Pair {
  readonly front: Socket;
  readonly node: Socket;
  /** For ever. */
  isSilent: boolean;
}

/** Relays to `servers`, such as `nats://127.0.0.1:4222,…`. */
export async function linkTo(servers: string): Promise<Link> {
  const pairs = new Set<Pair>();
  let isHeld = false;
  const lost = new Set<Pair>();
  const relays = await Promise.all(
    servers.split(',').map(async (address) => {
      const { hostname, port } = new URL(address);
      const relay = createServer((front) => {
        const node = createConnection({ host: hostname, port: Number(port) });
        const pair: Pair = { front, node, isSilent: false };
        pairs.add(pair);
        if (isHeld) pause(pair);
        join(pair, () => pairs.delete(pair));
      });
      relay.listen(0, '127.0.0.1');
      await once(relay, 'listening');
      return relay;
    }),
  );
  return {
    servers: relays
      .map((relay) => `nats://127.0.0.1:${(relay.address() as AddressInfo).port}`)
      .join(','),
    hold() {
      isHeld = true;
      for (const pair of pairs) pause(pair);
    },
    cut() {
      isHeld = true;
      for (const pair of pairs) {
        pause(pair);
        lost.add(pair);
      }
    },
    release() {
      isHeld = false;
      for (const { front, node } of lost) {
        front.destroy();
        node.destroy();
      }
      lost.clear();
      for (const pair of pairs) if (!pair.isSilent) resume(pair);
    },
    freeze() {
      for (const pair of pairs) {
        pair.isSilent = true;
        pause(pair);
      }
    },
    mute() {
      for (const pair of pairs) {
        pair.isSilent = true;
        pair.node.removeAllListeners('data');
        pair.node.resume();
      }
    },
    async close() {
      for (const { front, node } of pairs) {
        front.destroy();
        node.destroy();
      }
      await Promise.all(
        relays.map(async (relay) => {
          relay.close();
          await once(relay, 'close');
        }),
      );
    },
  };
}

function join({ front, node }: Pair, onEnd: () => void): void {
  front.on('data', (bytes) => node.write(bytes));
  node.on('data', (bytes) => front.write(bytes));
  for (const [one, other] of [
    [front, node],
    [node, front],
  ] as const) {
    one.on('error', () => undefined);
    one.on('close', () => {
      other.destroy();
      onEnd();
    });
  }
}

function pause({ front, node }: Pair): void {
  front.pause();
  node.pause();
}

function resume({ front, node }: Pair): void {
  front.resume();
  node.resume();
}
