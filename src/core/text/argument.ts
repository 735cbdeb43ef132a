import { describeValue } from './quote.ts';

/*
 * For JavaScript callers, whose arguments no compiler checks. A check takes the same time for an argument of any size, so
 * the entries of a list are checked when they are read.
 */

/** What an argument must be. */
export interface Expected {
  readonly is: (value: unknown) => boolean;
  /** In words, after "expected". */
  readonly words: string;
  /** Whether the value has the right type, so that only its range is wrong. */
  readonly isOfType?: (value: unknown) => boolean;
}

export const TEXT: Expected = { is: (value) => typeof value === 'string', words: 'text' };
export const NUMBER: Expected = { is: (value) => typeof value === 'number', words: 'a number' };
export const FLAG: Expected = { is: (value) => typeof value === 'boolean', words: 'true or false' };
export const LIST: Expected = { is: Array.isArray, words: 'an array' };
export const OBJECT: Expected = { is: isObject, words: 'an object' };
export const FUNCTION: Expected = {
  is: (value) => typeof value === 'function',
  words: 'a function',
};

/** Of any type: what is needed is checked elsewhere. */
export const ANYTHING: Expected = { is: () => true, words: 'anything' };

/** The same, or nothing. */
export function optional(expected: Expected): Expected {
  const is = (value: unknown): boolean => value === undefined || expected.is(value);
  return { ...expected, is, words: `${expected.words} or nothing` };
}

/** A number in a range. Another number is a RangeError. */
export function numberIn(is: (value: number) => boolean, words: string): Expected {
  return { is: (value) => typeof value === 'number' && is(value), words, isOfType: NUMBER.is };
}

/** One of these texts. */
export function oneOf(...texts: readonly string[]): Expected {
  return { is: (value) => texts.some((text) => text === value), words: texts.join(', ') };
}

/** An object that has all of these functions, such as an opened file. */
export function having(words: string, ...functions: readonly string[]): Expected {
  return {
    is: (value) => isObject(value) && functions.every((name) => typeof value[name] === 'function'),
    words,
  };
}

/** Any implementation of one. */
export const SIGNAL: Expected = having('an AbortSignal', 'addEventListener', 'throwIfAborted');

export const MAP: Expected = having('a Map', 'get');

/** An object whose `kind` is text, as in most unions of modreg; one of `kinds`, if there are some. */
export function ofKind(words: string, ...kinds: readonly string[]): Expected {
  const isKind = kinds.length === 0 ? TEXT : oneOf(...kinds);
  return { is: (value) => isObject(value) && isKind.is(value['kind']), words };
}

/** The error for an argument of the wrong type: `resolve(): found "1.*" as constraint, expected …`. */
export function wrongArgument(
  callee: string,
  as: string,
  found: unknown,
  expected: string,
): TypeError {
  return new TypeError(`${callee}: found ${describe(found)} as ${as}, expected ${expected}`);
}

/** Throws a TypeError, or a RangeError for a number out of range, unless the argument is as expected. */
export function expectArgument(
  callee: string,
  as: string,
  found: unknown,
  { is, words, isOfType }: Expected,
): void {
  if (is(found)) return;
  const wrong = wrongArgument(callee, as, found, words);
  throw isOfType?.(found) === true ? new RangeError(wrong.message) : wrong;
}

/** Throws as `expectArgument` does unless the argument is an object whose members are as expected. */
export function expectMembers(
  callee: string,
  as: string,
  found: unknown,
  members: Readonly<Record<string, Expected>>,
): void {
  if (!isObject(found)) throw wrongArgument(callee, as, found, OBJECT.words);
  for (const name in members) {
    const member = members[name];
    if (member) expectArgument(callee, `${as}.${name}`, found[name], member);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** A parsed value that was not taken out of its Result, and a Promise that was not awaited, are the usual mistakes. */
function describe(found: unknown): string {
  if (found instanceof Promise) return 'a Promise';
  return isObject(found) && typeof found['ok'] === 'boolean' ? 'a Result' : describeValue(found);
}
