import { chmod, link, mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathOf } from './archive-path.ts';
import type { Survey } from './survey.ts';
import type { TarEntry } from './tar-entries.ts';

export const FOLDER_MODE: number = 0o755;
const FILE_MODE = 0o644;
export const PROGRAM_MODE: number = 0o755;

/**
 * Writes the entries of an archive that `survey` has accepted into the empty folder `root`. Modes say only whether a file is
 * executable: others can read everything, and write nothing.
 */
export async function unpack(
  entries: AsyncIterable<TarEntry>,
  { top }: Pick<Survey, 'top'>,
  root: string,
): Promise<void> {
  const made = new Set([root]);
  const placeOf = (name: string): string => join(root, pathOf(name).slice(top.length));
  for await (const entry of entries) {
    const { kind, name, target } = entry;
    const path = pathOf(name);
    // The only folder at the top has the name of the package itself. What is beside it is not a part of the package.
    if (path === '' || !path.startsWith(top)) continue;
    const place = placeOf(name);
    if (kind === 'folder') {
      await makeFolder(place, made);
      continue;
    }
    await makeFolder(dirname(place), made);
    if (kind === 'link') await symlink(target, place);
    else if (kind === 'hard-link') await link(placeOf(target), place);
    else await writeFile(place, entry);
  }
}

/** Creates a folder, and those that it is in. `made` has those that were created. */
async function makeFolder(path: string, made: Set<string>): Promise<void> {
  if (made.has(path)) return;
  await makeFolder(dirname(path), made);
  await mkdir(path);
  // Whatever the umask is.
  await chmod(path, FOLDER_MODE);
  made.add(path);
}

async function writeFile(path: string, { content, isExecutable }: TarEntry): Promise<void> {
  // Fails if there is a file or a link with this name.
  const file = await open(path, 'wx');
  try {
    for await (const part of content) await file.writeFile(part);
    await file.chmod(isExecutable ? PROGRAM_MODE : FILE_MODE);
  } finally {
    await file.close();
  }
}
