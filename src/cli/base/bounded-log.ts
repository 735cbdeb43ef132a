import type { Writable } from 'node:stream';

/** What may wait for the reader of a log. */
const MOST_WAITING_BYTES = 1024 * 1024;

/**
 * A function that writes lines to `stream`, and drops them while its reader is more than 1 MiB behind. A pipe that nobody
 * reads must not fill the memory. The next line that is written follows `lost` of the number that was dropped.
 */
export function boundedLog(
  stream: Writable,
): (line: string, lost: (count: number) => string) => void {
  let dropped = 0;
  return (line, lost) => {
    if (stream.writableLength > MOST_WAITING_BYTES) {
      dropped++;
      return;
    }
    const before = dropped === 0 ? '' : `${lost(dropped)}\n`;
    dropped = 0;
    stream.write(`${before}${line}\n`);
  };
}
