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

/** Under a pin: the registry verifies and signs, and the machine verifies. */
const SIGNED_TARGET_MS = 20;

async function timesOf(kind: 'plain' | 'signed'): Promise<number[]> {
  const site = await openSite(1, 1, kind);
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
  return times;
}

function figure(times: readonly number[]): string {
  return `median ${median(times).toFixed(0)} ms, max ${Math.max(...times).toFixed(0)} ms`;
}

const [plain, signed] = [await timesOf('plain'), await timesOf('signed')];
printRows([
  {
    measured: `from publication to delivery, on one machine with a change feed`,
    figure: figure(plain),
    target: `< ${TARGET_MS} ms`,
    isMet: Math.max(...plain) < TARGET_MS,
  },
  {
    measured: `the same, signed, on a machine whose policy names the trust document`,
    figure: figure(signed),
    target: `median at most ${SIGNED_TARGET_MS} ms`,
    isMet: median(signed) <= SIGNED_TARGET_MS,
  },
]);
