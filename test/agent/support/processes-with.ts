import { globSync, readFileSync } from 'node:fs';

/** The ids of the processes with this argument. */
export function processesWith(argument: string): number[] {
  return globSync('/proc/[0-9]*/cmdline').flatMap((file) => {
    try {
      const isIt = readFileSync(file, 'latin1').split('\0').includes(argument);
      return isIt ? [Number(file.split('/')[2])] : [];
    } catch {
      // It has ended.
      return [];
    }
  });
}
