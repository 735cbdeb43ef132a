import { createHash } from 'node:crypto';
import type { Timeline } from './timeline.ts';

/** The course of events, as a hash and, if lines are kept, as text. */
export interface Trace {
  /** Records an event: a step of a port or an actor that changed something. */
  readonly note: (what: string) => void;
  readonly count: () => number;
  readonly hash: () => string;
  readonly lines: readonly string[];
}

const HASH_LENGTH = 16;
/** A longer text is hashed early, to bound its size. */
const LONGEST_TEXT = 100_000;

export function traceOf(line: Timeline, keepsLines: boolean): Trace {
  let count = 0;
  let text = '';
  let moment = { elapsed: 0, text: '0' };
  const digest = createHash('sha256');
  const lines: string[] = [];
  const flush = (): void => {
    digest.update(text);
    text = '';
  };
  return {
    lines,
    count: () => count,
    hash() {
      flush();
      return digest.copy().digest('hex').slice(0, HASH_LENGTH);
    },
    note(what) {
      count++;
      const elapsed = line.elapsed();
      // Many events share a moment, and such a number takes long to write.
      if (elapsed !== moment.elapsed) moment = { elapsed, text: `${elapsed}` };
      text += `${moment.text} ${what}\n`;
      if (text.length > LONGEST_TEXT) flush();
      if (keepsLines) lines.push(`${(elapsed / 1000).toFixed(3).padStart(12)} s  ${what}`);
    },
  };
}
