import type { Readable } from 'node:stream';
import type { ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { systemClock } from '../../registry/index.ts';

/** The rest of a longer line is discarded. */
const LONGEST_LINE = 16 * 1024;
/** A program may write this many lines in this time. The others are counted. */
const MOST_LINES = 10_000;
const PERIOD_MS = 30_000;

/** A line that a program wrote. */
export interface OutputLine {
  readonly stream: 'stdout' | 'stderr';
  /** Without its end, and cut at 16,384 characters. */
  readonly text: string;
}

/**
 * Passes each line of `stream` to `onLine`, without its end and cut at 16,384 characters. Reads until the stream ends: a
 * program that wrote to a closed pipe would be killed.
 */
export function eachLine(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let line = '';
  const add = (text: string): void => {
    line = line.length < LONGEST_LINE ? (line + text).slice(0, LONGEST_LINE) : line;
  };
  const end = (): void => {
    onLine(line.replace(/\r$/, ''));
    line = '';
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

/** Passes the lines of a child to `onLine`: at most 10,000 in 30 s. What is dropped is counted in a line of stderr. */
export function limitedLines(
  { stdout, stderr }: ChildProcess,
  onLine: (line: OutputLine) => void,
): void {
  let since = systemClock.monotonic();
  let count = 0;
  const report = (): void => {
    if (count <= MOST_LINES) return;
    const text = `${count - MOST_LINES} lines were dropped: more than ${MOST_LINES} in ${PERIOD_MS / 1000} s`;
    onLine({ stream: 'stderr', text });
  };
  const pass = (stream: OutputLine['stream']) => (text: string) => {
    const now = systemClock.monotonic();
    if (now - since >= PERIOD_MS) {
      report();
      since = now;
      count = 0;
    }
    if (++count <= MOST_LINES) onLine({ stream, text });
  };
  if (stdout) eachLine(stdout, pass('stdout'));
  if (stderr) eachLine(stderr, pass('stderr'));
  stderr?.on('close', () => {
    report();
    count = 0;
  });
}
