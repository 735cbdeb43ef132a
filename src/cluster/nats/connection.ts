import { readFileSync } from 'node:fs';
import type { NatsConnection } from '@nats-io/transport-node';

/** How to reach the nodes of a cluster. */
export interface ClusterPlace {
  /** Such as `nats://10.0.0.1:4222`; `tls:` for TLS. If one begins so, all nodes must have it. */
  readonly servers: readonly string[];
  /** The path of a credentials file; undefined if the cluster needs none. */
  readonly credentials: string | undefined;
}

/** The packages that only a front needs are not installed. */
export class PackagesMissing extends Error {
  override readonly name = 'PackagesMissing';
}

const PACKAGES = '@nats-io/transport-node @nats-io/jetstream @nats-io/kv';
/** A node that stops without closing its connections is noticed after three of these. */
const PING_MS = 1000;
const CONNECT_MS = 5000;

/** Connects to one of the nodes, and to another one whenever that fails. Rejects if none can be reached. */
export async function connectTo(place: ClusterPlace, name: string): Promise<NatsConnection> {
  const { connect, credsAuthenticator } = await import('@nats-io/transport-node').catch(missing);
  const { servers, credentials } = place;
  const needsTls = servers.some((one) => one.startsWith('tls:'));
  return await connect({
    servers: [...servers],
    name,
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: PING_MS,
    maxPingOut: 2,
    // A node whose accounts are changed refuses clients for a moment. Without this, two refusals would end the connection for good.
    ignoreAuthErrorAbort: true,
    // Without this, a node without TLS is accepted, whatever its address begins with.
    ...(needsTls ? { tls: {} } : {}),
    ...(credentials === undefined
      ? {}
      : { authenticator: credsAuthenticator(() => readFileSync(credentials)) }),
  });
}

function missing(cause: unknown): never {
  throw new PackagesMissing(`a front of a cluster needs ${PACKAGES}: npm install them`, { cause });
}
