import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes changes to the names in a folder survive a loss of power. */
export function syncFolder(path: string): void {
  synced(path, 'r');
}

/** Makes the content of a file survive a loss of power, but not its name. */
export function syncFile(path: string): void {
  synced(path, 'r+');
}

function synced(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
