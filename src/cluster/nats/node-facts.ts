import { excerpt } from '../../core/text/quote.ts';
import { isJsonObject } from '../../registry/formats/json-object.ts';
import type { NodeFacts } from '../cluster-check.ts';

const ANSWER_MS = 5000;

/** What the node with this monitoring address says about itself, or why that is not known. */
export async function nodeFacts(monitor: string): Promise<NodeFacts | string> {
  const address = new URL('varz', `${monitor.replace(/\/$/, '')}/`);
  let answer: unknown;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(ANSWER_MS) });
    answer = await response.json();
  } catch (error) {
    return `no answer from its monitoring address: ${causeOf(error)}`;
  }
  const facts = factsIn(answer);
  return facts ?? `its monitoring address is not one of a nats-server`;
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return excerpt(String(error));
  return excerpt(error.cause instanceof Error ? error.cause.message : error.message);
}

/** Fields that are missing are read as what a fleet refuses. */
function factsIn(answer: unknown): NodeFacts | undefined {
  const varz = Object(answer);
  const { server_id: id, server_name: name, version, cluster, jetstream } = varz;
  if (typeof id !== 'string' || typeof version !== 'string') return undefined;
  return {
    id,
    name: String(name),
    version,
    cluster: textIn(Object(cluster)['name']),
    jetStream: jetStreamIn(jetstream),
  };
}

function jetStreamIn(jetstream: unknown): NodeFacts['jetStream'] {
  // A node without JetStream has an empty object.
  const { config, meta } = Object(jetstream);
  if (!isJsonObject(config)) return undefined;
  const { leader, replicas, cluster_size: size } = Object(meta);
  return {
    // Servers before 2.10 do not have the field, and do not sync.
    syncsAlways: config['sync_always'] === true,
    syncIntervalMs: Number(config['sync_interval']) / 1e6,
    leader: textIn(leader),
    others: replicasIn(replicas),
    size: typeof size === 'number' ? size : 1,
  };
}

/** The replicas that a node lists, of a cluster or of a stream. */
export function replicasIn(
  replicas: unknown,
): { readonly name: string; readonly isCurrent: boolean }[] {
  if (!Array.isArray(replicas)) return [];
  return replicas.map((replica: unknown) => {
    const { name, current, offline } = Object(replica);
    return { name: String(name), isCurrent: current === true && offline !== true };
  });
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
