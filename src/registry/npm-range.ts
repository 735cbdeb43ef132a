import { expectArgument, TEXT } from '../core/text/argument.ts';
import { rangeClass } from './range-class.ts';

type Range = InstanceType<ReturnType<typeof rangeClass>>;

/** More than the releases of a machine require, in ranges and in versions that are compared with one. */
const MOST_KEPT = 256;

interface KnownRange {
  /** Null if the text is none. */
  readonly range: Range | null;
  /** Whether it has a version, by its text. */
  readonly answers: Map<string, boolean>;
}

const known = new Map<string, KnownRange>();

/** A range of npm, and what was asked of it: many releases require the same of one machine. */
function rangeOf(text: string): KnownRange {
  return remembered(known, text, () => ({ range: parse(text), answers: new Map() }));
}

function remembered<T>(all: Map<string, T>, key: string, find: () => T): T {
  const before = all.get(key);
  if (before !== undefined) return before;
  if (all.size === MOST_KEPT) all.clear();
  const found = find();
  all.set(key, found);
  return found;
}

function parse(text: string): Range | null {
  const Ranges = rangeClass();
  try {
    return new Ranges(text, { includePrerelease: true });
  } catch {
    return null;
  }
}

/** The longest range. The package reads longer ones in a time that grows with the square of their length. */
const LONGEST_RANGE = 256;

/** Whether `text` is a range of npm, of at most 256 characters. */
export function isRange(text: string): boolean {
  return text.length <= LONGEST_RANGE && rangeOf(text).range !== null;
}

/**
 * Whether `version` is in a range of npm; undefined if `range` cannot be read. Prereleases are in a range like other
 * versions, below the version that they precede: `>=1.4.0` excludes 1.4.0-rc.1, and `>=1.4` includes it (D89).
 *
 * @example
 * ```ts
 * import { satisfiesRange } from 'modreg/registry';
 *
 * console.log(satisfiesRange('1.6.0-rc.1', '>=1.4.0 <2')); // true
 * ```
 */
export function satisfiesRange(version: string, range: string): boolean | undefined {
  expectArgument('satisfiesRange()', 'version', version, TEXT);
  expectArgument('satisfiesRange()', 'range', range, TEXT);
  if (range.length > LONGEST_RANGE) return undefined;
  const { range: parsed, answers } = rangeOf(range);
  return parsed ? remembered(answers, version, () => parsed.test(version)) : undefined;
}
