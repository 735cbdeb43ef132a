import type { Readable } from 'node:stream';
import { describeDuration } from '../../core/text/duration.ts';
import { eachLine } from './output-lines.ts';

/** A program may write this many lines in this time. The others are counted. */
const MOST_LINES = 10_000;
const PERIOD_MS = 30_000;

/** A line that a program wrote, or that the agent says of its output. */
export interface OutputLine {
  readonly stream: 'stdout' | 'stderr' | 'agent';
  /** Without its end, and cut at 16,384 characters. */
  readonly text: string;
  /** Whether it was cut. */
  readonly isTruncated: boolean;
}

/** What the agent says of a program among the lines that the program writes. */
export function agentLine(text: string): OutputLine {
  return { stream: 'agent', text, isTruncated: false };
}

/**
 * Passes the lines of a program to `onLine`: at most 10,000 in 30 s, of both streams together. What is dropped is
 * counted in a line of the agent, 30 s after the first line or once the output ends.
 */
export function programOutput(
  streams: Readonly<Record<'stdout' | 'stderr', Readable>>,
  onLine: (line: OutputLine) => void,
): void {
  let count = 0;
  let period: NodeJS.Timeout | undefined;
  const endPeriod = (): void => {
    clearTimeout(period);
    period = undefined;
    const dropped = count - MOST_LINES;
    count = 0;
    if (dropped <= 0) return;
    const limit = `it may write ${MOST_LINES} in ${describeDuration(PERIOD_MS)}`;
    onLine(agentLine(`${dropped} lines of its output were dropped: ${limit}`));
  };
  let open = 0;
  for (const stream of ['stdout', 'stderr'] as const) {
    open++;
    eachLine(streams[stream], (text, isTruncated) => {
      // A timer does not depend on the wall clock, and must not keep the process alive.
      period ??= setTimeout(endPeriod, PERIOD_MS).unref();
      if (++count <= MOST_LINES) onLine({ stream, text, isTruncated });
    });
    streams[stream].once('close', () => {
      if (--open === 0) endPeriod();
    });
  }
}

/** What a program said last, which often explains how it ended. */
export interface LastWords {
  /** Notes a line, and passes it on. */
  readonly onLine: (line: OutputLine) => void;
  /** Adds the last line of stderr that is not empty to `how` the program ended. */
  readonly with: (how: string) => string;
}

/** Passes lines to `onLine`, and remembers the last one of stderr. */
export function lastWords(onLine: (line: OutputLine) => void): LastWords {
  let last: string | undefined;
  return {
    onLine: (line) => {
      if (line.stream === 'stderr' && line.text.trim() !== '') last = line.text;
      onLine(line);
    },
    with: (how) => (last === undefined ? how : `${how}: ${last}`),
  };
}
