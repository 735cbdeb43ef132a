/*
 * Heap over many rounds on a virtual clock, of which a fifth fails: `node --expose-gc many-rounds.ts <rounds>`. Prints
 * rows as JSON, and intermediate heap sizes to stderr.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModuleId, ReleaseRecord } from 'modreg';
import { Poller, type Delivery } from 'modreg/poller';
import { type PollableRegistry, RegistryError, type ListResult } from 'modreg/registry';
import { openForPoller } from 'modreg/store';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { heapInUse, machineOf } from './publishing.ts';
import { printRows } from '../row.ts';

const [, , rounds = '100000'] = process.argv;
const MODULES = 30;
const STEP = Math.min(10_000, Number(rounds) / 10);
const FLAT_MIB = 5;
const INTERVAL_MS = 60_000;
/** The share of rounds that fail, and of those that find a new release. */
const FAULTS = 0.2;
const RELEASES = 0.05;
/** Releases kept per module; older ones are removed. */
const MOST_RELEASES = 50;
const KINDS = ['registry-unreachable', 'registry-timeout', 'not-a-registry', 'stale'] as const;

/** Numbers from 0 to 1, the same in each run. */
let seed = 1;
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}

const clock = virtualClock();
const lists = new Map<ModuleId, readonly ReleaseRecord[]>();
const counts = { rounds: 0, faults: 0, releases: 0, delivered: 0, unacknowledged: 0 };

function publish(moduleId: ModuleId): void {
  counts.releases++;
  const release = { version: `1.${counts.releases}.0`, publishedAt: clock.now() };
  lists.set(moduleId, [...(lists.get(moduleId) ?? []), release].slice(-MOST_RELEASES));
}

function readingOf(moduleId: ModuleId, fault: (typeof KINDS)[number] | undefined): ListResult {
  const list = {
    records: lists.get(moduleId) ?? [],
    dropped: [],
    from: 'https://modules.example',
    fetchedAt: clock.now() - INTERVAL_MS,
  };
  if (fault === undefined) return { ok: true, value: { ...list, source: 'network' } };
  const kind = fault === 'stale' ? 'registry-unreachable' : fault;
  const error = new RegistryError(kind, `round ${counts.rounds} fails`);
  if (fault !== 'stale') return { ok: false, error };
  return { ok: true, value: { ...list, source: 'saved', stale: error } };
}

const registry: PollableRegistry = {
  read: () => Promise.reject(new Error('lists are read in rounds')),
  readAll: async (moduleIds) => {
    counts.rounds++;
    const isFault = random() < FAULTS;
    if (isFault) counts.faults++;
    const fault = isFault ? KINDS[Math.trunc(random() * KINDS.length)] : undefined;
    for (const moduleId of moduleIds) {
      if (!lists.has(moduleId)) publish(moduleId);
    }
    const lucky = moduleIds[Math.trunc((random() / RELEASES) * moduleIds.length)];
    if (lucky !== undefined) publish(lucky);
    return await Promise.resolve(new Map(moduleIds.map((id) => [id, readingOf(id, fault)])));
  },
};

async function consume(deliveries: AsyncIterable<Delivery>): Promise<void> {
  for await (const delivery of deliveries) {
    counts.delivered++;
    const { from } = delivery.action;
    const chance = random();
    if (chance < 0.7) await delivery.done();
    else if (chance < 0.8) {
      await delivery.failed({ blame: 'machine', reason: 'no space', running: from });
    } else if (chance < 0.9) {
      await delivery.failed({ blame: 'release', reason: 'it crashed', running: from });
    } else counts.unacknowledged++;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'modreg-bench-'));
const file = openForPoller(join(folder, 'machine.db'));
const poller = new Poller({
  ...machineOf(file, MODULES, { version: '1.0.0', at: clock.now() }),
  clock,
  random,
  registryFor: () => registry,
  onEvent: (event) => {
    if (event.kind === 'callback-error' || event.kind === 'state-unavailable') throw event.error;
  },
});
poller.start();
const consuming = consume(poller.deliveries());
const heaps: number[] = [];
const begin = performance.now();
while (counts.rounds < Number(rounds)) {
  await clock.pass(INTERVAL_MS);
  if (counts.rounds < (heaps.length + 1) * STEP) continue;
  heaps.push(heapInUse());
  console.error(`${counts.rounds} rounds: ${heaps.at(-1)?.toFixed(2)} MiB`);
}
const seconds = (performance.now() - begin) / 1000;
await poller.stop();
await consuming;
file.close();
rmSync(folder, { recursive: true });

const [first = 0] = heaps;
const growth = (heaps.at(-1) ?? 0) - first;
console.error(JSON.stringify({ ...counts, seconds }));
printRows([
  {
    measured: 'heap over many rounds, a fifth of which fail',
    figure: `${first.toFixed(1)} MiB at first, ${(first + growth).toFixed(1)} MiB after ${counts.rounds.toLocaleString('en')} rounds, max ${Math.max(...heaps).toFixed(1)} MiB`,
    target: `growth < ${FLAT_MIB} MiB`,
    isMet: growth < FLAT_MIB,
  },
]);
