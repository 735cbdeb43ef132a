/*
 * The longest event-loop turn of a machine whose policy names a trust document, in its first round. In CPU time of the thread: what
 * else runs on the machine blocks no turn. Prints rows as JSON.
 */
import { Poller } from 'modreg/poller';
import { savedListsIn } from 'modreg/store';
import { printRows } from '../row.ts';
import { machineOf, openSite } from './publishing.ts';

const MODULES = 1000;
const RELEASES = 5;
const TARGET_MS = 50;

/** The longest turn of the event loop from now until `stop` is called, in milliseconds of CPU time. */
function longestTurn(): { readonly stop: () => number } {
  let longest = 0;
  let last = process.threadCpuUsage();
  let next = setImmediate(turn);
  function turn(): void {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
    next = setImmediate(turn);
  }
  return {
    stop() {
      clearImmediate(next);
      return longest;
    },
  };
}

async function blockOf(kind: 'plain' | 'signed'): Promise<{ block: number; took: number }> {
  const site = await openSite(MODULES, RELEASES, kind);
  const machine = machineOf(site.file, MODULES, { version: '1.0.0', at: 0 });
  const registry = site.registry({ saved: savedListsIn(site.file) });
  const poller = new Poller({ ...machine, random: () => 0, registryFor: () => registry });
  const turns = longestTurn();
  const begin = process.cpuUsage();
  poller.start();
  const first = await poller.deliveries().next();
  const { user, system } = process.cpuUsage(begin);
  const block = turns.stop();
  if (first.done === true) throw new Error('the poller stopped');
  await poller.stop();
  site.close();
  return { block, took: (user + system) / 1000 };
}

// The first one compiles its code, too.
const [signed, plain] = [await blockOf('signed'), await blockOf('plain')];
printRows([
  {
    measured: `longest event-loop turn until the first delivery, ${MODULES.toLocaleString('en')} modules whose releases are verified`,
    figure: `${signed.block.toFixed(0)} ms of CPU, of ${signed.took.toFixed(0)} ms`,
    peer: `${plain.block.toFixed(0)} ms of ${plain.took.toFixed(0)} ms without signatures`,
    target: `< ${TARGET_MS} ms`,
    isMet: signed.block < TARGET_MS,
  },
]);
