/*
 * The pipelining attack of attacks.ts on the embedded registry, a bare node:http server and registries of
 * others. Prints rows as JSON. A server that takes more than 4 GiB is ended.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Catalogue } from '../../src/server/catalogue/catalogue.ts';
import { connections, latency, memory, waitOf } from './attacked.ts';
import { startDockerRegistry, startVerdaccio, type PeerServer } from './peer-servers.ts';
import { ask, releases, start } from './process.ts';
import { printRows, type Row } from '../row.ts';
import { moduleId } from '../parsed.ts';

const ATTACKERS = 500;
const REQUESTS = 400;
const MOST_MIB = 4096;
const WATCH_MS = 50;
/** How long the attack continues after the requests of other clients. */
const ATTACK_MS = 5000;

async function attacked(server: PeerServer): Promise<Row> {
  await ask(`${server.address}${server.large}`, {}, new Agent());
  await latency(server, server.small);
  const before = memory(server, 'VmRSS');
  let peak = before;
  const watch = setInterval(() => {
    if (server.child.exitCode !== null || server.child.signalCode !== null) return;
    const found = memory(server, 'VmHWM');
    // A process that ends has no memory any more.
    if (!Number.isNaN(found)) peak = Math.max(peak, found);
    if (peak - before > MOST_MIB) server.child.kill('SIGKILL');
  }, WATCH_MS);
  const request = `GET ${server.large} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const sockets = await connections(server, ATTACKERS, request.repeat(REQUESTS));
  const ms = await latency(server, server.small);
  await sleep(ATTACK_MS);
  clearInterval(watch);
  for (const socket of sockets) socket.destroy();
  const isEnded = server.child.signalCode !== null;
  server.child.kill('SIGKILL');
  const more = `${isEnded ? 'ended at ' : ''}${(peak - before).toFixed(0)} MiB above idle`;
  return {
    measured: `${server.name}: ${ATTACKERS} connections pipeline ${REQUESTS} requests for 2.7 MB each and read nothing`,
    figure: `${more}; another client ${waitOf(ms)}`,
  };
}

async function own(kind: string, name: string, path: string): Promise<PeerServer> {
  const { child, address } = await start(kind, path);
  const modules = '/v1/modules/bench';
  return { name, child, address, large: `${modules}/large`, small: `${modules}/small` };
}

const folder = mkdtempSync(join(tmpdir(), 'modreg-peers-'));
const path = join(folder, 'registry.db');
const catalogue = new Catalogue(path, { mode: 'create' });
catalogue.publishAll(moduleId('bench:large'), releases(10_000), 0);
catalogue.publishAll(moduleId('bench:small'), releases(1), 0);
catalogue.close();
const places = ['verdaccio', 'docker-registry'].map((name) => join(folder, name));
for (const place of places) mkdirSync(place);
const [verdaccio = '', dockerRegistry = ''] = places;
printRows([
  await attacked(await own('registry', 'modreg', path)),
  await attacked(await own('bare', 'bare node:http', path)),
  await attacked(await startDockerRegistry(dockerRegistry)),
  await attacked(await startVerdaccio(verdaccio)),
]);
rmSync(folder, { recursive: true });
process.exit();
