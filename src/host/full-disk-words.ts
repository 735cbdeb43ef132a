import { dirname } from 'node:path';
import { quote } from '../core/text/quote.ts';
import type { PollerLog } from '../store/decision-log.ts';
import { diskRoom, type DiskRoom } from '../store/reserve.ts';

/** What a full disk means for the machine whose state is at `path` (T344); undefined unless it is full. */
export function fullDiskWords(path: string, room = diskRoom(path)): string | undefined {
  if (!room?.isFull) return undefined;
  return `the disk of ${quote(dirname(path))} is full: ${leftOn(room)}; modules keep running and are started again, and nothing is installed: free some space`;
}

/** The reserve is there until something is recorded. */
function leftOn({ freeBytes, isReserved }: DiskRoom): string {
  const kept = isReserved
    ? '1 MiB is kept for the state of this machine'
    : 'nothing is kept for the state of this machine any more';
  return `${Math.floor(freeBytes / 1024)} KiB free, and ${kept}`;
}

/** The last round with a full disk as its trouble, besides what else was wrong in it. */
export function withFullDisk(poller: PollerLog, path: string): PollerLog {
  const { round } = poller;
  const full = fullDiskWords(path);
  if (!round || full === undefined) return poller;
  const trouble = round.trouble === undefined ? full : `${round.trouble}; ${full}`;
  return { ...poller, round: { ...round, trouble } };
}
