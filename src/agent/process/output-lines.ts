import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** The rest of a longer line is discarded. */
const LONGEST_LINE = 16 * 1024;

/**
 * Passes each line of `stream` to `onLine`, without its end and cut at 16,384 characters. Reads until the stream ends: a
 * program that wrote to a closed pipe would be killed.
 */
export function eachLine(
  stream: Readable,
  onLine: (line: string, isTruncated: boolean) => void,
): void {
  const decoder = new StringDecoder('utf8');
  let line = '';
  let isTruncated = false;
  const add = (text: string): void => {
    isTruncated ||= line.length + text.length > LONGEST_LINE;
    line = line.length < LONGEST_LINE ? (line + text).slice(0, LONGEST_LINE) : line;
  };
  const end = (): void => {
    onLine(line.replace(/\r$/, ''), isTruncated);
    line = '';
    isTruncated = false;
  };
  stream.on('data', (bytes: Buffer) => {
    const [first = '', ...rest] = decoder.write(bytes).split('\n');
    add(first);
    for (const text of rest) {
      end();
      add(text);
    }
  });
  stream.on('end', () => {
    if (line !== '') end();
  });
  // What was read so far counts.
  stream.on('error', () => undefined);
}
