import { mismatch, type Constraint } from '../version/constraint.ts';
import { mergeRecords, type Release, type ReleaseRecord } from './release.ts';
import { compareVersions } from '../version/version-order.ts';
import { isDigit, readVersion, type Version } from '../version/version.ts';

const DOT = 46;
const ZERO = 48;

/**
 * The newest of `records`, in any order, that `constraint` accepts; undefined if there is none. Eligibility is not
 * considered. One pass; a version that cannot be the newest is skipped by its first characters, without parsing.
 */
export function newestAccepted(
  records: readonly ReleaseRecord[],
  constraint: Constraint,
): Release | undefined {
  const prefix = prefixOf(constraint);
  const { kind } = constraint;
  const acceptsPrereleases = kind === 'patch' || kind === 'latest-with-prerelease';
  let newest: Version | undefined;
  let duplicates: ReleaseRecord[] = [];
  for (const record of records) {
    const text = record.version;
    if (!text.startsWith(prefix)) continue;
    if (newest && isLower(text, newest)) continue;
    if (!acceptsPrereleases && looksLikePrerelease(text)) continue;
    const version = readVersion(text);
    if (!('text' in version) || mismatch(constraint, version)) continue;
    const order = newest ? compareVersions(version, newest) : 1;
    if (order > 0) [newest, duplicates] = [version, [record]];
    else if (order === 0) duplicates.push(record);
  }
  return newest && mergeRecords(newest, duplicates);
}

/** The text with which every accepted version begins. Numbers have no leading zeros, so it is unique. */
function prefixOf(constraint: Constraint): string {
  switch (constraint.kind) {
    case 'patch': {
      const { major, minor, patch } = constraint.version;
      return `${major}.${minor}.${patch}`;
    }
    case 'minor':
      return `${constraint.major}.${constraint.minor}.`;
    case 'major':
      return `${constraint.major}.`;
    case 'latest':
    case 'latest-with-prerelease':
      return '';
  }
}

/** Whether the numbers of `text`, if it is a version, are lower than those of `version`. */
function isLower(text: string, { major, minor, patch }: Version): boolean {
  let limit = major;
  let value = 0;
  let dots = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      value = value * 10 + (code - ZERO);
      continue;
    }
    if (value !== limit || code !== DOT || dots === 2) break;
    limit = dots === 0 ? minor : patch;
    value = 0;
    dots++;
  }
  return value < limit;
}

/** Whether `text`, if it is a version, is a prerelease: its hyphen is not in the build metadata. */
function looksLikePrerelease(text: string): boolean {
  const hyphen = text.indexOf('-');
  if (hyphen === -1) return false;
  const plus = text.indexOf('+');
  return plus === -1 || hyphen < plus;
}
