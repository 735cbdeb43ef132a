/* Three nodes of a real NATS cluster, as child processes on loopback. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { programs } from './programs.ts';

/** A node of a cluster. */
interface Node {
  readonly name: string;
  /** For clients, such as `nats://127.0.0.1:4222`. */
  readonly address: string;
  /** For monitoring, such as `http://127.0.0.1:8222`. */
  readonly monitor: string;
  /** Its process; undefined while it is down. */
  readonly process: () => ChildProcess | undefined;
  /** Starts it again, with its files. */
  readonly start: () => void;
  /** Ends it with SIGKILL, and resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** What it wrote to its log. */
  readonly log: () => string;
}

/** Nodes that find each other. */
export interface Cluster {
  readonly nodes: readonly Node[];
  /** The addresses of all nodes, for `--nats`. */
  readonly servers: string;
  /**
   * Resolves once the nodes that run have a leader, and each of them the state that it has, with how many were started again since
   * they stayed behind.
   */
  readonly ready: (withinMs?: number) => Promise<number>;
  /** The node that leads the cluster. The cluster must be ready. */
  readonly leader: () => Promise<Node>;
  /** Kills all nodes and removes their files. */
  readonly close: () => Promise<void>;
}

/** What a test changes. */
export interface ClusterOptions {
  /** How many nodes; 3 if absent. */
  readonly size?: number;
  /** Of JetStream in each node, by its place; `always` if absent. */
  readonly syncInterval?: (place: number) => string;
  /** Lines for the configuration of each node. */
  readonly extra?: string;
}

const READY_MS = 90_000;
/** A node that starts after a kill sometimes stays behind the leader for good. What probes its health then starts it again. */
const BEHIND_MS = 20_000;
const POLL_MS = 50;

/** Nodes that have no leader by then are started again, with new files. */
const STARTED_MS = 30_000;

/** Starts a cluster that is ready. Nodes that begin at once sometimes agree on a cluster of two, for good; once, they had no leader after 90 s. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const failures: unknown[] = [];
  for (let left = 3; left > 0; left--) {
    const cluster = await startOnce(options);
    try {
      await cluster.ready(STARTED_MS);
      if (await cluster.isWhole()) return cluster;
      failures.push('a node was not part of its cluster');
    } catch (error) {
      failures.push(error);
    }
    await cluster.close();
  }
  throw new Error(`three times, the nodes did not agree: ${failures.join('; ')}`);
}

async function startOnce(options: ClusterOptions): Promise<StartedCluster> {
  const { size = 3, syncInterval = (): string => 'always', extra = '' } = options;
  const folder = mkdtempSync(join(tmpdir(), 'modreg-cluster-'));
  const ports = await freePorts(3 * size);
  const at = (place: number, kind: number): string => `127.0.0.1:${ports[3 * place + kind]}`;
  const places = Array.from({ length: size }, (_none, place) => place);
  const routes = places.map((place) => `nats://${at(place, 2)}`);
  const nodes = places.map((place) => {
    const name = `n${place + 1}`;
    const path = join(folder, `${name}.conf`);
    const lines = [
      `server_name: ${name}`,
      `listen: "${at(place, 0)}"`,
      `http: "${at(place, 1)}"`,
      `jetstream { store_dir: "${join(folder, name)}", sync_interval: "${syncInterval(place)}" }`,
      `cluster { name: modreg, no_advertise: true, listen: "${at(place, 2)}", routes: [${routes.join(', ')}] }`,
      extra,
    ];
    // A single node with a cluster would wait for another one for ever.
    writeFileSync(path, lines.filter((line) => size > 1 || !line.startsWith('cluster')).join('\n'));
    return nodeOf(name, path, [at(place, 0), at(place, 1)]);
  });
  const cluster = clusterOf(nodes, folder);
  for (const node of nodes) node.start();
  return cluster;
}

interface StartedCluster extends Cluster {
  /** Whether all nodes are part of the cluster that has a leader. */
  readonly isWhole: () => Promise<boolean>;
}

