import { parseVersion } from '../core/index.ts';
import { describeDuration } from '../core/text/duration.ts';
import { excerpt } from '../core/text/quote.ts';
import { compareVersions } from '../core/version/version-order.ts';
import { LATEST_SCHEMA } from './event.ts';
import { frontWords, type SeenFront } from './front-name.ts';
import { WAY_OUT } from './held-events.ts';

/** What a node says about itself. */
export interface NodeFacts {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** The name of its cluster; empty if it has none. */
  readonly cluster: string;
  /** Undefined if JetStream is off. */
  readonly jetStream:
    | {
        readonly syncsAlways: boolean;
        readonly syncIntervalMs: number;
        /** The name of the node that leads; empty if it knows none. */
        readonly leader: string;
        /** The names of the other nodes, as the leader sees them; a node that does not lead sees none. */
        readonly others: readonly { readonly name: string; readonly isCurrent: boolean }[];
        readonly size: number;
      }
    | undefined;
}

/** A setting of a stream, with what a fleet needs. */
interface StreamSetting {
  readonly name: string;
  readonly found: string;
  readonly expected: string;
}

/** A stream, as the cluster has it. */
export interface StreamFacts {
  readonly name: string;
  /** Undefined if no front has created it yet. */
  readonly stored:
    | {
        readonly settings: readonly StreamSetting[];
        readonly leader: string;
        readonly replicas: readonly { readonly name: string; readonly isCurrent: boolean }[];
        /** Events that this modreg cannot read, each as a line. Only the first of many. */
        readonly unreadable?: readonly string[] | undefined;
      }
    | undefined;
  /** What the fronts have passed over in it; undefined if nothing. */
  readonly passedOver?: string | undefined;
}

/** What was read of a cluster. A text says why something could not be read. */
export interface ClusterFacts {
  /** By the address that it was asked at. */
  readonly nodes: ReadonlyMap<string, NodeFacts | string>;
  readonly streams: readonly StreamFacts[] | string;
  /** The fronts that the nodes know. */
  readonly fronts: readonly SeenFront[];
}

/** A line of the result. */
export interface ClusterFinding {
  /** A node, a stream, or `cluster`. */
  readonly subject: string;
  readonly isWrong: boolean;
  /** What was found, and what was expected. */
  readonly text: string;
  /** What to do next. */
  readonly fix?: string;
}

const LEAST_NODES = 3;
const LEAST_VERSION = '2.10.27';

/** Compares a cluster with what a fleet needs so that nothing that was acknowledged is lost. */
export function checkCluster({ nodes, streams, fronts }: ClusterFacts): ClusterFinding[] {
  const read = [...nodes.values()].filter((node) => typeof node !== 'string');
  return [
    ...[...nodes].flatMap(([address, node]) => nodeFindings(address, node)),
    ...clusterFindings(nodes.size, read),
    ...(typeof streams === 'string'
      ? [wrong('streams', streams)]
      : streams.flatMap(streamFindings)),
    ...fronts.filter(({ reads }) => reads < LATEST_SCHEMA).map(olderFinding),
  ];
}

function wrong(subject: string, text: string, fix?: string): ClusterFinding {
  return { subject, isWrong: true, text, ...(fix === undefined ? {} : { fix }) };
}

function nodeFindings(address: string, node: NodeFacts | string): ClusterFinding[] {
  if (typeof node === 'string') {
    const fix = 'start the node; --monitor names its monitoring address';
    return [wrong(excerpt(address), node, fix)];
  }
  const { version, jetStream } = node;
  const name = excerpt(node.name);
  const found = [
    ...(isOld(version)
      ? [
          wrong(
            name,
            `nats-server ${excerpt(version)}, expected at least ${LEAST_VERSION}`,
            'upgrade it',
          ),
        ]
      : []),
    ...(jetStream ? [] : [wrong(name, 'JetStream is off', 'add jetstream { … } to its settings')]),
    ...(jetStream?.syncsAlways === false
      ? [
          wrong(
            name,
            `writes its files to the disk every ${describeDuration(jetStream.syncIntervalMs)}, expected before each acknowledgement`,
            'set jetstream { sync_interval: always }, and restart it',
          ),
        ]
      : []),
  ];
  const text = `nats-server ${excerpt(version)}, writes to the disk before each acknowledgement`;
  return found.length > 0 ? found : [{ subject: name, isWrong: false, text }];
}

