import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { PagedMachine } from '../../page/paged-machine.ts';

/**
 * Asks V8 for a small process instead of a fast one. A page has few users, and may run all day on a machine
 * whose modules need the memory.
 */
const FLAGS = [
  // The young generation stays at its first size, and the old one is collected after little growth.
  '--semi-space-growth-factor=1',
  '--heap-growing-percent=10',
  '--optimize-for-size',
  // Threads that help to collect have pages of their own.
  '--single-threaded-gc',
  // Pages that are nearly empty are given back.
  '--compact-on-every-full-gc',
  // Optimized code costs more memory than it saves time here.
  '--no-opt',
  '--no-maglev',
  '--expose-gc',
];

/** What the pages are told of a plan is sent before. V8 itself would wait for a second or more. */
const COLLECTED_AFTER_MS = 100;

export function keepHeapSmall(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}

/** The machine; what was only needed to plan it is given back soon. Collecting 30 MB takes 30 to 60 ms. */
export function collectedSoon(machine: PagedMachine): PagedMachine {
  // Only a new context has it, because the flag is set while the program runs.
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  let timer: NodeJS.Timeout | undefined;
  return {
    ...machine,
    view: async () => {
      const view = await machine.view();
      clearTimeout(timer);
      // This kind of collection also returns the memory to the system.
      const options = { type: 'major', flavor: 'last-resort', execution: 'sync' } as const;
      timer = setTimeout(collect, COLLECTED_AFTER_MS, options).unref();
      return view;
    },
  };
}
