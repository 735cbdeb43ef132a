import type { Expected } from '../text/argument.ts';
import { parseError, type ParseError, type Misfit } from '../text/parse-error.ts';
import type { Result } from '../text/result.ts';

/** A version as SemVer 2.0.0 defines it. Created by `parseVersion`. */
export interface Version {
  /** As published: `1.2.3-rc.1+linux`. */
  readonly text: string;
  /** The first number: an integer, at most 2^53 - 1, as are `minor` and `patch`. */
  readonly major: number;
  /** The second number. */
  readonly minor: number;
  /** The third number. */
  readonly patch: number;
  /** The identifiers after the hyphen, `rc.1`; empty for a release. */
  readonly prerelease: string;
  /** The identifiers after the plus sign; empty without build metadata. */
  readonly build: string;
}

/** The maximum length of a version or constraint, in UTF-16 units. */
export const LONGEST_VERSION = 256;

const [PLUS, HYPHEN, DOT, ZERO, NINE] = [43, 45, 46, 48, 57];

/**
 * Parses strict SemVer 2.0.0: no `v`, no spaces, at most 256 characters, and no number above 2^53 - 1. Never throws,
 * whatever the argument.
 *
 * @example
 * ```ts
 * import { parseVersion } from 'modreg';
 *
 * const version = parseVersion('1.10.0-rc.1');
 * if (version.ok) console.log(version.value.prerelease); // rc.1
 * else console.error(version.error.message);
 * ```
 */
export function parseVersion(text: unknown): Result<Version, ParseError<'bad-version'>> {
  const read = readVersion(text);
  if ('text' in read) return { ok: true, value: read };
  return { ok: false, error: parseError('bad-version', text, read) };
}

export const VERSION: Expected = {
  // No other type of modreg has this field.
  is: (value) => typeof (value as Partial<Version> | null | undefined)?.prerelease === 'string',
  words: 'a Version of parseVersion()',
};

export function isPrerelease(version: Version): boolean {
  return version.prerelease !== '';
}

/** `parseVersion` without the cost of an error message: the version, or where parsing stopped. */
export function readVersion(text: unknown): Version | Misfit {
  if (typeof text !== 'string') return { position: 0, expected: 'text' };
  if (text.length > LONGEST_VERSION) return tooLong(text);

  const majorEnd = numberEnd(text, 0);
  if (majorEnd === 0) return noNumber(text, 0);
  if (text.charCodeAt(majorEnd) !== DOT) return { position: majorEnd, expected: '"."' };
  const minorEnd = numberEnd(text, majorEnd + 1);
  if (minorEnd === majorEnd + 1) return noNumber(text, minorEnd);
  if (text.charCodeAt(minorEnd) !== DOT) return { position: minorEnd, expected: '"."' };
  const patchEnd = numberEnd(text, minorEnd + 1);
  if (patchEnd === minorEnd + 1) return noNumber(text, patchEnd);

  const prereleaseEnd = endOfIdentifiers(text, patchEnd, HYPHEN);
  if (typeof prereleaseEnd !== 'number') return prereleaseEnd;
  const buildEnd = endOfIdentifiers(text, prereleaseEnd, PLUS);
  if (typeof buildEnd !== 'number') return buildEnd;
  if (buildEnd < text.length) {
    return { position: buildEnd, expected: continuation(patchEnd, prereleaseEnd, buildEnd) };
  }
  return {
    text,
    major: decimal(text, 0, majorEnd),
    minor: decimal(text, majorEnd + 1, minorEnd),
    patch: decimal(text, minorEnd + 1, patchEnd),
    prerelease: text.slice(patchEnd + 1, prereleaseEnd),
    build: text.slice(prereleaseEnd + 1, buildEnd),
  };
}

function tooLong(text: string): Misfit {
  const expected = `at most ${LONGEST_VERSION} characters, not ${text.length}`;
  return { position: LONGEST_VERSION, expected };
}

/** The end of the number that starts at `from`; `from` itself if no valid number starts there. */
function numberEnd(text: string, from: number): number {
  let end = from;
  while (isDigit(text.charCodeAt(end))) end++;
  if (end - from > 1 && text.charCodeAt(from) === ZERO) return from;
  if (end - from > 15 && decimal(text, from, end) > Number.MAX_SAFE_INTEGER) return from;
  return end;
}

/** Why no valid number starts at `from`. */
function noNumber(text: string, from: number): Misfit {
  if (!isDigit(text.charCodeAt(from))) return { position: from, expected: 'a number' };
  const leadingZero = text.charCodeAt(from) === ZERO;
  const limit = leadingZero ? 'without leading zeros' : `up to ${Number.MAX_SAFE_INTEGER}`;
  return { position: from, expected: `a number ${limit}` };
}

function decimal(text: string, from: number, end: number): number {
  let value = 0;
  for (let at = from; at < end; at++) value = value * 10 + (text.charCodeAt(at) - ZERO);
  return value;
}

/** The same number without leading zeros, as SemVer requires. */
export function withoutLeadingZeros(digits: string): string {
  return digits.startsWith('0') ? digits.replace(/^0+(?=\d)/, '') : digits;
}

/** The end of the dotted identifiers that follow `mark` at `from`; `from` itself if `mark` is not there. */
function endOfIdentifiers(text: string, from: number, mark: number): number | Misfit {
  if (text.charCodeAt(from) !== mark) return from;
  let start = from + 1;
  for (;;) {
    let end = start;
    let digits = 0;
    for (; isIdentifierCharacter(text.charCodeAt(end)); end++) {
      if (isDigit(text.charCodeAt(end))) digits++;
    }
    if (end === start) return { position: start, expected: 'a letter, a digit or "-"' };
    const numeric = digits === end - start;
    if (mark === HYPHEN && numeric && digits > 1 && text.charCodeAt(start) === ZERO) {
      return { position: start, expected: 'a number without leading zeros' };
    }
    if (text.charCodeAt(end) !== DOT) return end;
    start = end + 1;
  }
}

/** What may follow at the position where parsing stopped. */
function continuation(patchEnd: number, prereleaseEnd: number, buildEnd: number): string {
  if (buildEnd > prereleaseEnd) return 'a letter, a digit, "-", "." or the end';
  if (prereleaseEnd > patchEnd) return 'a letter, a digit, "-", ".", "+" or the end';
  return '"-", "+" or the end';
}

export function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isIdentifierCharacter(code: number): boolean {
  const lowercase = code | 32;
  return isDigit(code) || code === HYPHEN || (lowercase >= 97 && lowercase <= 122);
}
