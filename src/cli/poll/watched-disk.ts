import { dirname } from 'node:path';
import { quote } from '../../core/text/quote.ts';
import { fullDiskWords } from '../../host/full-disk-words.ts';
import type { Clock } from '../../registry/clock.ts';
import type { ClaimedFile } from '../../store/index.ts';
import { keepReserve } from '../../store/reserve.ts';
import type { Level } from '../base/log-line.ts';

const LOOK_MS = 10_000;

/**
 * Keeps space for the state of the machine while its disk has room, and says when it has none and when it has again (T344).
 * Returns once `signal` is aborted.
 */
export async function watchDisk(
  file: ClaimedFile,
  note: (level: Level, text: string) => void,
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): Promise<void> {
  let wasFull = false;
  while (!signal.aborted) {
    const room = keepReserve(file);
    const full = room && fullDiskWords(file.path, room);
    if (full !== undefined && !wasFull) note('error', full);
    if (full === undefined && wasFull)
      note('info', `the disk of ${quote(dirname(file.path))} has space again`);
    wasFull = full !== undefined;
    await clock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
}
