import { isDigit, withoutLeadingZeros, type Version } from './version.ts';

/**
 * Compares by the precedence of SemVer 2.0.0, section 11, and then by build metadata: below zero where `a` is older
 * than `b`, above zero where it is newer. A total order: zero only for equal texts.
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
  // Builds of one version are ordered by their metadata. (D1, D2)
  return comparePrecedence(a, b) || compareBuilds(a.build, b.build);
}

/** SemVer 2.0.0 section 11: zero for versions that differ in build metadata alone. */
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

// Build identifiers may have leading zeros, so `1` and `01` are equal as numbers: their text decides.
function compareBuilds(a: string, b: string): number {
  if (a === '' || b === '') return Number(b === '') - Number(a === '');
  return compareIdentifiers(a, b) || compareText(a, b);
}

/** The first identifiers that differ decide; without any, the longer list is the higher. */
function compareIdentifiers(a: string, b: string): number {
  if (a === b) return 0;
  // Neighbours in a list begin alike, so nothing is split.
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

/** Numbers of any length, exactly: without leading zeros the longer one is the larger. */
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
