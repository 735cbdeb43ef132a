import type { ReleaseRecord } from '../core/index.ts';
import { describeValue } from '../core/quote.ts';

/** What every wire format is decoded to. */
export interface DecodedList {
  readonly records: readonly ReleaseRecord[];
  /** One escaped line for each part that could not be read. */
  readonly dropped: readonly string[];
}

/** Notes that `value` at `pointer` cannot be read. */
export type Drop = (pointer: string, value: unknown, expected: string) => void;

export function dropInto(dropped: string[]): Drop {
  return (pointer, value, expected) => {
    dropped.push(`${pointer} is ${describeValue(value)}, expected ${expected}`);
  };
}
