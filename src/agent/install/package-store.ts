import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import type { ModuleId } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { machineFault } from './install-failure.ts';
import { FOLDER_MODE } from './unpack.ts';

/** The folders below `$PLATFORM_HOME` that an installation uses. */
export const FOLDERS = {
  downloads: 'downloads',
  staging: 'staging',
  packages: 'packages',
} as const;

const PRIVATE_MODE = 0o700;

/** Creates a folder that only its owner can read, unless it exists. */
export async function privateFolder(home: string, name: 'downloads' | 'staging'): Promise<string> {
  const path = join(home, name);
  makeFolders(home);
  makeFolders(path, PRIVATE_MODE);
  return path;
}

/**
 * Creates an empty folder for the content of the package `root`, which only its owner can read. What an installation that was
 * killed left there is removed.
 */
export async function newStaging(home: string, root: string): Promise<string> {
  const path = join(await privateFolder(home, FOLDERS.staging), basename(root));
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { mode: PRIVATE_MODE });
  return path;
}

/** Whether there is something at `path`, whatever it is. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Writes everything that is below `folder` to the disk: the whole file system in one go, because a sync for each file takes five times as long. */
export async function syncFileSystem(folder: string): Promise<void> {
  try {
    await promisify(execFile)('sync', ['-f', folder]);
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    const [why = ''] = (stderr || message).split('\n');
    const reason = `${quote(folder)} cannot be written to the disk: sync -f fails (${excerpt(why)})`;
    throw machineFault('unusable-disk', reason);
  }
}

/** The file beside the package `root` that shows that its first run has succeeded. */
export function firstRunMark(root: string): string {
  return `${root}.first-run`;
}

/** The file beside the package `root` that shows that it was downloaded before its moment, and was not in use yet. */
export function prefetchMark(root: string): string {
  return `${root}.prefetched`;
}

/** Gives the complete folder `staging` the name `root`. Both survive a loss of power, or neither does. */
export async function moveInto(
  staging: string,
  root: string,
  { home, onRenamed }: { readonly home: string; readonly onRenamed: () => void },
): Promise<void> {
  await makeShared(dirname(root), home);
  await chmod(staging, FOLDER_MODE);
  // What the first run wrote into an earlier package is gone with that package.
  await rm(firstRunMark(root), { force: true });
  await rename(staging, root);
  onRenamed();
  await syncFolder(dirname(root));
}

/** Creates a folder below `home` that others can read, and those that it is in. */
async function makeShared(path: string, home: string): Promise<void> {
  if (path === home || (await isThere(path))) return;
  await makeShared(dirname(path), home);
  await mkdir(path);
  await chmod(path, FOLDER_MODE);
  await syncFolder(dirname(path));
}

/** Not `syncFolder` of `files`, during which the agent would do nothing else: the disk may be busy with another download. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Removes a package. Its folder has another name before its first file is gone, since a folder that exists is complete. */
export async function removePackage(root: string, home: string): Promise<void> {
  const doomed = await newStaging(home, root);
  await rm(firstRunMark(root), { force: true });
  await rm(prefetchMark(root), { force: true });
  await rename(root, doomed);
  await syncFolder(dirname(root));
  await rm(doomed, { recursive: true });
}

/** The paths of the files, or of the folders, in a folder; none if it does not exist. */
export async function pathsIn(folder: string, kind: 'file' | 'folder'): Promise<string[]> {
  try {
    const found = await readdir(folder, { withFileTypes: true });
    return found
      .filter((one) => (kind === 'file' ? one.isFile() : one.isDirectory()))
      .map(({ name }) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The package folder of what a `pin_url` names. The same address is the same folder. */
export function folderOfAddress(home: string, moduleId: ModuleId, url: string): string {
  const name = createHash('sha256').update(url).digest('hex').slice(0, 12);
  return join(home, FOLDERS.packages, ...moduleId.split(':'), `url-${name}`);
}

/** The package folders that have one of these files. */
export function packageFoldersOf(home: string, files: readonly string[]): string[] {
  const packages = join(home, FOLDERS.packages);
  return files.flatMap((file) => {
    const [namespace, name, folder] = relative(packages, file).split(sep);
    if (!namespace || namespace === '..' || !name || !folder) return [];
    return join(packages, namespace, name, folder);
  });
}
