import Range from 'semver/classes/range.js';

/** The ranges of npm. A bundle of the command line loads the package with the first range: few lists have one. */
export function rangeClass(): typeof Range {
  return Range;
}
