import { statfs } from 'node:fs/promises';
import { fullDisk, machineFault } from './install-failure.ts';

const MIB = 1024n * 1024n;
/** What must stay free for everything else on the machine, in bytes. */
export const FLOOR_BYTES: bigint = 256n * MIB;
/** What must stay free for everything else, in files and folders. */
export const FLOOR_ENTRIES: bigint = 1024n;

/** Throws a refusal unless the disk of `folder` has space for so many bytes, and for so many files and folders. */
export async function checkFreeSpace(
  folder: string,
  bytes: number,
  entries: number,
): Promise<void> {
  const { bavail, bsize, files, ffree } = await statfs(folder, { bigint: true });
  const free = bavail * bsize;
  const needed = BigInt(Math.max(0, bytes)) + FLOOR_BYTES;
  if (free < needed) {
    const have = `${inMib(free)} MiB free, ${inMib(needed)} needed, of which ${inMib(FLOOR_BYTES)} stay free`;
    throw machineFault('disk-full', fullDisk(folder, have));
  }
  // Some file systems have no limit, and say 0.
  if (files > 0n && ffree < BigInt(entries) + FLOOR_ENTRIES) {
    const needs = BigInt(entries) + FLOOR_ENTRIES;
    const have = `${ffree} files free, ${needs} needed, of which ${FLOOR_ENTRIES} stay free`;
    throw machineFault('disk-full', fullDisk(folder, have));
  }
}

function inMib(bytes: bigint): bigint {
  return bytes / MIB;
}
