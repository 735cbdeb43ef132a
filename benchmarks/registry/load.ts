/* The embedded registry under load, compared with a bare node:http server of the same responses. Prints rows as JSON. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Catalogue } from '../../src/server/catalogue/catalogue.ts';
import { ask, releases, start, type Running } from './process.ts';
import { median, printRows, type Row } from '../row.ts';
import { moduleId } from '../parsed.ts';

const MODULES = 10_000;
const RELEASES = 200;
const LARGE = 10_000;
const CONNECTIONS = 32;
const SLICES = 5;
const SLICE_MS = 1000;
const POLLS = 1000;

function fill(path: string): void {
  const catalogue = new Catalogue(path, { mode: 'create' });
  catalogue.publishAll(moduleId('bench:large'), releases(LARGE), 0);
  const some = releases(RELEASES);
  for (let at = 1; at < MODULES; at++) catalogue.publishAll(moduleId(`bench:m${at}`), some, 0);
  catalogue.close();
}

/** Responses per second over `CONNECTIONS` connections, measured for `SLICE_MS`. */
async function rate(
  url: string,
  headers: Readonly<Record<string, string>>,
  status: number,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const begin = performance.now();
  const end = begin + SLICE_MS;
  let answers = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const found = await ask(url, headers, agent);
      if (found !== status) throw new Error(`${url} answered ${found}, expected ${status}`);
      answers++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  agent.destroy();
  return (answers / (performance.now() - begin)) * 1000;
}

async function compare(bare: Running, registry: Running, tag: string | undefined): Promise<Row> {
  const headers = tag === undefined ? {} : { 'if-none-match': tag };
  const status = tag === undefined ? 200 : 304;
  const rates: [number[], number[]] = [[], []];
  for (let slice = 0; slice < SLICES; slice++) {
    for (const [place, { address }] of [bare, registry].entries()) {
      rates[place]?.push(await rate(`${address}/v1/modules/bench/large`, headers, status));
    }
  }
  const [bareRate, registryRate] = rates.map(median) as [number, number];
  const what = tag === undefined ? 'lists with 10,000 releases' : '304 responses';
  const share = (registryRate / bareRate).toFixed(2);
  return {
    measured: `rate of ${what}, relative to the bare server`,
    figure: `${share}: ${registryRate.toFixed(0)} a second`,
    peer: `${bareRate.toFixed(0)} a second`,
    ...(tag === undefined ? { target: 'at least 0.9', isMet: registryRate / bareRate >= 0.9 } : {}),
  };
}

/** Measures the time until every long poll has received a publication. */
async function wake(registry: Running, path: string): Promise<Row> {
  const catalogue = new Catalogue(path);
  const after = catalogue.sequence();
  const agent = new Agent({ keepAlive: true, maxSockets: POLLS });
  const url = `${registry.address}/v1/changes?after=${after}&wait=60`;
  const polls = Array.from({ length: POLLS }, async () => await ask(url, {}, agent));
  // Once a later request on a separate connection is answered, all long polls wait.
  await ask(`${registry.address}/v1/openapi.json`, {}, new Agent());
  const begin = performance.now();
  catalogue.publishAll(moduleId('bench:new'), releases(1), Date.now());
  await Promise.all(polls);
  const took = performance.now() - begin;
  agent.destroy();
  catalogue.close();
  return {
    measured: 'until 1,000 long polls report a publication by another process',
    figure: `${(took / 1000).toFixed(2)} s`,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'modreg-bench-'));
const path = join(folder, 'registry.db');
fill(path);
const bare = await start('bare', path);
const registry = await start('registry', path);
const response = await fetch(`${registry.address}/v1/modules/bench/large`);
await response.arrayBuffer();
const rows = [
  await compare(bare, registry, response.headers.get('etag') ?? ''),
  await compare(bare, registry, undefined),
  await wake(registry, path),
];
for (let at = 1; at < 2000; at++)
  await ask(`${registry.address}/v1/modules/bench/m${at}`, {}, new Agent());
registry.child.stdin.write('\n');
const [heap] = (await once(registry.lines, 'line')) as [string];
rows.push({ measured: 'heap after requests for 2,000 documents', figure: `${heap} MiB` });
printRows(rows);
bare.child.kill();
registry.child.kill();
rmSync(folder, { recursive: true });
