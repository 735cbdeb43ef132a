import { setFlagsFromString } from 'node:v8';

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
  // What a burst of changes leaves is collected soon after it, and pages that are nearly empty are given back.
  '--gc-memory-reducer-start-delay-ms=500',
  '--compact-on-every-full-gc',
  // Optimized code costs more memory than it saves time here.
  '--no-opt',
  '--no-maglev',
];

export function keepHeapSmall(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
