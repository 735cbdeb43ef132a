import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { createFile, discard, giveName } from '../../files/replace-file.ts';
import { syncFolder } from '../../files/sync.ts';

/** A file as it is on the disk. */
export type Found =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly content: Buffer; readonly mode: number }
  /** A link, a folder, or a file that is too large to be a setting. */
  | { readonly kind: 'other'; readonly what: string };

const LARGEST = 65_536;
const MODE_BITS = 0o7777;

/** Reads what is at `path`, without following a link. Throws what the system answers. */
export function findFile(path: string): Found {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return { kind: 'absent' };
  if (!stat.isFile()) return { kind: 'other', what: 'it is not a regular file' };
  if (stat.size > LARGEST) return { kind: 'other', what: `it has ${stat.size} bytes` };
  return { kind: 'file', content: readFileSync(path), mode: stat.mode & MODE_BITS };
}

/** Whether a file has this content and mode already. */
export function isSame(
  found: Found | undefined,
  wanted: { readonly content: string | Buffer; readonly mode: number },
): boolean {
  if (found?.kind !== 'file' || found.mode !== wanted.mode) return false;
  return found.content.equals(Buffer.from(wanted.content));
}

export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Where the new content is until it is complete. NetworkManager, apt and systemd ignore hidden files. */
function partOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.modreg-part`);
}

/** Removes what an interrupted `replaceFile` has left. */
export function removePart(path: string): void {
  rmSync(partOf(path), { force: true });
}

/**
 * Gives the file at `path` this content and mode, on the disk before it is visible: a crash leaves the earlier file or the
 * new one. `check` gets the path of the new content, and may reject. The folder is created, but not the one above it.
 */
export async function replaceFile(
  path: string,
  { content, mode }: { readonly content: string | Buffer; readonly mode: number },
  check: (part: string) => Promise<void> = async () => undefined,
): Promise<void> {
  const folder = dirname(path);
  if (!lstatSync(folder, { throwIfNoEntry: false })) mkdirSync(folder);
  const part = partOf(path);
  removePart(path);
  createFile(part, { mode }, (descriptor) => writeFileSync(descriptor, content));
  try {
    await check(part);
  } catch (error) {
    discard(part);
    throw error;
  }
  giveName(part, path);
}

/** Removes a file, on the disk as well. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
  syncFolder(dirname(path));
}
