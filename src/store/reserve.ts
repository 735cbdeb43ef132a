import { randomBytes } from 'node:crypto';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { translated } from '../sqlite/database.ts';
import { DatabaseError, diskErrorCode } from '../sqlite/database-error.ts';
import { freeBytesFor, hasNoSpace, shareAgain } from '../sqlite/full-disk.ts';

/** What is kept free for the state of a machine: weeks of its changes. */
const RESERVE_BYTES = 1_048_576;
/** A disk with less is full, whether the reserve has it or not. */
const ROOM_BYTES = 2 * RESERVE_BYTES;

/** The file whose bytes are free for `machine.db` at `path` once it is removed (T344). */
function reserveOf(path: string): string {
  return `${path}-reserve`;
}

/** What the disk of `machine.db` has left. */
export interface DiskRoom {
  readonly freeBytes: number;
  /** Whether more is kept for the state. */
  readonly isReserved: boolean;
  readonly isFull: boolean;
}

/** What the disk of the file at `path` has left; undefined if the system does not say. */
export function diskRoom(path: string): DiskRoom | undefined {
  const freeBytes = freeBytesFor(path);
  if (freeBytes === undefined) return undefined;
  const isReserved = statSync(reserveOf(path), { throwIfNoEntry: false })?.size === RESERVE_BYTES;
  const kept = isReserved ? RESERVE_BYTES : 0;
  return { freeBytes, isReserved, isFull: freeBytes + kept < ROOM_BYTES };
}

interface OpenFile {
  readonly path: string;
  readonly database: DatabaseSync;
}

/**
 * Where the disk has room: makes the reserve if it is not there, and lets others use a file that was opened for this process alone.
 * Returns what the disk has left.
 */
export function keepReserve({ path, database }: OpenFile): DiskRoom | undefined {
  const room = diskRoom(path);
  if (!room || room.isFull) return room;
  try {
    translated(path, () => {
      shareAgain(database);
      // Zeros would take no space on a disk that compresses.
      if (!room.isReserved) writeFileSync(reserveOf(path), randomBytes(RESERVE_BYTES), PRIVATE);
    });
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // Others have taken the space meanwhile.
    if (!room.isReserved) freeReserve(path);
  }
  return diskRoom(path);
}

const PRIVATE = { mode: 0o600 };

/** Frees what is kept for the file at `path`. Returns whether something was. */
export function freeReserve(path: string): boolean {
  try {
    rmSync(reserveOf(path));
    return true;
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
    return false;
  }
}

/** Frees it if SQLite could not open the file without (T344). */
export function freeToOpen(path: string): void {
  if (hasNoSpace(path)) freeReserve(path);
}
