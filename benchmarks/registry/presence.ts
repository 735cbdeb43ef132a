/* What it costs a server to know which of 10,000 waiting machines are there: its CPU time with their tokens, and without. Prints rows as JSON. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Catalogue } from 'modreg/server';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { machineReport, reportedState } from '../../test/support/machine-report.ts';
import { printRows } from '../row.ts';
import { start, type Running } from './process.ts';

const MACHINES = 10_000;
const AT_ONCE = 500;
/** A machine waits for so long for a change, and then asks again. */
const WAIT_S = 30;
/** A contact is written once in a minute, so that each machine has one in so long: the first one. */
const MEASURED_MS = 59_000;
const ROUNDS = 2;
/** A tick of /proc. */
const TICK_MS = 10;
const MOST_PERCENT = 3;

/** Machines that have reported, each with its token. */
async function writeMachines(path: string): Promise<string[]> {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const fleet = new FleetFile(fleetPath(path), () => Date.now());
  const tokens: string[] = [];
  for (let first = 0; first < MACHINES; first += AT_ONCE) {
    const ids = Array.from({ length: AT_ONCE }, (_none, place) => `m${first + place}`);
    await Promise.all(
      ids.map(async (id) => {
        const state = { ...reportedState(1, {}), every_ms: 1000 * WAIT_S };
        await fleet.report(id, machineReport([], { queue: `queue-of-${id}`, state }));
      }),
    );
    for (const name of ids) {
      const created = catalogue.createToken({ name, scopes: [`machine:${name}`] }, Date.now());
      if (!created.ok) throw new Error(created.error);
      tokens.push(created.value.token);
    }
  }
  fleet.close();
  catalogue.close();
  return tokens;
}

/** A machine that asks again and again. Resolves once it has asked. */
async function machineAt(port: number, authorization: string): Promise<Socket> {
  const asked = Promise.withResolvers<void>();
  const socket = createConnection({ host: '127.0.0.1', port });
  const lines = [
    `GET /v1/changes?after=0&wait=${WAIT_S} HTTP/1.1`,
    'host: 127.0.0.1',
    ...(authorization === '' ? [] : [`authorization: ${authorization}`]),
  ];
  const ask = (): void => void socket.write(`${lines.join('\r\n')}\r\n\r\n`, () => asked.resolve());
  socket.once('connect', ask).on('error', asked.reject);
  socket.on('data', (bytes) => {
    if (!bytes.subarray(0, 15).equals(OK)) throw new Error(bytes.toString('latin1'));
    ask();
  });
  await asked.promise;
  return socket;
}

const OK = Buffer.from('HTTP/1.1 200 OK');

function cpuMs({ child }: Running): number {
  const [, after = ''] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ');
  const fields = after.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** The CPU time of a server in the minute in which 10,000 machines connect and wait, in milliseconds. */
async function cpuWhile(path: string, authorizations: readonly string[]): Promise<number> {
  const server = await start('registry', path);
  const port = Number(new URL(server.address).port);
  const sockets: Socket[] = [];
  const before = cpuMs(server);
  const over = setTimeout(MEASURED_MS);
  for (let first = 0; first < MACHINES; first += AT_ONCE) {
    const next = authorizations.slice(first, first + AT_ONCE);
    sockets.push(...(await Promise.all(next.map(async (one) => await machineAt(port, one)))));
  }
  await over;
  const spent = cpuMs(server) - before;
  for (const socket of sockets) socket.destroy();
  server.child.kill('SIGKILL');
  return spent;
}

const folder = mkdtempSync(join(tmpdir(), 'modreg-presence-'));
const path = join(folder, 'registry.db');
const tokens = await writeMachines(path);
const [off, on]: [number[], number[]] = [[], []];
for (let round = 0; round < ROUNDS; round++) {
  off.push(
    await cpuWhile(
      path,
      tokens.map(() => ''),
    ),
  );
  on.push(
    await cpuWhile(
      path,
      tokens.map((token) => `Bearer ${token}`),
    ),
  );
}
rmSync(folder, { recursive: true });

const percentOf = (ms: number): number => (100 * ms) / MEASURED_MS;
const [without, withTokens] = [Math.min(...off), Math.min(...on)];
const added = withTokens - without;
const each = (1000 * added) / MACHINES;
printRows([
  {
    measured: 'CPU of a server in the minute in which 10,000 machines connect, and wait',
    figure: `${percentOf(withTokens).toFixed(1)} % of a core`,
  },
  {
    measured: 'what it takes of that to note which machines are there',
    figure: `${percentOf(added).toFixed(1)} % of a core: ${each.toFixed(0)} µs for each`,
    target: '≤ 3 % of a core',
    isMet: percentOf(added) <= MOST_PERCENT,
  },
]);
