import { readFileSync } from 'node:fs';

/** The id of the boot of this machine; undefined if the kernel does not say it. */
export function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
