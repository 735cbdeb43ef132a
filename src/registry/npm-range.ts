import { createRequire } from 'node:module';

// Most lists have no `requires`, and then the package is not loaded. `tools/bundle.ts` replaces the name.
const load = createRequire(import.meta.url);
const RANGES = 'semver/classes/range.js';

type Range = InstanceType<typeof import('semver/classes/range.js')>;

/** More ranges than the releases of a machine require. */
const MOST_KEPT = 256;
const parsed = new Map<string, Range | null>();

/** A range of npm; null if the text is none. */
function rangeOf(text: string): Range | null {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  if (parsed.size === MOST_KEPT) parsed.clear();
  const range = parse(text);
  parsed.set(text, range);
  return range;
}

function parse(text: string): Range | null {
  // The types of the package are those of this file.
  const Ranges = load(RANGES) as typeof import('semver/classes/range.js');
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
  return text.length <= LONGEST_RANGE && rangeOf(text) !== null;
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
  return isRange(range) ? rangeOf(range)?.test(version) : undefined;
}
