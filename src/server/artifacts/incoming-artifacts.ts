import { createHash } from 'node:crypto';
import { lstatSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { artifactFolder, namesIn, onDisk } from './artifact-store.ts';
import { IN_MEMORY } from '../../sqlite/database.ts';

/** How long a file is kept that no release lists: a publication that failed can be repeated for a day. */
const UNLISTED_MS = 24 * 3_600_000;
/** An upload writes its part all the time. */
const SILENT_MS = 3_600_000;
/** Fronts of a cluster share the folder, and only the computer that writes a part knows the process. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const OWN_PART = new RegExp(`^[0-9a-f]{64}\\.${HOST}-(\\d+)-\\d+\\.part$`);

/** The parts that this process writes. A part of an earlier process with the same id is not among them. */
const WRITING = new Set<string>();
let parts = 0;

/** The place for bytes that are being received in the folder `incoming`, until `end` is called. */
export function newPart(
  incoming: string,
  sha256: string,
): { readonly path: string; readonly end: () => void } {
  let path: string;
  do path = `${incoming}/${sha256}.${HOST}-${process.pid}-${++parts}.part`;
  while (lstatSync(path, { throwIfNoEntry: false }));
  WRITING.add(path);
  return { path, end: () => WRITING.delete(path) };
}

/**
 * Removes what uploads left beside the database at `path`: parts whose process on this computer ended, and parts of others and files
 * that no release listed for a day. Never removes a listed file, because it is in another folder.
 */
export function removeAbandoned(path: string, now: number): void {
  if (path === IN_MEMORY) return;
  onDisk(path, () => {
    const incoming = `${artifactFolder(path)}/incoming`;
    for (const name of namesIn(incoming)) {
      const file = `${incoming}/${name}`;
      if (isAbandoned(file, name, now)) rmSync(file, { force: true });
    }
  });
}

function isAbandoned(file: string, name: string, now: number): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return false;
  const age = now - stats.mtimeMs;
  const [, pid] = OWN_PART.exec(name) ?? [];
  if (pid === undefined) return age > UNLISTED_MS;
  return age > SILENT_MS || !(Number(pid) === process.pid ? WRITING.has(file) : isRunning(pid));
}

function isRunning(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
