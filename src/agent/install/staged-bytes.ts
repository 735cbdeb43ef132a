import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { packagesBelow } from './retention.ts';

/** The sizes of packages by their folders. Nothing writes into one after its first run, so each is measured once. */
export type PackageSizes = Map<string, { readonly writtenAt: number; readonly bytes: number }>;

/**
 * The bytes of the files in packages below `home` that are unpacked and not `inUse`; undefined if they cannot be read. `known`
 * keeps the sizes for the next call.
 */
export async function stagedBytes(
  home: string,
  inUse: ReadonlySet<string>,
  known: PackageSizes,
): Promise<number | undefined> {
  try {
    const staged = (await packagesBelow(home)).filter((root) => !inUse.has(root));
    for (const root of known.keys()) if (!staged.includes(root)) known.delete(root);
    let all = 0;
    for (const root of staged) all += await sizeOf(root, known);
    return all;
  } catch (error) {
    // A disk that fails, or a package that is removed meanwhile: the next call tells.
    if (error instanceof Error && 'syscall' in error) return undefined;
    throw error;
  }
}

async function sizeOf(root: string, known: PackageSizes): Promise<number> {
  const { mtimeMs: writtenAt } = await stat(root);
  const before = known.get(root);
  if (before?.writtenAt === writtenAt) return before.bytes;
  let bytes = 0;
  for (const one of await readdir(root, { withFileTypes: true, recursive: true })) {
    if (one.isFile()) bytes += (await lstat(join(one.parentPath, one.name))).size;
  }
  known.set(root, { writtenAt, bytes });
  return bytes;
}
