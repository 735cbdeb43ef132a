/* What 100,000 machines with 8 modules report: taking reports, counts, and what-if over HTTP on loopback. Prints rows as JSON. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { indexReleases, secret, type Platform } from 'modreg';
import { systemClock } from 'modreg/registry';
import { Catalogue, serveRegistry } from 'modreg/server';
import { effectsOf } from '../../src/site/what-if.ts';
import { fleetClient } from '../../src/registry/fleet-client.ts';
import type { MachineReport, ReportedModule } from '../../src/registry/machine-report.ts';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { fleetCounts } from '../../src/server/fleet/fleet-queries.ts';
import { lidarReport } from '../../test/support/reported-facts.ts';
import { uninterrupted } from '../../src/server/fleet/slices.ts';
import { firstStepInSlices } from '../../src/server/rollout/first-step.ts';
import { rolloutView } from '../../src/server/rollout/rollout-view.ts';
import { median, printRows, rounded } from '../row.ts';
import { moduleId } from '../parsed.ts';

const MACHINES = 100_000;
const MODULES = 8;
/** So many reports arrive while the ones before are written. */
const AT_ONCE = 500;
const RUNS = 9;
/** Reports of so many machines. */
const OVER_HTTP = 20_000;
const HTTP_MACHINES = 1000;
const CONNECTIONS = 256;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const LEAST_REPORTS = 5000;
const MOST_CPU_MS = 0.2;
const MOST_COUNTS_MS = 100;
const MOST_WHAT_IF_MS = 1000;
const MOST_BLOCK_MS = 50;

const CONSTRAINTS = ['1.*', '1.2.*', 'latest', '1.2.9'];
const kinds = new Map<string, ReportedModule>();

/** The module `place` of a machine: one of 4 constraints, 24 windows, 5 deployed versions and 2 platforms, in any combination. */
function moduleOf(machine: number, place: number, deployedBy: number): ReportedModule {
  const constraint = CONSTRAINTS[machine % CONSTRAINTS.length] ?? 'latest';
  const window = `0 ${Math.trunc(machine / 4) % 24} * * *`;
  const deployed = `1.2.${(Math.trunc(machine / 96) + place + deployedBy) % 5}`;
  const platform = platformOf(machine);
  const key = [constraint, window, deployed, platform].join(' ');
  const kind = kinds.get(key) ?? lidarReport({ constraint, window, deployed, platform }, NOW);
  kinds.set(key, kind);
  return { ...kind, name: `acme_m${place}`, module_id: `acme:m${place}` };
}

function platformOf(machine: number): Platform {
  return Math.trunc(machine / 480) % 2 === 0 ? 'linux/amd64' : 'linux/arm64';
}

/** Report `number` of a machine: since the one before, its first module has changed. */
function reportOf(machine: number, number: number): MachineReport {
  const modules = Array.from({ length: MODULES }, (_none, place) =>
    moduleOf(machine, place, place === 0 ? number : 0),
  );
  const at = '2026-11-21T12:00:00Z';
  const platform = platformOf(machine);
  const action = { action: `m${machine}-${number}`, kind: 'module', name: 'acme_m0' } as const;
  const change = { direction: 'upgrade', from: '1.2.0', to: '1.2.1', result: 'done' } as const;
  return {
    queue: `queue-of-${machine}`,
    instance: `process-of-${machine}`,
    after: number - 1,
    to: number,
    state: { number, at, modreg: '0.2.0', platform, modules },
    outcomes: [{ number, at, ...action, module_id: 'acme:m0', ...change, reason: null }],
  };
}

/** Reports per second. */
async function taken(fleet: FleetFile, number: number): Promise<number> {
  let ms = 0;
  for (let first = 0; first < MACHINES; first += AT_ONCE) {
    const reports = Array.from({ length: AT_ONCE }, (_none, place) =>
      reportOf(first + place, number),
    );
    const began = performance.now();
    await Promise.all(
      reports.map(async (report, place) => await fleet.report(`m${first + place}`, report)),
    );
    ms += performance.now() - began;
  }
  return MACHINES / (ms / 1000);
}

/** A rollout of which most machines are a part, at half of its way. */
const ROLLOUT = {
  moduleId: moduleId('acme:m0'),
  version: '1.2.4',
  platforms: undefined,
  yanked: undefined,
  soakMs: 3_600_000,
  rollout: {
    status: 'running',
    sequence: 5,
    salt: 'salt',
    percent: 20,
    share: 0.2,
    first: [],
    groups: [],
    startedAt: NOW,
    steps: [{ at: NOW, share: 0.2, groups: [] }],
    soakingSince: NOW,
    because: undefined,
    seen: { failed: 0, silent: 0 },
    acknowledged: { failed: 0, silent: 0 },
  },
} as const;

/** The longest time, in CPU time, for which nothing else runs during some work: the median of some runs, in milliseconds. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const blocks: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    let isOver = false;
    let longest = 0;
    let before = cpuMs();
    const note = (): void => {
      const now = cpuMs();
      longest = Math.max(longest, now - before);
      before = now;
      if (!isOver) setImmediate(note);
    };
    setImmediate(note);
    await work();
    isOver = true;
    blocks.push(Math.max(longest, cpuMs() - before));
  }
  return median(blocks);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Sends reports from another thread over 256 connections, of which each has some machines, so that their reports stay in order.
 * Returns how many were taken per second, and the CPU time of the server's thread for each, in milliseconds.
 */
