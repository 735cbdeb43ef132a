import { readdirSync, readlinkSync } from 'node:fs';

/** The paths of what this process has open. */
export function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      // The descriptor with which the folder was listed.
      return [];
    }
  });
}
