import { distance } from 'fastest-levenshtein';
import { withoutLeadingZeros } from './version.ts';

const FARTHEST_TYPO = 2;

const OTHER_DIGITS = /[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g;
const INVISIBLE = /[\p{C}\p{Z}]/gu;
const COMPARATOR =
  /^(?<operator>\^|~>?|[<>]=?|)[v=]*(?<x>\d+|[x*])(?:\.(?<y>\d+|[x*]))?(?:\.(?<z>\d+|[x*]))?(?:\.\d+)*(?<tail>[-+a-z].*)?$/i;

/**
 * The constraint that the author of `text`, which is not a constraint, may have meant: one of `words` at most two typos away,
 * or the branch nearest to a range of another tool. The result may not be a constraint either, so the caller checks it.
 * Undefined if every form would be a guess.
 */
export function nearestForm(text: string, words: readonly string[]): string | undefined {
  // In alternatives and in a hyphen range, people write the newest version last.
  const plain = text
    .replace(/^.*(?:\|\||\s-\s)/s, '')
    .replace(OTHER_DIGITS, (digit) => String(digit.charCodeAt(0) & 15))
    .normalize('NFKC')
    .replace(INVISIBLE, '');
  const typo = words.find((word) => distance(word, plain.toLowerCase()) <= FARTHEST_TYPO);
  if (typo !== undefined) return typo;

  const { operator, x, y, z, tail = '' } = COMPARATOR.exec(plain)?.groups ?? {};
  if (x === undefined || plain.startsWith('<')) return undefined;
  if (plain.startsWith('>') || !isNumber(x)) return 'latest';
  // No form has a tail after fewer than three numbers, as in `1.2-beta`.
  if (tail !== '' && z === undefined && isNumber(y ?? x)) return undefined;
  const major = withoutLeadingZeros(x);
  const minor = isNumber(y) ? withoutLeadingZeros(y) : undefined;
  const isMajor = operator === '^' && major !== '0';
  if (isMajor || minor === undefined) return `${major}.*`;
  if (operator !== '' || !isNumber(z)) return `${major}.${minor}.*`;
  return `${major}.${minor}.${withoutLeadingZeros(z)}${legalTail(tail)}`;
}

function isNumber(part: string | undefined): part is string {
  return Number(part) >= 0;
}

/** Adds the missing hyphen of a prerelease such as `1.2.3rc1`. A lone `-` or `+` is dropped. */
function legalTail(tail: string): string {
  if (/^[-+]?$/.test(tail)) return '';
  return /^[-+]/.test(tail) ? tail : `-${tail}`;
}
