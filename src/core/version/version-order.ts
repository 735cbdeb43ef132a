import { expectArgument } from '../text/argument.ts';
import { isDigit, VERSION, withoutLeadingZeros, type Version } from './version.ts';

/**
 * Compares by the precedence of SemVer 2.0.0, section 11, and then by build metadata. Below zero if `a` is older than
 * `b`, above zero if it is newer. A total order: zero only for equal texts.
 *
 * @example
 * ```ts
 * import { compareVersions, parseVersion } from 'modreg';
 *
 * const versions = ['1.9.0', '1.10.0'].map(parseVersion).flatMap((read) => (read.ok ? [read.value] : []));
 * console.log(versions.toSorted(compareVersions).at(-1)?.text); // 1.10.0
 * ```
 */
export function compareVersions(a: Version, b: Version): number {
  expectArgument('compareVersions()', 'a', a, VERSION);
  expectArgument('compareVersions()', 'b', b, VERSION);
  return compareChecked(a, b);
}

/** The same for versions of this package: a search in a list compares often. */
export function compareChecked(a: Version, b: Version): number {
  // Precedence decides, never the publish time (D1). Builds of one version are ordered by their metadata (D2).
  return comparePrecedence(a, b) || compareBuilds(a.build, b.build);
}

/** Compares by SemVer 2.0.0, section 11: zero for versions that differ only in build metadata. */
export function comparePrecedence(a: Version, b: Version): number {
  return (
    a.major - b.major ||
    a.minor - b.minor ||
    a.patch - b.patch ||
    comparePrereleases(a.prerelease, b.prerelease)
  );
}

function comparePrereleases(a: string, b: string): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  return compareIdentifiers(a, b);
}

// Build identifiers may have leading zeros. `1` and `01` are equal as numbers, so the text breaks the tie.
function compareBuilds(a: string, b: string): number {
  return compareIdentifiers(a, b) || compareText(a, b);
}

/** The first identifiers that differ decide. If none differ, the longer list is higher. */
function compareIdentifiers(a: string, b: string): number {
  if (a === b) return 0;
  // Versions that are compared mostly begin alike, so the common part is skipped instead of split.
  const start = a.lastIndexOf('.', firstDifference(a, b) - 1) + 1;
  const left = a.slice(start, identifierEnd(a, start));
  const right = b.slice(start, identifierEnd(b, start));
  return left === right ? a.length - b.length : compareIdentifier(left, right);
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

function identifierEnd(identifiers: string, start: number): number {
  const dot = identifiers.indexOf('.', start);
  return dot === -1 ? identifiers.length : dot;
}

function compareIdentifier(a: string, b: string): number {
  const numeric = isNumeric(a);
  if (numeric !== isNumeric(b)) return numeric ? -1 : 1;
  return numeric ? compareDigits(a, b) : compareText(a, b);
}

/** Compares numbers of any length exactly: without leading zeros, the one with more digits is larger. */
function compareDigits(a: string, b: string): number {
  const left = withoutLeadingZeros(a);
  const right = withoutLeadingZeros(b);
  return left.length - right.length || compareText(left, right);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isNumeric(identifier: string): boolean {
  for (let at = 0; at < identifier.length; at++) {
    if (!isDigit(identifier.charCodeAt(at))) return false;
  }
  return true;
}
