/* Three nodes, and fronts that follow them. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Catalogue } from '../../../src/server/index.ts';
import { tokenFor } from '../../support/token.ts';
import { startFront, type Front, type FrontOptions } from './fronts.ts';
import { linkTo, type Link } from './link.ts';
import { startCluster, type Cluster } from './nodes.ts';

/** A cluster, its fronts, and the link of each front. */
export interface Site {
  readonly cluster: Cluster;
  readonly fronts: readonly Front[];
  readonly links: readonly Link[];
  /** Accepted by each front. */
  readonly token: string;
  readonly folder: string;
  /** Starts one more front. */
  readonly add: (options?: FrontOptions) => Promise<Front>;
  readonly close: () => Promise<void>;
}

const SCOPES = ['publish', 'yank', 'rollout', 'fleet:read'];

interface SiteOptions {
  /** Machines that have a token each, which is then in `tokens`. */
  readonly machines?: readonly string[];
  readonly tokens?: Map<string, string>;
  /** More options of each front. */
  readonly args?: readonly string[];
}

/** Starts three nodes, and as many fronts as `count`. */
export async function openSite(
  count: number,
  { machines = [], tokens = new Map(), args = [] }: SiteOptions = {},
): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-site-'));
  const seed = join(folder, 'tokens.db');
  const catalogue = new Catalogue(seed, { mode: 'create' });
  const token = tokenFor(catalogue, SCOPES);
  for (const id of machines) tokens.set(id, tokenFor(catalogue, [`machine:${id}`], id));
  catalogue.close();
  const cluster = await startCluster();
  const fronts: Front[] = [];
  const links: Link[] = [];
  const add = async (options: FrontOptions = {}): Promise<Front> => {
    const link = await linkTo(cluster.servers);
    links.push(link);
    const db = join(folder, `front-${links.length}`, 'registry.db');
    mkdirSync(dirname(db));
    copyFileSync(seed, db);
    const front = await startFront(db, link.servers, options);
    fronts.push(front);
    return front;
  };
  const close = async (): Promise<void> => {
    await Promise.all(fronts.map(async (front) => await front.kill()));
    await Promise.all(links.map(async (link) => await link.close()));
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (let place = 0; place < count; place++) await add({ args });
  } catch (error) {
    await close();
    throw error;
  }
  return { cluster, fronts, links, token, folder, add, close };
}

/** The status of a response, its headers, and its JSON. */
export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Requests `path` of a front, with a token if there is one. */
export async function ask(
  { address }: Pick<Front, 'address'>,
  path: string,
  {
    method = 'GET',
    token,
    body,
    headers = {},
  }: {
    readonly method?: string;
    readonly token?: string | undefined;
    readonly body?: object;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Asked> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: Object(JSON.parse(text)),
    text,
  };
}

/** The node that leads a stream, as the nodes that run know it; undefined if it has no leader. */
export async function streamLeader(
  cluster: Cluster,
  stream: string,
): Promise<Cluster['nodes'][number] | undefined> {
  for (const node of cluster.nodes.filter((one) => one.process())) {
    const response = await fetch(`${node.monitor}/jsz?accounts=true&streams=true`);
    const { account_details: accounts = [] } = (await response.json()) as JetStreamState;
    const streams = accounts.flatMap(({ stream_detail: details = [] }) => details);
    const leader = streams.find(({ name }) => name === stream)?.cluster?.leader;
    const found = cluster.nodes.find(({ name }) => name === leader);
    if (found?.process()) return found;
  }
  return undefined;
}

interface JetStreamState {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly name: string;
      readonly cluster?: { readonly leader?: string };
    }[];
  }[];
}
