import { readFileSync } from 'node:fs';
import {
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { connect, credsAuthenticator } from '@nats-io/transport-node';
import { excerpt } from '../../core/text/quote.ts';
import type { StreamFacts } from '../cluster-check.ts';
import { replicasIn } from './node-facts.ts';

const CONNECT_MS = 5000;
const REPLICAS = 3;

/** Where a cluster is, and who asks. */
export interface ClusterAddress {
  /** Addresses of nodes. */
  readonly servers: readonly string[];
  /** The path of a credentials file of NATS; undefined without one. */
  readonly credentials: string | undefined;
}

type Settings = Pick<StreamConfig, 'num_replicas'> & Partial<StreamConfig>;

const KEPT = { storage: 'file', retention: 'limits', max_msgs: -1, max_bytes: -1 } as const;

/** The settings of a fleet's streams that decide whether something is lost. Others may differ. */
const EXPECTED: Readonly<Record<string, Settings>> = {
  RELEASES: { num_replicas: REPLICAS, ...KEPT, max_age: 0, max_msgs_per_subject: -1 },
  KV_modreg_lease: { num_replicas: REPLICAS, storage: 'file' },
};

/** The streams of a fleet in a cluster, or why they cannot be read. */
export async function streamFacts({
  servers,
  credentials,
}: ClusterAddress): Promise<StreamFacts[] | string> {
  try {
    const authenticator =
      credentials === undefined
        ? {}
        : { authenticator: credsAuthenticator(readFileSync(credentials)) };
    const options = { timeout: CONNECT_MS, reconnect: false, ...authenticator };
    const connection = await connect({ servers: [...servers], ...options });
    try {
      const manager = await jetstreamManager(connection, { timeout: CONNECT_MS });
      return await Promise.all(Object.keys(EXPECTED).map(async (name) => await one(manager, name)));
    } finally {
      await connection.close();
    }
  } catch (error) {
    return `no answer from the cluster: ${excerpt(error instanceof Error ? error.message : String(error))}`;
  }
}

async function one(manager: JetStreamManager, name: string): Promise<StreamFacts> {
  try {
    return { name, stored: storedIn(await manager.streams.info(name), EXPECTED[name] ?? {}) };
  } catch (error) {
    const isMissing =
      error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
    if (isMissing) return { name, stored: undefined };
    throw error;
  }
}

function storedIn({ config, cluster }: StreamInfo, expected: object): StreamFacts['stored'] {
  const found: Readonly<Record<string, unknown>> = { ...config };
  return {
    settings: Object.entries(expected).map(([name, value]) => ({
      name,
      found: String(found[name]),
      expected: String(value),
    })),
    leader: cluster?.leader ?? '',
    replicas: replicasIn(cluster?.replicas),
  };
}
