import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, relative } from 'node:path';
import { vi } from 'vitest';

/** SQLite syncs its own files, and a lock has no content. */
const OTHERS = /^registry\.db(-wal|-shm)?$|\.lock(-[a-z]+)?$/;

/** The content of a file, as far as it changes its number and its time. */
function contentOf(path: string): string {
  const { ino, mtimeNs } = fs.lstatSync(path, { bigint: true });
  return `${ino} ${mtimeNs}`;
}

function nameOf(path: string): string {
  return `${path} ${fs.lstatSync(path).ino}`;
}

/** Whether it has a content besides its name: where a link leads is written with its name. */
function isFile(path: string): boolean {
  return fs.lstatSync(path).isFile();
}

function allBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => `${folder}/${name}`)
    .filter((path) => !OTHERS.test(basename(path)));
}

/** What was written to the disk: names with a sync of their folder, and contents with a sync of their file. */
class Disk {
  readonly #names = new Set<string>();
  readonly #contents = new Set<string>();
  /** Files whose name was on the disk before their content. */
  readonly early: string[] = [];

  add(path: string): void {
    this.#names.add(nameOf(path));
    this.#contents.add(contentOf(path));
  }

  sync(path: string): void {
    this.#contents.add(contentOf(path));
    if (!fs.statSync(path).isDirectory()) return;
    for (const name of fs.readdirSync(path)) {
      const file = `${path}/${name}`;
      if (OTHERS.test(name)) continue;
      this.#names.add(nameOf(file));
      const isEarly = !name.endsWith('.part') && isFile(file) && !this.has(file);
      if (isEarly) this.early.push(file);
    }
  }

  /** Whether a loss of power leaves this name, and all of its content. */
  has(path: string): boolean {
    const isKept = this.#contents.has(contentOf(path)) || !isFile(path);
    return isKept && this.#names.has(nameOf(path));
  }
}

/**
 * The files and folders below `folder` that a loss of power at the end of `work` could take away or leave with half of their
 * content, and files that had their name before their content.
 */
export async function lostWithPower(folder: string, work: () => unknown): Promise<string[]> {
  const disk = new Disk();
  for (const path of allBelow(folder)) disk.add(path);
  await withSyncs(folder, (path) => disk.sync(path), work);
  const lost = allBelow(folder).filter((path) => !disk.has(path));
  return [...lost, ...disk.early.map((path) => `${path}, early`)].map((path) =>
    relative(folder, path),
  );
}

/** The files and folders below `folder` that `work` removes, and that are back after a loss of power at its end. */
export async function backWithPower(folder: string, work: () => unknown): Promise<string[]> {
  const kept = new Set(allBelow(folder));
  const sync = (path: string): void => {
    for (const one of kept) if (dirname(one) === path && !fs.existsSync(one)) kept.delete(one);
  };
  await withSyncs(folder, sync, work);
  return [...kept].filter((path) => !fs.existsSync(path)).map((path) => relative(folder, path));
}

/** Runs `work`, and calls `sync` with the path of each file and folder that it writes to the disk. */
async function withSyncs(
  folder: string,
  sync: (path: string) => void,
  work: () => unknown,
): Promise<void> {
  const { fsyncSync } = fs;
  const handle = await open(folder);
  // Its class is not exported.
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  fs.fsyncSync = (descriptor) => {
    fsyncSync(descriptor);
    sync(fs.readlinkSync(`/proc/self/fd/${descriptor}`));
  };
  const original = Object.getOwnPropertyDescriptor(prototype, 'datasync')
    ?.value as () => Promise<void>;
  const syncing = (['sync', 'datasync'] as const).map((name) =>
    vi.spyOn(prototype, name).mockImplementation(async function (this: typeof handle) {
      await original.call(this);
      sync(fs.readlinkSync(`/proc/self/fd/${this.fd}`));
    }),
  );
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const one of syncing) one.mockRestore();
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  }
}
