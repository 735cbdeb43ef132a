import type { PagedMachine } from '../../page/paged-machine.ts';

/** What the pages are told of a plan is sent before. V8 itself would wait for a second or more. */
const COLLECTED_AFTER_MS = 100;

/** The machine; `collect` is called soon after each plan, when what only the plan needed is garbage. */
export function collectedSoon(machine: PagedMachine, collect: () => void): PagedMachine {
  let timer: NodeJS.Timeout | undefined;
  return {
    ...machine,
    view: async () => {
      const view = await machine.view();
      clearTimeout(timer);
      timer = setTimeout(collect, COLLECTED_AFTER_MS).unref();
      return view;
    },
  };
}