function clusterOf(nodes: readonly Node[], folder: string): StartedCluster {
  return {
    async isWhole() {
      const states = await Promise.all(nodes.map(async (node) => await stateOf(node)));
      return states.every(({ size }) => size === nodes.length);
    },
    nodes,
    servers: nodes.map(({ address }) => address).join(','),
    async ready(withinMs = READY_MS) {
      const deadline = performance.now() + withinMs;
      let restarted = 0;
      let behindSince = Infinity;
      for (;;) {
        const running = nodes.filter((node) => node.process());
        const states = await Promise.all(running.map(async (node) => await stateOf(node)));
        const leaders = new Set(states.map(({ leader }) => leader));
        const unhealthy = running.filter((__, place) => states[place]?.isHealthy === false);
        const hasLeader = leaders.size === 1 && !leaders.has('');
        if (hasLeader && unhealthy.length === 0) return restarted;
        if (performance.now() > deadline) {
          const logs = running.map((node) => node.log().slice(-2000)).join('\n');
          throw new Error(`not ready after ${withinMs} ms: ${JSON.stringify(states)}\n${logs}`);
        }
        const [behind] = hasLeader && unhealthy.length === 1 ? unhealthy : [];
        behindSince = behind ? Math.min(behindSince, performance.now()) : Infinity;
        if (behind && performance.now() - behindSince > BEHIND_MS) {
          await behind.kill();
          behind.start();
          restarted++;
          behindSince = Infinity;
        }
        await setTimeout(POLL_MS);
      }
    },
    async leader() {
      const node = nodes.find((one) => one.process());
      const { leader } = node ? await stateOf(node) : { leader: '' };
      const found = nodes.find(({ name }) => name === leader);
      if (!found) throw new Error(`the leader is ${JSON.stringify(leader)}`);
      return found;
    },
    async close() {
      await Promise.all(nodes.map(async (node) => await node.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function nodeOf(name: string, path: string, [client, monitor]: readonly [string, string]): Node {
  let child: ChildProcess | undefined;
  const logPath = `${path}.log`;
  const found = programs();
  if (typeof found === 'string') throw new Error(found);
  return {
    name,
    address: `nats://${client}`,
    monitor: `http://${monitor}`,
    process: () => child,
    start() {
      if (child) throw new Error(`${name} runs`);
      const log = openSync(logPath, 'a');
      child = spawn(found.natsServer, ['-c', path], { stdio: ['ignore', log, log] });
      closeSync(log);
    },
    async kill() {
      const killed = child;
      child = undefined;
      if (!killed || killed.exitCode !== null || killed.signalCode !== null) return;
      killed.kill('SIGKILL');
      await once(killed, 'exit');
    },
    log: () => readFileSync(logPath, 'utf8'),
  };
}

interface State {
  readonly isHealthy: boolean;
  /** The name of the node that leads, as this node knows; empty if there is none, or if it does not answer. */
  readonly leader: string;
  /** How many nodes its cluster has. */
  readonly size: number;
}

async function stateOf({ monitor }: Node): Promise<State> {
  try {
    const health = await fetch(`${monitor}/healthz`);
    const jetStream = await fetch(`${monitor}/jsz`);
    const { meta_cluster: meta, server_id: id } = (await jetStream.json()) as {
      readonly meta_cluster?: { readonly leader?: string; readonly cluster_size?: number };
      readonly server_id: string;
    };
    await health.text();
    // A node alone leads itself.
    const size = meta?.cluster_size ?? 1;
    return { isHealthy: health.ok, leader: meta ? (meta.leader ?? '') : id, size };
  } catch {
    return { isHealthy: false, leader: '', size: 0 };
  }
}

/** Below the ports that systems give to outgoing connections, which could take one before its node listens, or while it is down. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/** Ports that are free now. All are held until each is known, so that no two are equal. */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  while (held.length < count) {
    const server = createServer().listen(
      FIRST_PORT + Math.trunc(Math.random() * PORTS),
      '127.0.0.1',
    );
    if (await isListening(server)) held.push(server);
  }
  const ports = held.map((server) => (server.address() as AddressInfo).port);
  for (const server of held) {
    server.close();
    await once(server, 'close');
  }
  return ports;
}

async function isListening(server: Server): Promise<boolean> {
  return await once(server, 'listening').then(
    () => true,
    () => false,
  );
}
