import type { Timeline } from './timeline.ts';

/** The course of events, as a hash and, if lines are kept, as text. */
export interface Trace {
  /** Records an event: a step of a port or an actor that changed something. */
  readonly note: (what: string) => void;
  readonly count: () => number;
  readonly hash: () => string;
  readonly lines: readonly string[];
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export function traceOf(line: Timeline, keepsLines: boolean): Trace {
  let count = 0;
  let low = FNV_OFFSET;
  let high = ~FNV_OFFSET;
  const lines: string[] = [];
  return {
    lines,
    count: () => count,
    hash: () => `${(high >>> 0).toString(16)}${(low >>> 0).toString(16)}`,
    note(what) {
      count++;
      const text = `${line.elapsed()} ${what}`;
      for (let place = 0; place < text.length; place++) {
        low = Math.imul(low ^ text.charCodeAt(place), FNV_PRIME);
        high = Math.imul(high + low, FNV_PRIME);
      }
      if (keepsLines) lines.push(`${(line.elapsed() / 1000).toFixed(3).padStart(12)} s  ${what}`);
    },
  };
}
