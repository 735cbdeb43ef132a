import { existsSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder with `files`, keyed by relative path. It is removed after the test. */
export function temporaryFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = folderIn(tmpdir());
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Where Linux has files in memory. */
const SHARED_MEMORY = '/dev/shm';

/**
 * A folder like `temporaryFolder`, for databases: where the system can, it is in memory, because each of a thousand commits
 * would otherwise wait for the disk. Not for programs, which the system may not start from there.
 */
export function folderInMemory(): string {
  return folderIn(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir());
}

function folderIn(place: string): string {
  const folder = mkdtempSync(join(place, 'modreg-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
