/* What signed answers cost a registry and its machines, beside the same answers without a signature. Prints rows as JSON. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Catalogue } from '../../src/server/catalogue/catalogue.ts';
import { moduleId } from '../parsed.ts';
import { median, printRows, type Row } from '../row.ts';
import { storeTrust } from '../signing.ts';
import { ask, releases, start, type Running } from './process.ts';

const MODULES = 200;
const SLICES = 15;
const REQUESTS = 1000;
const MOST_TIMES = 1.5;
const MOST_BYTES = 170;
const NONCE_BYTES = 16;
/** Each asks once a minute. */
const MACHINES = 10_000;
const MOST_SHARE = 2.5;
const MINUTE_US = 60_000_000;

/** A registry that signs its answers. Returns its sequence. */
function fill(path: string): number {
  const catalogue = new Catalogue(path, { mode: 'create' });
  for (let at = 0; at < MODULES; at++)
    catalogue.publishAll(moduleId(`bench:m${at}`), releases(1), 0);
  storeTrust(catalogue);
  const sequence = catalogue.sequence();
  catalogue.close();
  return sequence;
}

async function cpuOf({ child, lines }: Running): Promise<number> {
  child.stdin.write('cpu\n');
  const [line] = (await once(lines, 'line')) as [string];
  return Number(line);
}

/** The CPU time of the registry, and the bytes on the connection, for each of many requests. */
interface Cost {
  readonly us: number;
  readonly bytes: number;
}

interface Question {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
}

async function costOf(
  registry: Running,
  { path, headers, status }: Question,
  isSigned: boolean,
): Promise<Cost> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<Socket>();
  agent.on('free', (socket: Socket) => sockets.add(socket));
  const before = await cpuOf(registry);
  for (let at = 0; at < REQUESTS; at++) {
    const sign = path.includes('?') ? '&' : '?';
    const nonce = isSigned ? `${sign}nonce=${randomBytes(NONCE_BYTES).toString('base64url')}` : '';
    const found = await ask(`${registry.address}${path}${nonce}`, headers, agent);
    if (found !== status) throw new Error(`${path} answered ${found}, expected ${status}`);
  }
  const us = ((await cpuOf(registry)) - before) / REQUESTS;
  const [socket] = sockets;
  const bytes = Number(socket?.bytesRead) + Number(socket?.bytesWritten);
  agent.destroy();
  return { us, bytes: bytes / REQUESTS };
}

async function compare(registry: Running, what: string, question: Question): Promise<Row[]> {
  const pairs: [Cost, Cost][] = [];
  for (let slice = 0; slice <= SLICES; slice++) {
    const plain = await costOf(registry, question, false);
    pairs.push([plain, await costOf(registry, question, true)]);
  }
  // The first one warms up.
  const measured = pairs.slice(1);
  const times = median(measured.map(([plain, signed]) => signed.us / plain.us));
  const [plainUs, signedUs] = [0, 1].map((side) =>
    median(measured.map((one) => one[side]?.us ?? 0)),
  );
  const share = (100 * MACHINES * (signedUs ?? 0)) / MINUTE_US;
  const more = median(measured.map(([plain, signed]) => signed.bytes - plain.bytes));
  return [
    {
      measured: `CPU time of ${what} that is signed, relative to one that is not`,
      figure: `${times.toFixed(2)} times: ${signedUs?.toFixed(0)} µs`,
      peer: `${plainUs?.toFixed(0)} µs without a signature`,
      target: `at most ${MOST_TIMES}`,
      isMet: times <= MOST_TIMES,
    },
    {
      measured: `a core's share for 10,000 machines that ask once a minute, with ${what} that is signed`,
      figure: `${share.toFixed(1)} %`,
      target: `at most ${MOST_SHARE} %`,
      isMet: share <= MOST_SHARE,
    },
    {
      measured: `bytes of ${what} that is signed, with its question, beyond one that is not`,
      figure: more.toFixed(0),
      target: `at most ${MOST_BYTES}`,
      isMet: more <= MOST_BYTES,
    },
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'modreg-bench-'));
const path = join(folder, 'registry.db');
const sequence = fill(path);
const registry = await start('registry', path);
const list = await fetch(`${registry.address}/v1/modules/bench/m0`);
await list.arrayBuffer();
const etag = list.headers.get('etag') ?? '';
const feed = { path: `/v1/changes?after=${sequence}`, headers: {}, status: 200 };
const same = { path: '/v1/modules/bench/m0', headers: { 'if-none-match': etag }, status: 304 };
printRows([
  ...(await compare(registry, 'a quiet poll', feed)),
  ...(await compare(registry, 'a 304 response', same)),
]);
registry.child.kill();
rmSync(folder, { recursive: true });
