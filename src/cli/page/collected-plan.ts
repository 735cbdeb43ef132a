import type { PagedMachine } from '../../page/paged-machine.ts';

/** While the pages are told of a plan, and after that. V8 itself would wait for a second or more. */
const COLLECTED_AFTER_MS = [100, 300, 600];

/** The machine; `collect` is called soon after each plan, when what only the plan and its pages needed is garbage. */
export function collectedSoon(machine: PagedMachine, collect: () => void): PagedMachine {
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
