/* Heap of the embedded registry under mixed load, with lists of constant sizes: `node mixed-load.ts <minutes>`. Prints rows as JSON. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Catalogue } from '../../src/server/catalogue/catalogue.ts';
import { ask, releases, start } from './process.ts';
import { printRows } from '../row.ts';
import { moduleId } from '../parsed.ts';

const [, , minutes = '10'] = process.argv;
const MODULES = 1000;
const RELEASES = 200;
const LARGE = 10_000;
const CLIENTS = 16;
const FLAT_MIB = 10;
const MINUTE_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'modreg-bench-'));
const path = join(folder, 'registry.db');
const catalogue = new Catalogue(path, { mode: 'create' });
catalogue.publishAll(moduleId('bench:large'), releases(LARGE), 0);
for (let at = 0; at < MODULES; at++)
  catalogue.publishAll(moduleId(`bench:m${at}`), releases(RELEASES), 0);
const created = catalogue.createToken({ name: 'soak', scopes: ['yank'] }, Date.now());
if (!created.ok) throw new Error(created.error);
const authorization = `Bearer ${created.value.token}`;
const registry = await start('registry', path);
// In turn, so that none is idle for so long that the server ends it.
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS, scheduling: 'fifo' });

let requests = 0;

async function changeYank(at: number, method: string): Promise<void> {
  const url = `${registry.address}/v1/modules/bench/m${at}/releases/1.0.0/yank`;
  const { status } = await fetch(url, { method, headers: { authorization } });
  if (status !== 200) throw new Error(`${url} answered ${status}`);
}

/** A client that sends part of a request, or asks for a list and reads nothing, and hangs up. */
async function hangUp(text: string): Promise<void> {
  const socket = connect(Number(new URL(registry.address).port), '127.0.0.1').pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text, () => socket.destroy());
  await once(socket, 'close');
}

const DEEDS: readonly ((at: number) => Promise<unknown>)[] = [
  async (at) => await ask(`${registry.address}/v1/modules/bench/m${at}`, {}, agent),
  async () => await ask(`${registry.address}/v1/modules/bench/large`, {}, agent),
  async (at) => await ask(`${registry.address}/v1/modules/bench/absent-${at}`, {}, agent),
  async (at) => await ask(`${registry.address}/v1/changes?after=${at}`, {}, agent),
  async () =>
    await ask(`${registry.address}/v1/changes?after=${catalogue.sequence()}&wait=1`, {}, agent),
  async (at) => await changeYank(at, 'PUT'),
  async (at) => await changeYank(at, 'DELETE'),
  async () => await hangUp('GET /v1/modules/bench/large HTTP/1.1\r\nHost: x\r\n\r\n'),
  async () => await hangUp('GET /v1/modules/bench/large HTTP/1.1\r\n'),
];

const end = Date.now() + Number(minutes) * MINUTE_MS;
async function client(): Promise<void> {
  while (Date.now() < end) {
    const deed = DEEDS[Math.trunc(Math.random() * DEEDS.length)];
    await deed?.(Math.trunc(Math.random() * MODULES));
    requests++;
  }
}

const heaps: number[] = [];
const clients = Promise.all(Array.from({ length: CLIENTS }, client));
const sampling = setInterval(() => registry.child.stdin.write('\n'), MINUTE_MS);
registry.lines.on('line', (heap: string) => {
  heaps.push(Number(heap));
  console.error(`${requests} requests: ${heap} MiB`);
});
await clients;
clearInterval(sampling);
registry.child.stdin.write('\n');
await once(registry.lines, 'line');
registry.child.kill();
agent.destroy();
catalogue.close();
rmSync(folder, { recursive: true });
const [first = 0] = heaps;
const growth = (heaps.at(-1) ?? 0) - first;
printRows([
  {
    measured: `heap of the registry in ${minutes} minutes of mixed load: lists, changes, long polls, yanks, clients that hang up`,
    figure: `${first.toFixed(1)} MiB after the first minute, ${(first + growth).toFixed(1)} MiB after ${requests.toLocaleString('en')} requests, max ${Math.max(...heaps).toFixed(1)} MiB`,
    target: `growth < ${FLAT_MIB} MB`,
    isMet: growth < FLAT_MIB,
  },
]);
