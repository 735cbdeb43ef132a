/* How many log records a server takes from machines in a second, and how long it searches the text of a million. Prints rows as JSON. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Catalogue } from 'modreg/server';
import { systemClock } from '../../src/registry/clock.ts';
import { readLogs } from '../../src/server/logs/received-records.ts';
import { logsPath, RegistryLogs } from '../../src/server/logs/registry-logs.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { exported, line } from '../../test/support/otlp-logs.ts';
import { median, printRows, rounded } from '../row.ts';
import { start, type Running } from './process.ts';

/** As many as an agent sends at once. */
const BATCH = 512;
const MACHINES = 8;
const SENT = 120;
const LEAST_RATE = 5000;
const STORED = 1_000_000;
const SEARCHES = 20;
const LONGEST_MS = 1000;
const GIB = 2 ** 30;

/** A request with lines that no other request has. */
function bodyOf(request: number): string {
  const lines = Array.from({ length: BATCH }, (_none, place) =>
    line(`${request} ${place} scan of the hall took ${place % 90} ms, and no echo is missing`),
  );
  return exported(lines, `m${request % MACHINES}`);
}

/** The records that a server takes in a second, from machines that each send one request after another. */
async function rateOf(path: string): Promise<number> {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const tokens = Array.from({ length: MACHINES }, (_none, place) => {
    const wanted = { name: `m${place}`, scopes: [`machine:m${place}`] };
    const created = catalogue.createToken(wanted, Date.now());
    if (!created.ok) throw new Error(created.error);
    return created.value.token;
  });
  catalogue.close();
  const bodies = Array.from({ length: SENT }, (_none, request) => bodyOf(request));
  const { child, address } = await start('registry', path);
  const began = performance.now();
  await Promise.all(
    tokens.map(async (token, place) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      for (let at = place; at < bodies.length; at += MACHINES) {
        const init = { method: 'POST', headers, body: bodies[at] ?? '' };
        const answer = await fetch(`${address}/v1/logs`, init);
        const text = await answer.text();
        if (answer.status !== 200) throw new Error(`got ${answer.status}: ${text}`);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  child.kill('SIGKILL');
  return (SENT * BATCH) / seconds;
}

/** Stores a million records as the server does. */
async function fill(path: string): Promise<void> {
  const limits = { ...SERVER_LIMITS, logs: 4 * GIB, logsOfMachine: 4 * GIB };
  const logs = new RegistryLogs(logsPath(path), { clock: systemClock, limits });
  for (let request = 0; request * BATCH < STORED; request++) {
    const text = bodyOf(SENT + request);
    const read = readLogs(JSON.parse(text));
    if (!read.ok) throw new Error(read.error);
    const { records } = read.value;
    await logs.take({ machine: `m${request % MACHINES}`, records }, text.length);
  }
  logs.close();
  const file = new DatabaseSync(logsPath(path));
  const { count } = Object(file.prepare('SELECT count(*) AS count FROM records').get());
  file.close();
  if (Number(count) < STORED) throw new Error(`${count} records are stored`);
}

/** For how long the thread of the server had a processor, and waited for one, in milliseconds. */
function processorMs({ child }: Running): readonly [number, number] {
  const [ran, waited] = readFileSync(`/proc/${child.pid}/schedstat`, 'utf8').split(' ');
  return [Number(ran) / 1e6, Number(waited) / 1e6];
}

interface Searches {
  readonly times: readonly number[];
  /** For how long the server had a processor in each, and waited for one that others had. */
  readonly ran: readonly number[];
  readonly waited: readonly number[];
}

/** Searches for a text that no record has: each of them is looked at. */
async function searchesOf(path: string): Promise<Searches> {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const created = catalogue.createToken({ name: 'reader', scopes: ['logs:read'] }, Date.now());
  if (!created.ok) throw new Error(created.error);
  catalogue.close();
  const server = await start('registry', path);
  const headers = { authorization: `Bearer ${created.value.token}` };
  const [times, ran, waited]: [number[], number[], number[]] = [[], [], []];
  for (let search = 0; search < SEARCHES; search++) {
    const before = processorMs(server);
    const began = performance.now();
    const answer = await fetch(`${server.address}/v1/fleet/logs?text=absent-${search}`, {
      headers,
    });
    const text = await answer.text();
    if (!text.startsWith('{"lines":[]')) throw new Error(text.slice(0, 200));
    times.push(performance.now() - began);
    const after = processorMs(server);
    ran.push(after[0] - before[0]);
    waited.push(after[1] - before[1]);
  }
  server.child.kill('SIGKILL');
  return { times, ran, waited };
}

const folder = mkdtempSync(join(tmpdir(), 'modreg-logs-'));
const rate = await rateOf(join(folder, 'rate.db'));
const filled = join(folder, 'filled.db');
await fill(filled);
const { times, ran, waited } = await searchesOf(filled);
rmSync(folder, { recursive: true });

const ms = (value: number): string => `${rounded(value).toLocaleString('en')} ms`;
/** The median and the worst. */
const bothOf = (values: readonly number[]): string =>
  `${ms(median(values))}, at most ${ms(Math.max(...values))}`;
printRows([
  {
    measured: 'log records that a registry takes from 8 machines in a second, over HTTP',
    figure: Math.round(rate).toLocaleString('en'),
    target: '≥ 5,000',
    isMet: rate >= LEAST_RATE,
  },
  {
    measured: 'search of the text of 1,000,000 log records, over HTTP',
    figure: bothOf(times),
    target: '< 1 s',
    isMet: Math.max(...times) < LONGEST_MS,
  },
  {
    measured: 'how long it has a processor, and waits for one that other programs have',
    figure: `${bothOf(ran)}; ${bothOf(waited)}`,
  },
]);
