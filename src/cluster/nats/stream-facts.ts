import type { JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream';
import { excerpt } from '../../core/text/quote.ts';
import type { StreamFacts } from '../cluster-check.ts';
import { connectTo, PackagesMissing, type ClusterPlace } from './connection.ts';
import { replicasIn } from './node-facts.ts';
import { passedOverFacts } from './passed-over.ts';
import { SETTINGS, STREAM } from './release-stream.ts';
import { REPORT_SETTINGS } from './report-stream.ts';
import { isMissing } from './stream-info.ts';
import { unreadableEvents } from './unreadable-events.ts';

const ANSWER_MS = 5000;
const REPLICAS = 3;

/** The settings of a fleet's streams that decide whether something is lost. Others may differ. */
const EXPECTED: readonly (Partial<StreamConfig> & { readonly name: string })[] = [
  { max_msgs_per_subject: -1, ...SETTINGS },
  { max_msgs_per_subject: -1, ...REPORT_SETTINGS },
  { name: 'KV_modreg_lease', storage: 'file' },
];

/** The streams of a fleet in a cluster, or why they cannot be read. */
export async function streamFacts(place: ClusterPlace): Promise<StreamFacts[] | string> {
  try {
    const { jetstreamManager } = await import('@nats-io/jetstream');
    const connection = await connectTo(place, 'modreg fleet check');
    try {
      const options = { timeout: ANSWER_MS, checkAPI: false };
      const manager = await jetstreamManager(connection, options);
      return await Promise.all(EXPECTED.map(async (expected) => await factsOf(manager, expected)));
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof PackagesMissing) return error.message;
    const why = error instanceof Error ? error.message : String(error);
    return `no answer from the cluster: ${excerpt(why)}`;
  }
}

async function factsOf(
  manager: JetStreamManager,
  { name, ...settings }: (typeof EXPECTED)[number],
): Promise<StreamFacts> {
  try {
    const expected = { num_replicas: REPLICAS, ...settings };
    const info = await manager.streams.info(name);
    const isReports = name === REPORT_SETTINGS.name;
    const unreadable =
      name === STREAM ? await unreadableEvents(manager, info.state.last_seq) : undefined;
    const stored = { ...storedIn(info, expected), unreadable };
    return { name, stored, passedOver: isReports ? await passedOverFacts(manager) : undefined };
  } catch (error) {
    if (!isMissing(error)) throw error;
    return { name, stored: undefined, passedOver: undefined };
  }
}

function storedIn(
  { config, cluster }: StreamInfo,
  expected: object,
): NonNullable<StreamFacts['stored']> {
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
