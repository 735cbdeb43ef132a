/*
 * CPU time and heap of a poller with 30 modules while nothing changes: `node --expose-gc idle.ts <minutes>`.
 * Prints rows as JSON.
 */
import { setTimeout } from 'node:timers/promises';
import { Poller } from 'modreg/poller';
import { savedListsIn } from 'modreg/store';
import { heapInUse, machineOf, openSite } from './publishing.ts';
import { printRows } from '../row.ts';

const [, , minutes = '2'] = process.argv;
const MODULES = 30;
const RELEASES = 50;
/** Enough to load all code and read every list once. */
const WARM_UP_MS = 5000;
const MINUTE = 60_000;
const CORE_PERCENT = 1;
const HEAP_MIB = 25;
const FLAT_MIB = 1;

const site = await openSite(MODULES, RELEASES);
const machine = machineOf(site.file, MODULES, { version: '1.0.49', at: Date.now() });
const registry = site.registry({ saved: savedListsIn(site.file) });
const poller = new Poller({ ...machine, random: () => 0, registryFor: () => registry });
poller.start();
const deliveries = poller.deliveries();
const next = deliveries.next();
await setTimeout(WARM_UP_MS);

const heapBefore = heapInUse();
const before = process.cpuUsage();
const begin = performance.now();
await setTimeout(Number(minutes) * MINUTE);
const { user, system } = process.cpuUsage(before);
const percent = ((user + system) / 1000 / (performance.now() - begin)) * 100;
const heapAfter = heapInUse();
await poller.stop();
if ((await next).done !== true) throw new Error('an action was delivered, expected none');
site.close();

printRows([
  {
    measured: `CPU time of ${MODULES} modules without changes`,
    figure: `${percent.toFixed(2)} % of a core`,
    target: `< ${CORE_PERCENT} %`,
    isMet: percent < CORE_PERCENT,
  },
  {
    measured: `heap of ${MODULES} modules without changes`,
    figure: `${heapBefore.toFixed(1)} MiB at first, ${heapAfter.toFixed(1)} MiB after ${minutes} min`,
    target: `< ${HEAP_MIB} MiB, growth < ${FLAT_MIB} MiB`,
    isMet: heapAfter < HEAP_MIB && heapAfter - heapBefore < FLAT_MIB,
  },
]);