async function takenOverHttp(
  address: string,
  tokens: readonly string[],
): Promise<{ readonly perSecond: number; readonly cpu: number }> {
  const requests = Array.from({ length: OVER_HTTP }, (_none, place) => {
    const machine = place % tokens.length;
    const body = JSON.stringify(reportOf(machine, 3 + Math.trunc(place / tokens.length)));
    const lines = [
      `POST /v1/machines/m${machine}/reports HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${tokens[machine]}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    return { connection: machine % CONNECTIONS, text: [...lines, '', body].join('\r\n') };
  });
  const byConnection = [...Map.groupBy(requests, ({ connection }) => connection).values()];
  const queues = byConnection.map((queue) => queue.map(({ text }) => text));
  const workerData = { port: Number(new URL(address).port), queues };
  const worker = new Worker(SENDER, { eval: true, workerData });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  worker.once('error', reject);
  await once(worker, 'message');
  const before = cpuMs();
  worker.once('message', resolve);
  const ms = await promise;
  return { perSecond: OVER_HTTP / (ms / 1000), cpu: (cpuMs() - before) / OVER_HTTP };
}

/** Sockets and finished requests, because a client of Node needs as much time as the server. */
const SENDER = `
const { connect } = require('node:net');
const { parentPort, workerData: { port, queues } } = require('node:worker_threads');
function sendAll(queue) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let next = 0;
    let answer = '';
    const send = () => next < queue.length ? socket.write(queue[next++]) : resolve(socket.destroy());
    socket.setNoDelay(true).once('connect', send).once('error', reject);
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
      if (!answer.endsWith('}')) return;
      if (!answer.startsWith('HTTP/1.1 200 ')) reject(new Error('got ' + answer));
      answer = '';
      send();
    });
  });
}
parentPort.postMessage('begins');
const began = performance.now();
Promise.all(queues.map(sendAll)).then(() => parentPort.postMessage(performance.now() - began));
`;

function tokenFor(catalogue: Catalogue, name: string, scope: string): string {
  const token = catalogue.createToken({ name, scopes: [scope] }, NOW);
  if (!token.ok) throw new Error(token.error);
  return token.value.token;
}

const folder = mkdtempSync(join(tmpdir(), 'modreg-fleet-'));
const path = join(folder, 'registry.db');
const catalogue = new Catalogue(path, { mode: 'create' });
const fleet = new FleetFile(fleetPath(path), () => Date.now());
const firstRate = await taken(fleet, 1);
const nextRate = await taken(fleet, 2);
const counts = Array.from({ length: RUNS }, () => {
  const began = performance.now();
  fleet.read((sql) => uninterrupted(fleetCounts(sql, Date.now(), new Map())));
  return performance.now() - began;
});
const countsBlock = await longestBlock(
  async () => await fleet.readInSlices((sql) => fleetCounts(sql, Date.now(), new Map())),
);
const rolloutBlock = await longestBlock(
  async () =>
    await fleet.readInSlices(function* (sql) {
      const view = yield* rolloutView(sql, ROLLOUT, Date.now());
      return view.shareAt(50);
    }),
);
const firstStep = firstStepInSlices(fleet);
const startBlock = await longestBlock(
  async () => await firstStep(ROLLOUT.moduleId, ROLLOUT, Date.now()),
);
fleet.close();

const registry = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 });
const tokens = Array.from({ length: HTTP_MACHINES }, (_none, place) =>
  tokenFor(catalogue, `m${place}`, `machine:m${place}`),
);
const overHttp = await takenOverHttp(registry.address, tokens);
const reader = secret(tokenFor(catalogue, 'reader', 'fleet:read'));
const url = { kind: 'modreg', url: new URL(registry.address) } as const;
const client = fleetClient(url, 'read reports of', { clock: systemClock, token: () => reader });
if (!client.ok) throw client.error;
const whatIf: number[] = [];
let groups = 0;
for (let run = 0; run < RUNS; run++) {
  const began = performance.now();
  const states = await client.value.states(moduleId('acme:m0'));
  const index = indexReleases([{ version: '1.2.9' }, { version: '1.4.0' }]);
  const asked = { index, version: '1.4.0', now: NOW, isStaged: false };
  const effects = uninterrupted(effectsOf(states, asked, systemClock));
  whatIf.push(performance.now() - began);
  groups = effects.length;
}
await registry.close();
catalogue.close();
rmSync(folder, { recursive: true });

printRows([
  ...(
    [
      ['first reports of 100,000 machines with 8 modules, per second', firstRate],
      ['reports with another state of one module and an outcome, per second', nextRate],
      ['the same over HTTP on loopback, with 256 connections, per second', overHttp.perSecond],
    ] as const
  ).map(([measured, perSecond]) => ({
    measured,
    figure: rounded(perSecond).toLocaleString('en'),
    target: '≥ 5,000',
    isMet: perSecond >= LEAST_REPORTS,
  })),
  {
    measured: 'CPU time of the server for a report over HTTP',
    figure: `${overHttp.cpu.toFixed(2)} ms`,
    target: '≤ 0.2 ms',
    isMet: overHttp.cpu <= MOST_CPU_MS,
  },
  {
    measured: 'all counts, median',
    figure: `${median(counts).toFixed(0)} ms`,
    target: '< 100 ms',
    isMet: median(counts) < MOST_COUNTS_MS,
  },
  ...(
    [
      ['longest block of the server during all counts, median, CPU time', countsBlock],
      ['longest block of the server during the tally of a rollout, median, CPU time', rolloutBlock],
      ['longest block of the server when a rollout begins, median, CPU time', startBlock],
    ] as const
  ).map(([measured, ms]) => ({
    measured,
    figure: `${ms.toFixed(0)} ms`,
    target: '< 50 ms',
    isMet: ms < MOST_BLOCK_MS,
  })),
  {
    measured: 'what-if of a module over HTTP, median',
    figure: `${median(whatIf).toFixed(0)} ms for ${groups} different states`,
    target: '< 1,000 ms',
    isMet: median(whatIf) < MOST_WHAT_IF_MS,
  },
]);
