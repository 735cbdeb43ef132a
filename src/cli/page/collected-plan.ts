import type { PagedMachine } from '../../page/paged-machine.ts';
import { garbageCollector } from '../small-heap.ts';

/** After a browser has what it needs to show a first view, and while pages are told of a plan. V8 itself would wait for a second or more. */
const COLLECTED_AFTER_MS = [300, 500, 800];

/** The machine. What only a plan and its pages needed is collected soon after each plan. */
export function collectedSoon(machine: PagedMachine): PagedMachine {
  const collect = garbageCollector();
  if (!collect) return machine;
  let timers: NodeJS.Timeout[] = [];
  return {
    ...machine,
    view: async () => {
      const view = await machine.view();
      for (const timer of timers) clearTimeout(timer);
      timers = COLLECTED_AFTER_MS.map((ms) => setTimeout(collect, ms).unref());
      return view;
    },
  };
}
