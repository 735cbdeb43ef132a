import { statfs } from 'node:fs/promises';
import { fullDisk, machineFault } from './install-failure.ts';

const MIB = 1024n * 1024n;
const LARGEST_RESERVE = 256n * MIB;

/** What stays free for everything else on a disk of so many bytes, unless the policy says it: 256 MiB, or a tenth (T343). */
export function reserveOf(diskBytes: bigint, reserveMib?: number): bigint {
  if (reserveMib !== undefined) return BigInt(reserveMib) * MIB;
  const tenth = diskBytes / 10n;
  return tenth < LARGEST_RESERVE ? tenth : LARGEST_RESERVE;
}

/** What must stay free for everything else, in files and folders. */
export const FLOOR_ENTRIES: bigint = 1024n;

/** What is about to be written. */
interface Need {
  readonly bytes: number;
  /** Files and folders. */
  readonly entries: number;
  /** What the policy keeps free; undefined for the default. */
  readonly reserveMib: number | undefined;
}

/** Throws a refusal unless the disk of `folder` has space for so many bytes, and for so many files and folders. */
export async function checkFreeSpace(
  folder: string,
  { bytes, entries, reserveMib }: Need,
): Promise<void> {
  const { bavail, blocks, bsize, files, ffree } = await statfs(folder, { bigint: true });
  const free = bavail * bsize;
  const reserve = reserveOf(blocks * bsize, reserveMib);
  const needed = BigInt(Math.max(0, bytes)) + reserve;
  if (free < needed) {
    const have = `${inMib(free)} MiB free, ${inMib(needed)} needed, of which ${inMib(reserve)} stay free`;
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
