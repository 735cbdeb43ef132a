import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Asks V8 for a small process instead of a fast one. Pages and agents may run all day on a machine whose modules need the memory.
 */
const SMALL = [
  '--optimize-for-size',
  // Threads that help to collect have pages of their own.
  '--single-threaded-gc',
  // Code of the second of three compilers costs more memory than it saves time here.
  '--no-maglev',
  '--expose-gc',
];

/** For a process that answers few people: nothing that it does often is worth more memory. */
const SMALLEST = [
  // The young generation stays at its first size, and the old one is collected after little growth.
  '--semi-space-growth-factor=1',
  '--heap-growing-percent=10',
  // Pages that are nearly empty are given back.
  '--compact-on-every-full-gc',
  '--no-opt',
];

/** Sets V8 to a small heap, and returns what collects garbage now, and returns the memory to the system: 30 to 60 ms for 30 MB. */
export function keepHeapSmall(kind: 'small' | 'smallest'): () => void {
  const flags = kind === 'small' ? SMALL : [...SMALL, ...SMALLEST];
  for (const flag of flags) setFlagsFromString(flag);
  // Only a new context has it, because the flag is set while the program runs.
  const gc = runInNewContext('gc') as NodeJS.GCFunction;
  return () => {
    gc({ type: 'major', flavor: 'last-resort', execution: 'sync' });
  };
}

const LOOK_MS = 10_000;
/** What an agent allocates while nothing happens is a tenth of it in a minute. */
const GROWTH_BYTES = 4_000_000;

/** Calls `collect` after the start and whenever the heap grew: V8 itself would wait until it is twice as large, which may take hours. */
export function collectAfterGrowth(collect: () => void): void {
  let known = 0;
  const look = (): void => {
    if (process.memoryUsage().heapUsed < known + GROWTH_BYTES) return;
    collect();
    known = process.memoryUsage().heapUsed;
  };
  setInterval(look, LOOK_MS).unref();
}
