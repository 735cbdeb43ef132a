/* The memory of the embedded registry under attacks, and how long another client waits. Prints rows as JSON. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Catalogue } from '../../src/server/catalogue/catalogue.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import { connections, latency, memory, waitOf } from './attacked.ts';
import { ask, releases, start, type Running } from './process.ts';
import { printRows, type Row } from '../row.ts';
import { moduleId } from '../parsed.ts';

const RELEASES = 10_000;
const ATTACKERS = 500;
const IDLE = 10_000;
const SMALL = '/v1/modules/bench/small';
const LIST = 'GET /v1/modules/bench/large HTTP/1.1\r\nHost: x\r\n\r\n';
const POLL = 'GET /v1/changes?after=10001&wait=60 HTTP/1.1\r\nHost: x\r\n\r\n';

async function collectGarbage({ child, lines }: Running): Promise<void> {
  child.stdin.write('\n');
  await once(lines, 'line');
}

async function attack(path: string, requests: number): Promise<Row> {
  const registry = await start('registry', path);
  await ask(`${registry.address}/v1/modules/bench/large`, {}, new Agent());
  await latency(registry, SMALL);
  const before = memory(registry, 'VmRSS');
  const sockets = await connections(registry, ATTACKERS, LIST.repeat(requests));
  const ms = await latency(registry, SMALL);
  const more = memory(registry, 'VmHWM') - before;
  for (const socket of sockets) socket.destroy();
  registry.child.kill();
  return {
    measured: `${ATTACKERS} connections pipeline ${requests} requests for a list of 2.7 MB each and read nothing`,
    figure: `${more.toFixed(0)} MiB more; another client ${waitOf(ms)}`,
    target: 'at most 256 MB, 100 ms',
    isMet: more <= 256 && ms <= 100,
  };
}

/** The memory that IDLE connections take, in MiB: of the registry, or of a bare server. */
async function waiting(kind: string, path: string, text: string): Promise<number> {
  const server = await start(kind, path);
  await latency(server, SMALL);
  await collectGarbage(server);
  const before = memory(server, 'VmRSS');
  const sockets = await connections(server, IDLE, text);
  await latency(server, SMALL);
  await collectGarbage(server);
  const more = memory(server, 'VmRSS') - before;
  for (const socket of sockets) socket.destroy();
  server.child.kill();
  return more;
}

async function idle(path: string): Promise<Row[]> {
  const bare = await waiting('bare', path, '');
  const silent = await waiting('registry', path, '');
  const polls = await waiting('registry', path, POLL);
  const many = IDLE.toLocaleString('en');
  return [
    {
      measured: `${many} connections that send nothing`,
      figure: `${silent.toFixed(0)} MiB more`,
      peer: `${bare.toFixed(0)} MiB: bare node:http`,
      target: 'at most 100 MB',
      isMet: silent <= 100,
    },
    { measured: `${many} long polls`, figure: `${polls.toFixed(0)} MiB more` },
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'modreg-bench-'));
const path = join(folder, 'registry.db');
const catalogue = new Catalogue(path, { mode: 'create' });
catalogue.publishAll(moduleId('bench:large'), releases(RELEASES), 0);
catalogue.publishAll(moduleId('bench:small'), releases(1), 0);
catalogue.close();
printRows([
  await attack(path, 400),
  await attack(path, SERVER_LIMITS.requestsPerSocket),
  ...(await idle(path)),
]);
rmSync(folder, { recursive: true });