/** A front that could not read what others write (D205). Others need no line. */
function olderFinding(front: SeenFront): ClusterFinding {
  const text = `${frontWords(front)}, expected schema ${LATEST_SCHEMA}`;
  return wrong(`front ${front.at}`, text, 'upgrade modreg on it before a change that needs that');
}

function isOld(text: string): boolean {
  const version = parseVersion(text);
  const least = parseVersion(LEAST_VERSION);
  return !version.ok || !least.ok || compareVersions(version.value, least.value) < 0;
}

function clusterFindings(named: number, nodes: readonly NodeFacts[]): ClusterFinding[] {
  if (nodes.length === 0) return [];
  const subject = 'cluster';
  const clusters = [...new Set(nodes.map(({ cluster }) => excerpt(cluster) || 'none'))];
  const leaders = [...new Set(nodes.flatMap(({ jetStream }) => jetStream?.leader ?? []))];
  const [leader = ''] = leaders;
  const sizes = new Set(nodes.flatMap(({ jetStream }) => jetStream?.size ?? []));
  const others = nodes.flatMap(({ jetStream }) => jetStream?.others ?? []);
  const ids = new Set(nodes.map(({ id }) => id));
  const found = [
    ...(named < LEAST_NODES
      ? [wrong(subject, `${named} named, expected at least ${LEAST_NODES} nodes`)]
      : []),
    ...(ids.size < nodes.length ? [wrong(subject, 'two addresses are of one node')] : []),
    ...(clusters.length > 1
      ? [wrong(subject, `${clusters.length} clusters: ${clusters.join(', ')}`)]
      : []),
    ...(leaders.length > 1 || leader === ''
      ? [wrong(subject, leaders.length > 1 ? 'the nodes name different leaders' : 'no leader')]
      : []),
    ...[...sizes]
      .filter((size) => size !== named)
      .map((size) => wrong(subject, `it has ${size} nodes, and ${named} are named`)),
    ...others
      .filter(({ isCurrent }) => !isCurrent)
      .map(({ name }) => wrong(subject, `${excerpt(name)} is behind or down`)),
  ];
  const text = `${nodes.length} nodes, ${excerpt(leader)} leads, the others are current`;
  return found.length > 0 ? found : [{ subject, isWrong: false, text }];
}

const PASSED_OVER_FIX =
  'look for report-passed-over in the logs of the fronts; revoke the token of a machine that does so on purpose';

function streamFindings({ name, stored, passedOver }: StreamFacts): ClusterFinding[] {
  if (!stored) {
    return [
      { subject: name, isWrong: false, text: 'does not exist yet: the first front creates it' },
    ];
  }
  const { settings, leader, replicas, unreadable = [] } = stored;
  const found = [
    ...settings
      .filter((setting) => setting.found !== setting.expected)
      .map((setting) =>
        wrong(name, `${setting.name} is ${setting.found}, expected ${setting.expected}`),
      ),
    ...(leader === '' ? [wrong(name, 'no node leads it')] : []),
    ...unreadable.map((text) => wrong(name, text, WAY_OUT)),
    ...replicas
      .filter(({ isCurrent }) => !isCurrent)
      .map((replica) => wrong(name, `${excerpt(replica.name)} is behind or down`)),
    ...(passedOver === undefined ? [] : [wrong(name, passedOver, PASSED_OVER_FIX)]),
  ];
  const text = `${replicas.length + 1} replicas, ${excerpt(leader)} leads, the others are current`;
  return found.length > 0 ? found : [{ subject: name, isWrong: false, text }];
}
