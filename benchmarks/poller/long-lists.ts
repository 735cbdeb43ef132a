/*
 * New lists of 1,000 modules with 10,000 releases each: the longest block of the event loop while they are sorted, and
 * the time of a plan. Ten modules share a list, because memory is not measured. Prints rows as JSON.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { planMachine, readDeployed } from 'modreg';
import { DEFAULT_POLICY, readMachine } from 'modreg/config';
import type { ListResult } from 'modreg/registry';
import { moduleListsOf } from '../../src/registry/module-list.ts';
import { median, printRows } from '../row.ts';

const [MODULES, LISTS, RELEASES] = [1000, 100, 10_000];
const SIZE = '1,000 modules with 10,000 releases each';
const PLANS = 15;
const MOST_BLOCKED_MS = 50;
const MOST_PLANNED_MS = 200;

const lists = Array.from({ length: LISTS }, (_, list) =>
  Array.from({ length: RELEASES }, (__, at) => ({
    version: `1.${Math.trunc(at / 100)}.${at % 100}`,
    publishedAt: 1e12 + at * 1000 + list,
  })),
);
const entries = Array.from({ length: MODULES }, (_, at) => {
  return { type: 'registry', name: `m${at}`, module_id: `bench:m${at}`, version: '1.*' };
});
const machine = readMachine(JSON.stringify({ modules: entries }));
if (!machine.ok) throw new Error('the machine config has errors');
const readings = new Map(
  machine.value.modules.map(({ moduleId }, at): [typeof moduleId, ListResult] => {
    const records = lists[at % LISTS] ?? [];
    const list = { records, dropped: [], source: 'network', from: 'bench', fetchedAt: 1 } as const;
    return [moduleId, { ok: true, value: list }];
  }),
);

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
await setTimeout(MOST_BLOCKED_MS);
delay.reset();
const sorted = await moduleListsOf(readings);
const blocked = delay.max / 1e6;

const deployed = readDeployed('1.99.99');
const modules = new Map(
  machine.value.modules.flatMap(({ name, moduleId }) => {
    const list = sorted.get(moduleId);
    return list ? [[name, { list, deployed }] as const] : [];
  }),
);
const times = Array.from({ length: PLANS }, () => {
  const began = performance.now();
  planMachine({
    machine: machine.value,
    policy: DEFAULT_POLICY,
    modules,
    platform: 'linux/amd64',
    now: Date.now(),
    subsystems: new Map(),
    isServerBusy: false,
  });
  return performance.now() - began;
});
const [first = 0] = times;
printRows([
  {
    measured: `longest event-loop block while the lists of ${SIZE} are sorted`,
    figure: `${blocked.toFixed(1)} ms`,
    target: `< ${MOST_BLOCKED_MS} ms`,
    isMet: blocked < MOST_BLOCKED_MS,
  },
  {
    measured: `a plan of ${SIZE}`,
    figure: `first ${first.toFixed(1)} ms, median ${median(times).toFixed(1)} ms`,
    target: `< ${MOST_PLANNED_MS} ms`,
    isMet: first < MOST_PLANNED_MS,
  },
]);
