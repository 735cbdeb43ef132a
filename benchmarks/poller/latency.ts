/* The time from publication to delivery, over loopback with a feed of changes. Prints rows as JSON. */
import { setTimeout } from 'node:timers/promises';
import { Poller } from 'modreg/poller';
import { savedListsIn } from 'modreg/store';
import { machineOf, openSite } from './publishing.ts';
import { median, printRows } from '../row.ts';

const PUBLICATIONS = 30;
/** Between a delivery and the next publication, so that the poller waits on the feed. */
const PAUSE_MS = 1000;
const TARGET_MS = 1000;

const site = await openSite(1, 1);
const machine = machineOf(site.file, 1, { version: '1.0.0', at: Date.now() });
const registry = site.registry({ saved: savedListsIn(site.file) });
const poller = new Poller({ ...machine, random: () => 0, registryFor: () => registry });
poller.start();
const deliveries = poller.deliveries();
const times: number[] = [];
for (let at = 1; at <= PUBLICATIONS; at++) {
  await setTimeout(PAUSE_MS);
  const begin = performance.now();
  site.publish('bench:m0', `1.0.${at}`);
  const delivery = await deliveries.next();
  if (delivery.done === true) throw new Error('the poller stopped');
  times.push(performance.now() - begin);
  await delivery.value.done();
}
await poller.stop();
site.close();

const most = Math.max(...times);
const row = {
  measured: `from publication to delivery, on one machine with a change feed`,
  figure: `median ${median(times).toFixed(0)} ms, max ${most.toFixed(0)} ms`,
  target: `< ${TARGET_MS} ms`,
  isMet: most < TARGET_MS,
};
printRows([row]);
