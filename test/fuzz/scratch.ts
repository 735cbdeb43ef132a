import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder in memory if the system has one: durability is not under test. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

let folder: string | undefined;

/** Creates an empty folder for this process. An earlier folder of the same name is removed. */
export function emptyFolder(name: string): string {
  folder ??= mkdtempSync(join(PLACE, 'modreg-fuzz-'));
  const path = join(folder, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}

/** Removes every folder of this process. */
export function removeFolders(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
}
