import { accessSync, constants, lstatSync, statfsSync, statSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { noexecMount } from '../../agent/process/noexec-mount.ts';
import { platformHome } from '../../config/platform-home.ts';
import type { World } from '../../base/world.ts';

/** The folder of modreg's files, as the file system has it. */
export interface HomeFacts {
  /** Absolute. */
  readonly path: string;
  /** Whether PLATFORM_HOME names it. */
  readonly isNamed: boolean;
  readonly stats: PathStats;
  /** Why files cannot be created in it, or it cannot be created itself: the code of the system; undefined if they can be. */
  readonly unwritable: string | undefined;
  /** The mount point of its disk, if no program on it can be started. */
  readonly noexec: string | undefined;
  /** The disk that it is, or would be, on. */
  readonly disk: DiskSpace | undefined;
  /** Its machine.db. */
  readonly file: PathStats;
  /** Whether systemd manages the services of the machine, or may. */
  readonly hasSystemd: boolean;
  /** The user of this process. */
  readonly uid: number;
}

/** What is at a path: its `Stats`, or the code of the system if they cannot be read. */
type PathStats = Stats | string;

export interface DiskSpace {
  /** The size of the disk. */
  readonly bytes: bigint;
  readonly freeBytes: bigint;
  /** How many files can still be created; undefined if the file system has no limit. */
  readonly freeEntries: bigint | undefined;
}

/** Whether the home belongs to another user, so that this one may not read its files. */
export function isForeign({ stats, uid }: HomeFacts): boolean {
  return typeof stats !== 'string' && uid !== 0 && stats.uid !== uid;
}

/** Undefined if neither PLATFORM_HOME nor HOME is set. */
export function homeFacts({
  environment,
  ...world
}: Pick<World, 'environment' | 'hasSystemd'>): HomeFacts | undefined {
  const home = platformHome(environment);
  if (home === undefined) return undefined;
  const path = resolve(home);
  const stats = statsOf(path);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const existing = typeof stats === 'string' ? dirname(path) : path;
  return {
    path,
    isNamed: Boolean(environment['PLATFORM_HOME']),
    stats: stats === 'ENOENT' && isLink ? 'a link to nothing' : stats,
    unwritable: codeOf(() => accessSync(existing, constants.W_OK | constants.X_OK)),
    noexec: noexecMount(existing),
    disk: diskOf(existing),
    file: statsOf(join(path, 'machine.db')),
    hasSystemd: world.hasSystemd?.() ?? true,
    uid: process.getuid?.() ?? 0,
  };
}

function statsOf(path: string): PathStats {
  try {
    return statSync(path);
  } catch (error) {
    return errorCode(error);
  }
}

function diskOf(path: string): DiskSpace | undefined {
  try {
    const { bavail, blocks, bsize, files, ffree } = statfsSync(path, { bigint: true });
    return {
      bytes: blocks * bsize,
      freeBytes: bavail * bsize,
      freeEntries: files > 0n ? ffree : undefined,
    };
  } catch (error) {
    errorCode(error);
    return undefined;
  }
}

function codeOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
}

/** The code of an error of the system. Throws any other error. */
function errorCode(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code;
}
