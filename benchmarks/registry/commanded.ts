/* 10,000 machines wait at one server, each with one long poll: the memory they take, and how soon all know of a command to their group. Prints rows as JSON. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Catalogue } from 'modreg/server';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { waitAt } from '../../test/cluster/nodes/waiting.ts';
import { machineReport, reportedState } from '../../test/support/machine-report.ts';
import { median, printRows } from '../row.ts';

const MODREG = join(import.meta.dirname, '../../bin/modreg.mjs');
const MACHINES = 10_000;
const AT_ONCE = 500;
const RUNS = 3;
/** A tick of /proc. */
const TICK_MS = 10;
/** The server has collected what the requests left. */
const SETTLED_MS = 20_000;
const MOST_MIB = 350;
const MOST_MS = 2000;
const GROUP = 'all';

interface Tokens {
  readonly own: readonly string[];
  readonly operator: string;
}

/** Machines of one group, each with its token, and a token that commands them. */
async function writeMachines(path: string): Promise<Tokens> {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const fleet = new FleetFile(fleetPath(path), () => Date.now());
  const tokenFor = (name: string, scope: string): string => {
    const created = catalogue.createToken({ name, scopes: [scope] }, Date.now());
    if (!created.ok) throw new Error(created.error);
    return created.value.token;
  };
  const own: string[] = [];
  for (let first = 0; first < MACHINES; first += AT_ONCE) {
    const ids = Array.from({ length: AT_ONCE }, (_none, place) => `m${first + place}`);
    await Promise.all(
      ids.map(async (id) => {
        const state = { ...reportedState(1, {}), group: GROUP };
        await fleet.report(id, machineReport([], { queue: `queue-of-${id}`, state }));
      }),
    );
    own.push(...ids.map((id) => tokenFor(id, `machine:${id}`)));
  }
  const operator = tokenFor('operator', 'commands');
  fleet.close();
  catalogue.close();
  return { own, operator };
}

interface Measured {
  readonly idleMib: number;
  readonly waitingMib: number;
  readonly lastMs: number;
  readonly cpuMs: number;
}

/** A server of its own, whose machines have taken this many commands. */
async function measured(path: string, tokens: Tokens, taken: number): Promise<Measured> {
  const server = spawn(
    process.execPath,
    [MODREG, 'registry', 'serve', '--json', '--db', path, '--port', '0'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  try {
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
    const { address } = JSON.parse(line) as { address: string };
    await sleep(SETTLED_MS);
    const idleMib = residentMib(server.pid);
    await askForCommands(address, tokens.own);
    const query = `config=&commands=${taken}`;
    const machines = await waitAt(address, {
      count: MACHINES,
      sequence: 0,
      query,
      tokens: tokens.own,
    });
    await sleep(SETTLED_MS);
    const waitingMib = residentMib(server.pid);
    const [began, before] = [performance.now(), cpuMs(server.pid)];
    await command(address, tokens.operator, taken);
    const lastMs = Math.max(...(await machines.notified)) - began;
    machines.close();
    return { idleMib, waitingMib, lastMs, cpuMs: cpuMs(server.pid) - before };
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}

/** Only a machine that has asked for commands is given one. */
async function askForCommands(address: string, own: readonly string[]): Promise<void> {
  for (let first = 0; first < MACHINES; first += AT_ONCE) {
    await Promise.all(
      own.slice(first, first + AT_ONCE).map(async (token, place) => {
        const url = `${address}/v1/machines/m${first + place}/commands?nonce=${'0'.repeat(22)}`;
        const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
        if (!response.ok) throw new Error(`a machine was answered with ${response.status}`);
        await response.arrayBuffer();
      }),
    );
  }
}

async function command(address: string, token: string, number: number): Promise<void> {
  const key = `command-${number}`.padEnd(22, '0');
  const response = await fetch(`${address}/v1/groups/${GROUP}/commands`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'hold', for: '12h', key, reason: 'trade fair' }),
  });
  if (!response.ok) throw new Error(`the command was answered with ${response.status}`);
  await response.arrayBuffer();
}

function residentMib(pid = 0): number {
  const [, kb] = /^Rss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}

function cpuMs(pid = 0): number {
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = after.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const folder = mkdtempSync(join(tmpdir(), 'modreg-commanded-'));
const path = join(folder, 'registry.db');
const tokens = await writeMachines(path);
const runs: Measured[] = [];
for (let taken = 0; taken < RUNS; taken++) runs.push(await measured(path, tokens, taken));
rmSync(folder, { recursive: true });
const of = (what: (run: Measured) => number): number => median(runs.map(what));
const idle = of(({ idleMib }) => idleMib);
const added = of(({ waitingMib, idleMib }) => waitingMib - idleMib);
const last = of(({ lastMs }) => lastMs);
const cpu = of((run) => run.cpuMs);
printRows([
  {
    measured:
      'memory for 10,000 machines that wait for documents and commands with one long poll each',
    figure: `${added.toFixed(0)} MiB above the ${idle.toFixed(0)} MiB of an idle server`,
    target: `≤ ${MOST_MIB} MiB`,
    isMet: added <= MOST_MIB,
  },
  {
    measured: 'from a command to all 10,000 until the last one knows it',
    figure: `median ${last.toFixed(0)} ms, ${cpu.toFixed(0)} ms of CPU`,
    target: `≤ ${MOST_MS} ms`,
    isMet: last <= MOST_MS,
  },
]);
