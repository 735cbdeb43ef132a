/*
 * CPU time of rounds with 1,000 modules of 1,000 releases each, including SQLite: `node --expose-gc rounds.ts`;
 * append `<modules> <releases> <rounds>` for other sizes. Profile it with `--cpu-prof`. Prints rows as JSON.
 */
import { setTimeout } from 'node:timers/promises';
import { Poller, type Delivery } from 'modreg/poller';
import { type PollableRegistry, systemClock } from 'modreg/registry';
import { savedListsIn } from 'modreg/store';
import type { ClaimedFile as WholeFile } from '../../src/store/claim.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { machineOf, openSite } from './publishing.ts';
import { median, printRows, type Row } from '../row.ts';

const [, , modules = '1000', releases = '1000', rounds = '15'] = process.argv;
const WARM_UP = 5;
/** The time between rounds when `random` returns 0. */
const INTERVAL_MS = 54_000;
const REST_MS = 500;
const QUIET_MS = 100;

const site = await openSite(Number(modules), Number(releases));
const last = Number(releases) - 1;
const clock = virtualClock(Date.now());
const machine = machineOf(site.file, Number(modules), {
  version: `1.${Math.trunc(last / 100)}.${last % 100}`,
  at: clock.now(),
});

const counts = { readings: 0, waits: 0, changes: 0, plans: 0 };
const cached = site.registry({
  saved: savedListsIn(site.file),
  // Recorded times are virtual; requests take real time.
  clock: { ...systemClock, now: () => clock.now() },
});
const registry: PollableRegistry = {
  ...cached,
  readAll: async (moduleIds, signal) => {
    const readings = await cached.readAll(moduleIds, signal);
    counts.readings++;
    return readings;
  },
  awaitChange: async (moduleIds, waitMs, signal) => {
    counts.waits++;
    const change = await cached.awaitChange(moduleIds, waitMs, signal);
    if (change?.hasChanged === true) counts.changes++;
    return change;
  },
};
const { state } = machine.file as WholeFile;
const file: WholeFile = {
  ...(machine.file as WholeFile),
  state: {
    ...state,
    log: (decisions, round) => {
      state.log(decisions, round);
      counts.plans++;
    },
  },
};
const poller = new Poller({
  ...machine,
  file,
  clock,
  random: () => 0,
  registryFor: () => registry,
  onEvent: (event) => {
    if (event.kind === 'callback-error' || event.kind === 'registry-unavailable')
      console.error(event);
  },
});

const delivered: Delivery[] = [];
async function consume(): Promise<void> {
  for await (const delivery of poller.deliveries()) delivered.push(delivery);
}

/** Waits until `isDone`, and nothing happens for `QUIET_MS`. */
async function quiet(isDone: () => boolean): Promise<void> {
  for (let before = ''; ;) {
    await setTimeout(QUIET_MS);
    const now = JSON.stringify([counts, delivered.length]);
    if (isDone() && before === now) return;
    before = now;
  }
}

/** CPU time of this process for `work`, in milliseconds. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Runs one round that finds no change. */
async function unchanged(): Promise<void> {
  const { waits, plans, readings } = counts;
  await clock.pass(INTERVAL_MS);
  await quiet(() => counts.waits > waits && counts.plans > plans && counts.readings > readings);
}

async function changed(at: number): Promise<void> {
  const { waits, changes } = counts;
  site.publish(`bench:m${at}`, '1.999.0');
  while (counts.changes === changes) await setTimeout(1);
  await clock.pass(REST_MS);
  await quiet(() => counts.waits > waits && delivered.length > 0);
}

async function acknowledged(): Promise<void> {
  const { plans } = counts;
  for (const delivery of delivered.splice(0)) await delivery.done();
  await quiet(() => counts.plans > plans);
}

poller.start();
const consuming = consume();
await clock.pass(0);
await quiet(() => counts.waits > 0 && counts.plans > 0);
const times = { unchanged: [] as number[], changed: [] as number[], acknowledged: [] as number[] };
for (let round = 0; round < WARM_UP; round++) await unchanged();
globalThis.gc?.();
for (let round = 0; round < Number(rounds); round++) times.unchanged.push(await cpuOf(unchanged));
for (let round = 0; round < WARM_UP + Number(rounds); round++) {
  const change = await cpuOf(async () => await changed(round));
  const acknowledgement = await cpuOf(acknowledged);
  if (round < WARM_UP) continue;
  times.changed.push(change);
  times.acknowledged.push(acknowledgement);
}
const residentMib = process.memoryUsage.rss() / 2 ** 20;
globalThis.gc?.();
const { heapUsed, external } = process.memoryUsage();
const usedMib = (heapUsed + external) / 2 ** 20;
await poller.stop();
await consuming;
site.close();

const size = `${Number(modules).toLocaleString('en')} modules with ${Number(releases).toLocaleString('en')} releases each`;

function row(what: string, ms: readonly number[], limit?: number): Row {
  return {
    measured: `${what}, ${size}`,
    figure: `median ${median(ms).toFixed(0)} ms of CPU, max ${Math.max(...ms).toFixed(0)} ms`,
    ...(limit === undefined ? {} : { target: `< ${limit} ms`, isMet: median(ms) < limit }),
  };
}
printRows([
  row('a round without changes', times.unchanged, 50),
  row('a round in which one module changed, with its delivery', times.changed, 100),
  row('an acknowledgement and the plan after it', times.acknowledged),
  {
    measured: `memory, ${size}`,
    figure: `${residentMib.toFixed(0)} MiB resident, ${usedMib.toFixed(0)} MiB of them in use`,
  },
]);
