import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the system has one, a folder in memory: what a disk promises is not what is tried. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

let folder: string | undefined;

/** An empty folder of this process, by its name among others; what was in it is gone. */
export function emptyFolder(name: string): string {
  folder ??= mkdtempSync(join(PLACE, 'modreg-fuzz-'));
  const path = join(folder, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}

/** Removes all of them. */
export function removeFolders(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
}
